import type { Database, Statement } from 'better-sqlite3';
import type { ActivityRecord, ActivityType, RecordedActivity } from '../../domain/activity.ts';
import { newId } from '../../domain/ids.ts';
import type { Page } from '../../domain/paging.ts';
import { streamOf } from '../../events/stream.ts';
import type { ActivityFilter, ActivityStore, Owner } from '../store.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { PageAnchors, type Place, type Written } from './page-anchors.ts';
import type { DataVersion } from './version-cache.ts';

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

/** The statements that read the activities of one set of filters; each gets the index that serves it. */
interface ListStatements {
  fromFirst: Statement<[ActivityFilter & Page], ActivityRow>;
  /** From a row on, which is in the list. */
  fromRow: Statement<[ActivityFilter & Page & Place], ActivityRow>;
  writtenAfter: Statement<[ActivityFilter & { rowid: number }], Place>;
}

export class SqliteActivities implements ActivityStore {
  readonly #db: Database;
  readonly #group: GroupCommit;
  readonly #insert;
  readonly #lists = new Map<string, ListStatements>();
  readonly #anchors: PageAnchors;
  readonly #lastWritten;
  readonly #isThere;

  constructor(db: Database, version: DataVersion, group: GroupCommit) {
    this.#db = db;
    this.#group = group;
    this.#anchors = new PageAnchors(version);
    this.#lastWritten = db.prepare<[], Written>(
      'SELECT rowid, id FROM activities ORDER BY rowid DESC LIMIT 1',
    );
    this.#isThere = db.prepare<[Written], number>(
      'SELECT 1 FROM activities WHERE rowid = @rowid AND id = @id',
    );
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
    const { fromFirst, fromRow, writtenAfter } = this.#listBy(filter);
    const { limit } = page;
    const name = JSON.stringify([filter.gameId, filter.wallet, filter.type]);
    const rows = this.#anchors.page<ActivityRow>(name, page.skip, {
      inOneView: (read) => this.#db.transaction(read)(),
      lastWritten: () => this.#lastWritten.get(),
      isThere: (row) => this.#isThere.get(row) !== undefined,
      writtenAfter: ({ rowid }) => writtenAfter.all({ ...filter, rowid }),
      read: (from, skip) =>
        from
          ? fromRow.all({ ...filter, limit, skip, timestamp: from.timestamp, id: from.id })
          : fromFirst.all({ ...filter, limit, skip }),
    });
    return rows.map((row) => ({
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

  #listBy(filter: ActivityFilter): ListStatements {
    const conditions = [
      filter.wallet !== undefined && 'wallet = @wallet',
      filter.gameId !== undefined && 'game_id = @gameId',
      filter.type !== undefined && 'type = @type',
    ].filter((condition) => condition !== false);
    const key = conditions.join(' AND ');
    let statements = this.#lists.get(key);
    if (!statements) {
      statements = {
        fromFirst: this.#db.prepare(pageWhere(conditions)),
        fromRow: this.#db.prepare(pageWhere([...conditions, '(timestamp, id) <= (@timestamp, @id)'])),
        writtenAfter: this.#db.prepare(
          `SELECT timestamp, id FROM activities ${where(['rowid > @rowid', ...conditions.map((one) => `+${one}`)])}`,
        ),
      };
      this.#lists.set(key, statements);
    }
    return statements;
  }
}

function pageWhere(conditions: readonly string[]): string {
  return `SELECT a.*, g.name AS game_name, g.slug AS game_slug, p.user_id, p.username
    FROM (SELECT rowid AS key FROM activities ${where(conditions)}
          ORDER BY timestamp DESC, id DESC LIMIT @limit OFFSET @skip) AS page
    CROSS JOIN activities AS a ON a.rowid = page.key
    JOIN games AS g ON g.id = a.game_id
    JOIN players AS p ON p.wallet = a.wallet
    ORDER BY a.timestamp DESC, a.id DESC`;
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}
