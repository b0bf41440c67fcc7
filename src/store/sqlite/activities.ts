import type { Database, Statement } from 'better-sqlite3';
import type { ActivityRecord, ActivityType, RecordedActivity } from '../../domain/activity.ts';
import { newId } from '../../domain/ids.ts';
import type { Page } from '../../domain/paging.ts';
import { streamOf } from '../../events/stream.ts';
import type { ActivityFilter, ActivityStore, Owner } from '../store.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

interface ActivityRow {
  id: string;
  game_id: string;
  wallet: string;
  type: ActivityType;
  label: string;
  event_id: string;
  timestamp: number;
  game_name: string;
  game_slug: string;
  user_id: string;
  username: string;
}

type ListStatement = Statement<[ActivityFilter & Page], ActivityRow>;

export class SqliteActivities implements ActivityStore {
  readonly #db: Database;
  readonly #group: GroupCommit;
  readonly #insert;
  /** A statement for each set of filters, so that each gets the index that serves it. */
  readonly #lists = new Map<string, ListStatement>();

  constructor(db: Database, group: GroupCommit) {
    this.#db = db;
    this.#group = group;
    this.#insert = db.prepare(
      'INSERT INTO activities (id, game_id, wallet, type, label, event_id, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
  }

  record(owner: Owner, activity: { label: string; eventId: string }): Promise<ActivityRecord> {
    return this.#group.write((tx) => this.recordWithin(tx, owner, activity));
  }

  /** Inside a transaction, for what records an activity as part of a larger change. */
  recordWithin(
    tx: Transaction,
    { gameId, wallet }: Owner,
    { label, eventId }: { label: string; eventId: string },
    type: ActivityType = 'off-chain',
  ): ActivityRecord {
    const record: ActivityRecord = {
      _id: newId(),
      label,
      normalizedAddress: wallet,
      eventId,
      gameId,
      timestamp: tx.now,
    };
    this.#insert.run(record._id, gameId, wallet, type, label, eventId, tx.now);
    tx.emit({
      stream: streamOf.game(gameId),
      name: 'activities created',
      record,
      audience: { kind: 'game', gameId },
    });
    return record;
  }

  async list(filter: ActivityFilter, page: Page): Promise<RecordedActivity[]> {
    return this.#listBy(filter)
      .all({ ...filter, ...page })
      .map((row) => ({
        _id: row.id,
        label: row.label,
        normalizedAddress: row.wallet,
        eventId: row.event_id,
        gameId: row.game_id,
        timestamp: row.timestamp,
        type: row.type,
        gameName: row.game_name,
        gameSlug: row.game_slug,
        userId: row.user_id,
        username: row.username,
      }));
  }

  #listBy(filter: ActivityFilter): ListStatement {
    const conditions = [
      filter.wallet !== undefined && 'wallet = @wallet',
      filter.gameId !== undefined && 'game_id = @gameId',
      filter.type !== undefined && 'type = @type',
    ].filter((condition) => condition !== false);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    let statement = this.#lists.get(where);
    if (!statement) {
      statement = this.#db.prepare<[ActivityFilter & Page], ActivityRow>(
        `SELECT a.*, g.name AS game_name, g.slug AS game_slug, p.user_id, p.username
         FROM (SELECT rowid AS key FROM activities ${where}
               ORDER BY timestamp DESC, id DESC LIMIT @limit OFFSET @skip) AS page
         CROSS JOIN activities AS a ON a.rowid = page.key
         JOIN games AS g ON g.id = a.game_id
         JOIN players AS p ON p.wallet = a.wallet
         ORDER BY a.timestamp DESC, a.id DESC`,
      );
      this.#lists.set(where, statement);
    }
    return statement;
  }
}
