import { comparableId } from '../../core/schemas/ids.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import {
  columnsOf,
  query,
  type Read,
  type ReadSteps,
  statement,
  statementsBy,
} from '../../core/storage/query.ts';
import { type ActionFilter, type ListedAction, toListedAction } from './action.ts';
import { type ActionRow, actions } from './tables.ts';

/** The open actions of one kind. */
export interface QueueDepth {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** When the oldest of them was created, in Unix milliseconds. */
  oldestAt: number;
}

export const findAction = query(
  'findAction',
  function* (read, actionId: string): ReadSteps<ListedAction | null> {
    const row = yield* read.get(actions, actionId);
    return row ? toListedAction(row) : null;
  },
);

/** Newest first. */
export const readActions = query('readActions', function* (read, filter: ActionFilter, page: Page): ReadSteps<
  Paged<ListedAction>
> {
  const { gameId = null, wallet = null, kind = null, state = null } = filter;
  const given = { gameId, wallet, kind, state };
  const { total, rows } = yield* readActionPage(read, given, page);
  return { total, rows: rows.map(toListedAction) };
});

/** How many actions of all kinds are queued or submitted; as cheap as possible, for frequent polling. */
export const countOpenActions = query('countOpenActions', function* (read): ReadSteps<number> {
  return yield* read.count(actions.open, []);
});

/** One row for each kind with open actions. */
export const readQueueDepths = query('readQueueDepths', function* (read): ReadSteps<readonly QueueDepth[]> {
  return yield* read.all(depthByKind, {});
});

const depthByKind = statement<Record<string, never>, QueueDepth>(
  `SELECT kind, count(*) AS depth, min(created_at) AS "oldestAt" FROM actions WHERE ended_at IS NULL GROUP BY kind`,
);

type Filter = Record<'gameId' | 'wallet' | 'kind' | 'state' | 'lane', string | null>;

const conditions: Readonly<Record<keyof Filter, string>> = {
  gameId: 'game_id = @gameId',
  wallet: 'wallet = @wallet',
  kind: 'kind = @kind',
  state: 'state = @state',
  lane: 'lane = @lane',
};

const listsBy = statementsBy((where) => ({
  count: statement<Filter, { total: number }>(`SELECT count(*) AS total FROM actions ${where}`),
  page: statement<Filter & { limit: number; skip: number }, ActionRow>(
    `SELECT ${columnsOf(actions)} FROM actions ${where} ORDER BY created_at DESC, id DESC LIMIT @limit OFFSET @skip`,
  ),
}));

/**
 * A page of actions, newest first; `also`: further SQL conditions. Each set of filters has its own statement, so that
 * an index fits.
 */
export function* readActionPage(
  read: Read,
  filter: Partial<Filter>,
  page: Page,
  also: readonly string[] = [],
): ReadSteps<Paged<ActionRow>> {
  const { gameId = null, wallet = null, kind = null, state = null, lane = null } = filter;
  const given: Filter = { gameId: gameId && comparableId(gameId), wallet, kind, state, lane };
  const wanted = Object.entries(conditions).filter(([name]) => given[name as keyof Filter] !== null);
  const { count, page: list } = listsBy([...also, ...wanted.map(([, condition]) => condition)]);
  const counted = yield* read.first(count, given);
  const rows = yield* read.all(list, { ...given, limit: page.limit, skip: page.skip });
  return { total: counted?.total ?? 0, rows: [...rows] };
}
