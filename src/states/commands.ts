import { lockPlayer } from '../core/events/stream-locks.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../core/storage/command.ts';
import { countedBytes, countedRowBytes, countStored } from '../storage-quota/count-stored.ts';
import type { StateRecord } from './state.ts';
import { toSummary } from './stored-state.ts';
import { type StateRow, states } from './tables.ts';

/**
 * Upserts on (game, player, label). `json` is canonical and `ipfsHash` its content id; `quota` is the most bytes the player
 * may keep in the game. Returns all but the state.
 * @throws GantryError `storage_full`
 */
export const saveState = command(
  'saveState',
  function* (
    tx: Tx,
    owner: Owner,
    label: string,
    json: string,
    ipfsHash: string,
    quota?: number,
  ): Steps<Omit<StateRecord, 'state'>> {
    const { gameId, wallet } = owner;
    const [, before, octetsBefore, revision] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.peek(states, ['id'], gameId, wallet, label),
      tx.octets(states, 'json', gameId, wallet, label),
      tx.max(states.byUpdate, [gameId, wallet]),
    );
    const row: StateRow = {
      id: before?.id ?? tx.newId(),
      gameId,
      wallet,
      label,
      ipfsHash,
      json,
      updatedAt: tx.now,
      revision: revision + 1,
    };
    const bytesBefore = octetsBefore === undefined ? 0 : countedRowBytes + octetsBefore;
    yield* countStored(tx, owner, countedBytes(json) - bytesBefore, quota);
    if (before) tx.put(states, row);
    else tx.insert(states, row);
    return toSummary(row);
  },
);
