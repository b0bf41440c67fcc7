import { comparableId } from '../../core/schemas/ids.ts';
import type { Page } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, type Statement, statement } from '../../core/storage/query.ts';
import type { ActivityType, RecordedActivity } from './activity.ts';

export interface ActivityFilter {
  wallet?: string | undefined;
  gameId?: string | undefined;
  type?: ActivityType | undefined;
}

type PageValues = {
  wallet: string | null;
  gameId: string | null;
  type: string | null;
  limit: number;
  skip: number;
};

interface ActivityRow extends Omit<RecordedActivity, '_id'> {
  id: string;
}

/** Newest first. */
export const listActivities = query(
  'listActivities',
  function* (read, filter: ActivityFilter, { limit, skip }: Page): ReadSteps<RecordedActivity[]> {
    const { wallet = null, type = null } = filter;
    const gameId = filter.gameId === undefined ? null : comparableId(filter.gameId);
    const rows = yield* read.all(pageFor(filter), { wallet, gameId, type, limit, skip });
    return rows.map(({ id, ...row }) => ({ _id: id, ...row }));
  },
);

const pages = new Map<string, Statement<PageValues, ActivityRow>>();

/** One statement for each combination of filters, so that each can use the index that fits it. */
function pageFor(filter: ActivityFilter): Statement<PageValues, ActivityRow> {
  const conditions = [
    filter.wallet !== undefined && 'wallet = @wallet',
    filter.gameId !== undefined && 'game_id = @gameId',
    filter.type !== undefined && 'type = @type',
  ].filter((condition) => condition !== false);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  let page = pages.get(where);
  if (!page) {
    page = statement(pageWhere(where));
    pages.set(where, page);
  }
  return page;
}

/** The index covers the ordering, so only the rows of the page are read. */
function pageWhere(where: string): { sqlite: string; postgres: string } {
  const text = (key: string, join: string) => `SELECT a.id, a.label, a.wallet AS "normalizedAddress",
      a.event_id AS "eventId", a.game_id AS "gameId", a.timestamp, a.type, g.name AS "gameName", g.slug AS "gameSlug",
      p.user_id AS "userId", p.username
    FROM (SELECT ${key} AS key FROM activities ${where}
          ORDER BY timestamp DESC, id DESC LIMIT @limit OFFSET @skip) AS page
    ${join} activities AS a ON a.${key} = page.key
    JOIN games AS g ON g.id = a.game_id
    JOIN players AS p ON p.wallet = a.wallet
    ORDER BY a.timestamp DESC, a.id DESC`;
  return { sqlite: text('rowid', 'CROSS JOIN'), postgres: text('id', 'JOIN') };
}
