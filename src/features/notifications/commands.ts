import { type Audience, type Listener, streamOf } from '../../core/events/stream.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { statement } from '../../core/storage/query.ts';
import { forEach } from '../../core/storage/steps.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { attributeNewPlayers, lockProfile } from '../players/commands.ts';
import { requireGuests } from '../players/guests.ts';
import { bans } from '../players/tables.ts';
import {
  type CountedRow,
  countBytes,
  countRow,
  lockGameStorage,
  releaseRows,
  returningCounted,
} from '../storage-quota/game-storage.ts';
import { notificationCreated, notificationsRead } from './events.ts';
import type { NewNotification, NotificationRecord } from './notification.ts';
import { mutedGames, type NotificationRow, notifications } from './tables.ts';

/**
 * Sends a player a notification, which is kept for delivery if no launcher is online. A game that the player has muted
 * shows it, launchers do not.
 * @throws GantryError `storage_full`
 */
export const notifyPlayer = command(
  'notifyPlayer',
  function* (
    tx,
    owner: Owner,
    { message, type, expiresInSeconds }: NewNotification,
  ): Steps<NotificationRecord> {
    const { gameId, wallet } = owner;
    const [, , muted] = yield* tx.all(
      lockPlayer(tx, owner),
      lockGameStorage(tx, gameId),
      tx.get(mutedGames, wallet, gameId),
    );
    const id = tx.newId();
    const expiresAt = expiresInSeconds === undefined ? null : tx.now + expiresInSeconds * 1000;
    const record: NotificationRecord = {
      _id: id,
      gameId,
      normalizedAddress: wallet,
      message,
      type,
      createdAt: tx.now,
      ...(expiresAt !== null && { expiresAt }),
    };
    const audience: Audience = {
      kind: 'players',
      gameId,
      wallets: [wallet],
      ...(muted && { inGameOnly: true }),
    };
    const eventSeq = tx.emit(streamOf.player(gameId, wallet), notificationCreated, record, audience);
    const row: NotificationRow = {
      id,
      gameId,
      wallet,
      message,
      type,
      eventSeq,
      createdAt: tx.now,
      deliveredAt: null,
      readAt: null,
      expiresAt,
    };
    tx.insert(notifications, row);
    yield* countRow(tx, gameId, notifications, row);
    return record;
  },
);

/**
 * Sends several players a notification, atomically. Players banned from the game are skipped and returned. Creates
 * players for unknown wallets.
 * @throws GantryError `player_unknown`, `guest_upgraded` when one is a guest address without an active guest,
 *   `storage_full`
 */
export const notifySeveral = command(
  'notifySeveral',
  function* (
    tx,
    gameId: string,
    wallets: readonly string[],
    notification: NewNotification,
  ): Steps<{ banned: string[] }> {
    const bansOf = yield* tx.all(
      ...wallets.flatMap((wallet) => [tx.get(bans, wallet, gameId), tx.get(bans, wallet, '')]),
    );
    const isBanned = (at: number) => bansOf[2 * at] !== undefined || bansOf[2 * at + 1] !== undefined;
    const notified = wallets.filter((_, at) => !isBanned(at));
    yield* requireGuests(tx, notified, { toName: true });
    const rows = yield* tx.all(...notified.map((wallet) => lockProfile(tx, wallet)));
    yield* tx.all(
      ...notified.map((wallet) => lockPlayer(tx, { gameId, wallet })),
      lockGameStorage(tx, gameId),
    );
    yield* countBytes(tx, gameId, attributeNewPlayers(tx, gameId, rows));
    yield* forEach(tx, notified, (wallet) => notifyPlayer(tx, { gameId, wallet }, notification));
    return { banned: wallets.filter((_, at) => isBanned(at)) };
  },
);

/** Marks notifications as delivered to a launcher; ids that no longer exist are ignored. */
export const markDelivered = command(
  'markDelivered',
  function* (tx, notificationIds: readonly string[]): Steps<void> {
    // Locked in sorted order, so that two nodes that mark the same ones do not deadlock.
    const ids = [...new Set(notificationIds)].toSorted();
    for (const row of yield* tx.all(...ids.map((id) => tx.lock(notifications, id)))) {
      if (row?.deliveredAt === null) tx.put(notifications, { ...row, deliveredAt: tx.now });
    }
  },
);

/**
 * Marks notifications of a player as read and notifies the player's launchers; returns the ids of those marked. `gameId`
 * null means every game. Ids that are another player's, already read or deleted are ignored.
 */
export const markRead = command(
  'markRead',
  function* (tx, { wallet, gameId }: Listener, wanted: readonly string[]): Steps<string[]> {
    const named = yield* tx.all(...[...new Set(wanted)].map((id) => tx.get(notifications, id)));
    const found = named
      .filter((row) => row !== undefined)
      .filter((row) => row.wallet === wallet && (gameId === null || row.gameId === gameId));
    const games = [...new Set(found.map((row) => row.gameId))].toSorted();
    yield* tx.all(...games.map((one) => lockPlayer(tx, { gameId: one, wallet })));
    // Sorted as in `markDelivered`; another launcher may have marked some meanwhile.
    const ids = found.map(({ id }) => id).toSorted();
    const rows = yield* tx.all(...ids.map((id) => tx.lock(notifications, id)));
    const unread = rows.filter((row) => row !== undefined).filter(({ readAt }) => readAt === null);
    for (const row of unread) tx.put(notifications, { ...row, readAt: tx.now });
    for (const [game, read] of Map.groupBy(unread, (row) => row.gameId)) {
      const record = {
        gameId: game,
        normalizedAddress: wallet,
        notificationIds: read.map(({ id }) => id),
        readAt: tx.now,
      };
      const audience = { kind: 'players' as const, gameId: game, wallets: [wallet] };
      tx.emit(streamOf.player(game, wallet), notificationsRead, record, audience);
    }
    return unread.map(({ id }) => id);
  },
);

const deletedPerCall = 500;

/**
 * Deletes expired notifications and, among those without an expiry, those delivered more than `maxAgeMs` ago, in a
 * bounded batch of each; true when there may be more.
 */
export const trimNotifications = exclusiveCommand(
  'trimNotifications',
  function* (tx, maxAgeMs: number): Steps<boolean> {
    const limit = deletedPerCall;
    const expired = yield* tx.rows(deleteExpired, { now: tx.now, limit });
    const deleted = yield* tx.rows(deleteDelivered, { before: tx.now - maxAgeMs, limit });
    yield* releaseRows(tx, [...expired, ...deleted]);
    return expired.length === limit || deleted.length === limit;
  },
);

const counted = returningCounted(notifications as AnyTable);
const deleteDelivered = statement<{ before: number; limit: number }, CountedRow>(
  `DELETE FROM notifications WHERE id IN (SELECT id FROM notifications
    WHERE delivered_at IS NOT NULL AND delivered_at < @before AND expires_at IS NULL LIMIT @limit) ${counted}`,
  { changes: [notifications] },
);
const deleteExpired = statement<{ now: number; limit: number }, CountedRow>(
  `DELETE FROM notifications WHERE id IN (SELECT id FROM notifications
    WHERE expires_at IS NOT NULL AND expires_at <= @now LIMIT @limit) ${counted}`,
  { changes: [notifications] },
);
