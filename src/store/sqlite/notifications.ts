import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { NotificationRecord } from '../../domain/notification.ts';
import { streamOf } from '../../events/stream.ts';
import type { NotificationStore, Owner } from '../store.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

type Notification = Pick<NotificationRecord, 'message' | 'type'>;

export class SqliteNotifications implements NotificationStore {
  readonly #group: GroupCommit;
  readonly #insert;

  constructor(db: Database, group: GroupCommit) {
    this.#group = group;
    this.#insert = db.prepare(
      'INSERT INTO notifications (id, game_id, wallet, message, type, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    );
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
    this.#insert.run(record._id, gameId, wallet, message, type, tx.now);
    tx.emit({
      stream: streamOf.player(gameId, wallet),
      name: 'notifications created',
      record,
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
    return record;
  }
}
