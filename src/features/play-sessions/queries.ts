import { comparableId } from '../../core/schemas/ids.ts';
import type { GameFilter } from '../../core/schemas/owner.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { PlaySessionSummary } from './play-session.ts';

/** A game's play sessions without their states, most recently started first; of one player if a wallet is given. */
export const listGamePlaySessions = query(
  'listGamePlaySessions',
  function* (read, { gameId, wallet }: GameFilter, page: Page): ReadSteps<Paged<PlaySessionSummary>> {
    const filter = { gameId, from: wallet ?? '', to: wallet ?? '~' };
    const counted = yield* read.first(countOfGame, filter);
    const rows = yield* read.all(selectOfGame, { ...filter, limit: page.limit, skip: page.skip });
    return { total: counted?.total ?? 0, rows: [...rows] };
  },
);

/** A play session of any player with its state; null when there is none. */
export const findPlaySession = query('findPlaySession', function* (read, sessionId: string): ReadSteps<
  (PlaySessionSummary & { state: string }) | null
> {
  return (yield* read.first(selectOne, { sessionId: comparableId(sessionId) })) ?? null;
});

/** One player's rows, or all rows when the bounds span every address. */
const matching = 'game_id = @gameId AND wallet BETWEEN @from AND @to';
const summary = `p.id AS "sessionId", p.game_id AS "gameId", p.wallet AS "normalizedAddress",
  p.started_at AS "startedAt", p.updated_at AS "updatedAt", p.end_time AS "endTime", octet_length(p.state) AS bytes`;

const countOfGame = statement<{ gameId: string; from: string; to: string }, { total: number }>(
  `SELECT count(*) AS total FROM play_sessions WHERE ${matching}`,
);
// The index covers the ordering, so only the rows of the page are read.
const pageText = (key: string) =>
  `SELECT ${summary} FROM (SELECT ${key} AS place FROM play_sessions WHERE ${matching}
      ORDER BY started_at DESC, ${key} DESC LIMIT @limit OFFSET @skip) AS page JOIN play_sessions AS p ON p.${key} = page.place
    ORDER BY p.started_at DESC, p.${key} DESC`;
const selectOfGame = statement<
  { gameId: string; from: string; to: string; limit: number; skip: number },
  PlaySessionSummary
>({ sqlite: pageText('rowid'), postgres: pageText('id') });
const selectOne = statement<{ sessionId: string }, PlaySessionSummary & { state: string }>(
  `SELECT ${summary}, p.state FROM play_sessions AS p WHERE p.id = @sessionId`,
);
