import { GantryError } from '../../core/errors.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { addStorageUse, lockStorageUse, storedBytes } from '../storage-quota/game-storage.ts';
import { playSessions } from './tables.ts';

/** A game's update of a play session; `endTime` (Unix ms) ends it. */
export interface TrackedPlay {
  sessionId: string;
  state: string;
  endTime?: number | undefined;
}

/**
 * Starts, updates or ends a play session. The player lock serializes calls of the same player, even before the session
 * has a row. If another player starts one under the same id concurrently, the primary key conflicts: the second command
 * is retried and then rejected. `quota`: the player's storage limit in the game, in bytes.
 * @throws GantryError `play_session_not_yours`, `play_session_ended`, `end_time_before_start`, `storage_full`
 */
export const trackPlaySession = command(
  'trackPlaySession',
  function* (tx, owner: Owner, { sessionId, state, endTime }: TrackedPlay, quota?: number): Steps<void> {
    const { gameId, wallet } = owner;
    const [, row] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.get(playSessions, sessionId),
      lockStorageUse(tx, owner),
    );
    if (!row) {
      // A session first reported when it is over started, at the latest, when it ended.
      const startedAt = Math.min(tx.now, endTime ?? tx.now);
      const play = { id: sessionId, gameId, wallet, state, startedAt };
      yield* addStorageUse(tx, owner, storedBytes(state), quota);
      tx.insert(playSessions, { ...play, updatedAt: tx.now, endTime: endTime ?? null });
      return;
    }
    if (row.gameId !== gameId || row.wallet !== wallet) {
      throw new GantryError(
        'play_session_not_yours',
        'This sessionId belongs to another player or game; generate a new UUID for every play session',
      );
    }
    if (row.endTime !== null) {
      if (row.endTime === endTime && row.state === state) return;
      throw new GantryError('play_session_ended', 'This play session has ended and can no longer be changed');
    }
    if (endTime !== undefined && endTime < row.startedAt) {
      throw new GantryError('end_time_before_start', 'endTime is before the start of the play session');
    }
    yield* addStorageUse(tx, owner, storedBytes(state) - storedBytes(row.state), quota);
    tx.put(playSessions, { ...row, state, updatedAt: tx.now, endTime: endTime ?? null });
  },
);
