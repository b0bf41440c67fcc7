import { streamOf } from '../core/events/stream.ts';
import { lockPlayer } from '../core/events/stream-locks.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { command, type ExclusiveTx, exclusiveCommand, type Steps, type Tx } from '../core/storage/command.ts';
import { statement } from '../core/storage/statement.ts';
import { lockProfile } from '../players/commands.ts';
import { requireGuests } from '../players/guests.ts';
import { bans } from '../players/tables.ts';
import { notificationCreated } from './events.ts';
import type { NotificationRecord } from './notification.ts';
import { notifications } from './tables.ts';

/** Sends a player a notification, which waits for a launcher where none is online to hear it. */
export const notifyPlayer = command(
  'notifyPlayer',
  function* (
    tx: Tx,
    owner: Owner,
    { message, type }: Pick<NotificationRecord, 'message' | 'type'>,
  ): Steps<NotificationRecord> {
    const { gameId, wallet } = owner;
    yield* lockPlayer(tx, owner);
    const id = tx.newId();
    const record = { _id: id, gameId, normalizedAddress: wallet, message, type, createdAt: tx.now };
    const audience = { kind: 'players' as const, gameId, wallets: [wallet] };
    const eventSeq = tx.emit(streamOf.player(gameId, wallet), notificationCreated, record, audience);
    const row = { id, gameId, wallet, message, type, eventSeq, createdAt: tx.now };
    tx.insert(notifications, { ...row, deliveredAt: null });
    return record;
  },
);

/**
 * Sends several players a notification, all or none of them; those who are banned from the game get none and are answered.
 * A wallet that was never seen gets a player.
 * @throws GantryError `player_unknown`, `guest_upgraded` when an address of a guest is among them that is none
 */
export const notifySeveral = command(
  'notifySeveral',
  function* (
    tx: Tx,
    gameId: string,
    wallets: readonly string[],
    notification: Pick<NotificationRecord, 'message' | 'type'>,
  ): Steps<{ banned: string[] }> {
    const bansOf = yield* tx.all(
      ...wallets.flatMap((wallet) => [tx.get(bans, wallet, gameId), tx.get(bans, wallet, '')]),
    );
    const isBanned = (at: number) => bansOf[2 * at] !== undefined || bansOf[2 * at + 1] !== undefined;
    const notified = wallets.filter((_, at) => !isBanned(at));
    yield* requireGuests(tx, notified);
    yield* tx.all(...notified.map((wallet) => lockProfile(tx, wallet)));
    yield* tx.all(...notified.map((wallet) => lockPlayer(tx, { gameId, wallet })));
    for (const wallet of notified) yield* notifyPlayer(tx, { gameId, wallet }, notification);
    return { banned: wallets.filter((_, at) => isBanned(at)) };
  },
);

/** A launcher was told of these; those that are no longer there are passed over. */
export const markDelivered = command(
  'markDelivered',
  function* (tx: Tx, notificationIds: readonly string[]): Steps<void> {
    // In one order, so that two nodes that mark the same ones do not wait for each other.
    const ids = [...new Set(notificationIds)].toSorted();
    for (const row of yield* tx.all(...ids.map((id) => tx.lock(notifications, id)))) {
      if (row?.deliveredAt === null) tx.put(notifications, { ...row, deliveredAt: tx.now });
    }
  },
);

const deletedPerCall = 500;

/** Deletes notifications delivered more than `maximumAgeMs` ago, a limited number; true when there may be more. */
export const trimNotifications = exclusiveCommand(
  'trimNotifications',
  function* (tx: ExclusiveTx, maximumAgeMs: number): Steps<boolean> {
    const deleted = yield* tx.run(deleteDelivered, { before: tx.now - maximumAgeMs, limit: deletedPerCall });
    return deleted === deletedPerCall;
  },
);

const deleteDelivered = statement<{ before: number; limit: number }>(
  `DELETE FROM notifications WHERE id IN (SELECT id FROM notifications
    WHERE delivered_at IS NOT NULL AND delivered_at < @before LIMIT @limit)`,
  { changes: [notifications] },
);
