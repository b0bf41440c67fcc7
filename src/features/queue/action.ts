import { z } from 'zod';
import { id, normalizedAddress, timestamp } from '../../core/schemas/fields.ts';
import type { ActionRow } from './tables.ts';

/**
 * The state of an action: `queued` until it is first sent, `submitted` until its outcome is known, then finally
 * `confirmed`, `failed` or `cancelled`. Only an administrator's retry leads from `failed` or `cancelled` back to
 * `queued`.
 */
export const actionState = z.enum(['queued', 'submitted', 'confirmed', 'failed', 'cancelled']);
export type ActionState = z.infer<typeof actionState>;

/** An action as its player's launcher and administrators see it. */
export const actionRecord = z
  .object({
    _id: id,
    triggerUuid: id.meta({ description: 'The trigger that queued the action' }),
    gameId: id,
    normalizedAddress,
    type: z.string().meta({ description: 'The type of the action in the rule, such as IssueToken' }),
    state: actionState,
    error: z.string().nullable().meta({ description: 'Why it failed or has not succeeded yet' }),
    transactionHash: z.string().nullable().meta({ description: 'The hash of the on-chain transaction' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'RuleAction' });
export type ActionRecord = z.infer<typeof actionRecord>;

/** The longest stored error of an action, in characters. */
export const maxErrorLength = 500;

/** An action with the fields that only administrators see. */
export const listedAction = actionRecord
  .extend({
    kind: z.string().meta({
      description:
        'The worker that runs the action (`chain` or `webhook`); `rules`: refused, so no worker runs it',
    }),
    lane: z.string().meta({ description: 'For on-chain actions: chain id and signer' }),
    payload: z.json(),
    attempts: z.int(),
    dueAt: timestamp,
  })
  .meta({ id: 'ListedAction' });
export type ListedAction = z.infer<typeof listedAction>;

/** How long a webhook delivery is retried, from the event or the last replay. */
export const deliveryLifetimeMs = 24 * 60 * 60 * 1000;

/** An action to be carried out after the commit of its cause. */
export interface NewAction {
  /** Which worker carries it out. */
  kind: string;
  /** Of chain actions, `<chain id>:<signer>`; of webhooks, the webhook's id. Omitted: no worker carries it out. */
  lane?: string | undefined;
  /** Shown to players and administrators. */
  type: string;
  gameId: string;
  /** Omitted: it concerns no player, and no launcher is notified. */
  wallet?: string | undefined;
  triggerUuid?: string | undefined;
  /** For the worker; must be JSON. */
  payload: unknown;
  /** Unix milliseconds; omitted: at once. */
  dueAt?: number | undefined;
}

export interface ActionFilter {
  gameId?: string | undefined;
  wallet?: string | undefined;
  kind?: string | undefined;
  state?: ActionState | undefined;
}

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
