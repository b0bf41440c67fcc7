import { type ActionRecord, actionState, type ListedAction } from './action.ts';
import type { ActionRow } from './tables.ts';

/** An action as its player's launcher sees it. */
export function toActionRecord(row: ActionRow): ActionRecord {
  return {
    _id: row.id,
    triggerUuid: row.triggerId,
    gameId: row.gameId,
    normalizedAddress: row.wallet,
    type: row.type,
    state: actionState.parse(row.state),
    error: row.error,
    transactionHash: row.transactionHash,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** An action as administrators and its worker see it. */
export function toListedAction(row: ActionRow): ListedAction {
  return {
    ...toActionRecord(row),
    kind: row.kind,
    lane: row.lane,
    payload: JSON.parse(row.payload),
    attempts: row.attempts,
    dueAt: row.dueAt,
  };
}
