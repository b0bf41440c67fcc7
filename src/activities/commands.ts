import { streamOf } from '../core/events/stream.ts';
import { lockGame } from '../core/events/stream-locks.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../core/storage/command.ts';
import type { ActivityRecord, ActivityType } from './activity.ts';
import { activityCreated } from './events.ts';
import { activities } from './tables.ts';

/** Records an activity of a player and notifies the game's followers. */
export const recordActivity = command(
  'recordActivity',
  function* (
    tx: Tx,
    { gameId, wallet }: Owner,
    { label, eventId }: { label: string; eventId: string },
    type: ActivityType = 'off-chain',
  ): Steps<ActivityRecord> {
    yield* lockGame(tx, gameId);
    const id = tx.newId();
    const record = { _id: id, label, normalizedAddress: wallet, eventId, gameId, timestamp: tx.now };
    tx.insert(activities, { id, gameId, wallet, type, label, eventId, timestamp: tx.now });
    tx.emit(streamOf.game(gameId), activityCreated, record, { kind: 'game', gameId });
    return record;
  },
);
