import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import { type NotificationRecord, notificationType } from '../../domain/notification.ts';
import { type StoredEvent, streamOf } from '../../events/stream.ts';
import type { Listener, NotificationStore, Owner } from '../store.ts';
import type { EventLog } from './event-log.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

type Notification = Pick<NotificationRecord, 'message' | 'type'>;

interface NotificationRow {
  id: string;
  game_id: string;
  wallet: string;
  message: string;
  type: string;
  event_seq: number;
  created_at: number;
}

export class SqliteNotifications implements NotificationStore {
  readonly #group: GroupCommit;
  readonly #events: EventLog;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, events: EventLog) {
    this.#group = group;
    this.#events = events;
    this.#statements = {
      insert: db.prepare(
        `INSERT INTO notifications (id, game_id, wallet, message, type, event_seq, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      undelivered: db.prepare<
        [Listener & { limit: number; afterSeq: number; afterId: string }],
        NotificationRow
      >(
        `SELECT * FROM notifications
         WHERE delivered_at IS NULL AND wallet = @wallet AND (@gameId IS NULL OR game_id = @gameId)
           AND event_seq >= @afterSeq AND (event_seq, id) > (@afterSeq, @afterId)
         ORDER BY event_seq, id LIMIT @limit`,
      ),
      markDelivered: db.prepare(
        `UPDATE notifications SET delivered_at = ?
         WHERE delivered_at IS NULL AND id IN (SELECT value FROM json_each(?))`,
      ),
    };
  }

  send(owner: Owner, notification: Notification): Promise<NotificationRecord> {
    return this.#group.write((tx) => this.sendWithin(tx, owner, notification));
  }

  /** Inside a transaction, for what notifies as part of a larger change. */
  sendWithin(
    tx: Transaction,
    { gameId, wallet }: Owner,
    { message, type }: Notification,
  ): NotificationRecord {
    const record: NotificationRecord = {
      _id: newId(),
      gameId,
      normalizedAddress: wallet,
      message,
      type,
      createdAt: tx.now,
    };
    const seq = tx.emit(toEvent(record));
    this.#statements.insert.run(record._id, gameId, wallet, message, type, seq, tx.now);
    return record;
  }

  async undelivered(
    listener: Listener,
    limit: number,
    after?: StoredEvent<'notifications created'>,
  ): Promise<StoredEvent<'notifications created'>[]> {
    const from = { afterSeq: after?.seq ?? 0, afterId: after?.record._id ?? '' };
    return this.#statements.undelivered.all({ ...listener, ...from, limit }).map((row) => ({
      ...toEvent({
        _id: row.id,
        gameId: row.game_id,
        normalizedAddress: row.wallet,
        message: row.message,
        type: notificationType.parse(row.type),
        createdAt: row.created_at,
      }),
      epoch: this.#events.epoch,
      seq: row.event_seq,
      position: 0,
    }));
  }

  markDelivered(notificationIds: readonly string[]): Promise<void> {
    return this.#group.write((tx) => {
      this.#statements.markDelivered.run(tx.now, JSON.stringify(notificationIds));
    });
  }
}

function toEvent(record: NotificationRecord) {
  const { gameId, normalizedAddress: wallet } = record;
  return {
    stream: streamOf.player(gameId, wallet),
    name: 'notifications created',
    record,
    audience: { kind: 'players', gameId, wallets: [wallet] },
  } as const;
}
