import { streamOf } from '../../core/events/stream.ts';
import { lockGame } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { countRow, lockGameStorage } from '../storage-quota/game-storage.ts';
import type { ActivityRecord, ActivityType } from './activity.ts';
import { activityCreated } from './events.ts';
import { activities } from './tables.ts';

/**
 * Records an activity of a player and notifies the game's followers.
 * @throws GantryError `storage_full`
 */
export const recordActivity = command(
  'recordActivity',
  function* (
    tx,
    { gameId, wallet }: Owner,
    { label, eventId }: { label: string; eventId: string },
    type: ActivityType = 'off-chain',
  ): Steps<ActivityRecord> {
    yield* tx.all(lockGame(tx, gameId), lockGameStorage(tx, gameId));
    const id = tx.newId();
    const record = { _id: id, label, normalizedAddress: wallet, eventId, gameId, timestamp: tx.now };
    const row = { id, gameId, wallet, type, label, eventId, timestamp: tx.now };
    tx.insert(activities, row);
    // On-chain activities are recorded even when the game's storage is full: what happened on the chain cannot be undone.
    yield* countRow(tx, gameId, activities, row, { isLimited: type !== 'on-chain' });
    tx.emit(streamOf.game(gameId), activityCreated, record, { kind: 'game', gameId });
    return record;
  },
);
