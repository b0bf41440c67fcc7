import { comparableId } from '../core/schemas/ids.ts';
import type { Page } from '../core/schemas/paging.ts';
import { KeysetBookmarks, type Written } from '../core/storage/keyset-bookmarks.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { type Statement, statement } from '../core/storage/statement.ts';
import type { ActivityType, RecordedActivity } from './activity.ts';

export interface ActivityFilter {
  wallet?: string | undefined;
  gameId?: string | undefined;
  type?: ActivityType | undefined;
}

type FilterValues = { wallet: string | null; gameId: string | null; type: string | null };
type PageValues = FilterValues & { limit: number; skip: number };
type Key = { timestamp: number; id: string };

interface ActivityRow extends Omit<RecordedActivity, '_id'> {
  id: string;
}

/** The statements for one combination of filters, so that each can use the index that fits it. */
interface ListStatements {
  fromFirst: Statement<PageValues, ActivityRow>;
  /** Starting at a given row of the list, inclusive. */
  fromRow: Statement<PageValues & Key, ActivityRow>;
  writtenAfter: Statement<FilterValues & { rowid: number }, Key>;
}

const bookmarks = new KeysetBookmarks();

/** Newest first. */
export const listActivities = query(
  'listActivities',
  function* (read: Read, filter: ActivityFilter, { limit, skip }: Page): ReadSteps<RecordedActivity[]> {
    const { fromFirst, fromRow, writtenAfter } = statementsFor(filter);
    const { wallet = null, type = null } = filter;
    const gameId = filter.gameId === undefined ? null : comparableId(filter.gameId);
    const values = { wallet, gameId, type };
    const name = JSON.stringify([gameId, wallet, type]);
    const rows = yield* bookmarks.page<ActivityRow>(read, name, skip, {
      *lastWritten() {
        return yield* read.first(lastWritten, {});
      },
      *exists({ rowid, id }) {
        return (yield* read.first(rowExists, { rowid, id })) !== undefined;
      },
      *writtenAfter({ rowid }) {
        return yield* read.all(writtenAfter, { ...values, rowid });
      },
      *read(from, skip) {
        if (!from) return yield* read.all(fromFirst, { ...values, limit, skip });
        const { timestamp, id } = from;
        return yield* read.all(fromRow, { ...values, limit, skip, timestamp, id });
      },
    });
    return rows.map(({ id, ...row }) => ({ _id: id, ...row }));
  },
);

// PostgreSQL does not track the order in which rows were written, so there every page is counted from the first row.
const noRows = (columns: string) => `SELECT ${columns} FROM activities WHERE false`;
const lastWritten = statement<Record<never, never>, Written>({
  sqlite: 'SELECT rowid, id FROM activities ORDER BY rowid DESC LIMIT 1',
  postgres: noRows('0 AS rowid, id'),
});
const rowExists = statement<{ rowid: number; id: string }, { found: 1 }>({
  sqlite: 'SELECT 1 AS found FROM activities WHERE rowid = @rowid AND id = @id',
  postgres: noRows('1 AS found'),
});

const byConditions = new Map<string, ListStatements>();

function statementsFor(filter: ActivityFilter): ListStatements {
  const conditions = [
    filter.wallet !== undefined && 'wallet = @wallet',
    filter.gameId !== undefined && 'game_id = @gameId',
    filter.type !== undefined && 'type = @type',
  ].filter((condition) => condition !== false);
  const key = conditions.join(' AND ');
  let statements = byConditions.get(key);
  if (!statements) {
    statements = {
      fromFirst: statement(pageWhere(conditions)),
      fromRow: statement(pageWhere([...conditions, '(timestamp, id) <= (@timestamp, @id)'])),
      writtenAfter: statement({
        sqlite: `SELECT timestamp, id FROM activities
          ${where(['rowid > @rowid', ...conditions.map((one) => `+${one}`)])}`,
        postgres: noRows('timestamp, id'),
      }),
    };
    byConditions.set(key, statements);
  }
  return statements;
}

/** The index covers the ordering, so only the rows of the page are read. */
function pageWhere(conditions: readonly string[]): { sqlite: string; postgres: string } {
  const text = (key: string, join: string) => `SELECT a.id, a.label, a.wallet AS "normalizedAddress",
      a.event_id AS "eventId", a.game_id AS "gameId", a.timestamp, a.type, g.name AS "gameName", g.slug AS "gameSlug",
      p.user_id AS "userId", p.username
    FROM (SELECT ${key} AS key FROM activities ${where(conditions)}
          ORDER BY timestamp DESC, id DESC LIMIT @limit OFFSET @skip) AS page
    ${join} activities AS a ON a.${key} = page.key
    JOIN games AS g ON g.id = a.game_id
    JOIN players AS p ON p.wallet = a.wallet
    ORDER BY a.timestamp DESC, a.id DESC`;
  return { sqlite: text('rowid', 'CROSS JOIN'), postgres: text('id', 'JOIN') };
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}
