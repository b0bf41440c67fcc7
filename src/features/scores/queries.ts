import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import { type BoardKey, pageRows } from './board-rows.ts';
import { ownRecord } from './commands.ts';
import type { RankedScore, ScoreRecord } from './score.ts';
import { toScoreRecord } from './stored-score.ts';
import { board, type ScoreRow, scores } from './tables.ts';

/** Maximum rows of cached pages, over all games. */
const maxCachedRows = 20_000;

interface LeaderboardRow extends Pick<ScoreRow, 'id' | 'nonce' | 'score' | 'updatedAt'> {
  wallet: string;
  username: string;
  avatar: string;
}

/** The most recently set record, or the one under `nonce`; null when there is none. */
export const findScore = query(
  'findScore',
  function* (read, owner: Owner, nonce?: string): ReadSteps<ScoreRecord | null> {
    const [found] = yield* recordsOf(read, owner, { limit: 1, skip: 0 }, nonce);
    return found ?? null;
  },
);

/** A player's records, most recently set first; or the one under `nonce`. */
export const listScores = query('listScores', recordsOf);

/** How many records a player has. */
export const countScores = query(
  'countScores',
  function* (read, { gameId, wallet }: Owner): ReadSteps<number> {
    return yield* read.count(scores.byUpdate, [streamOf.player(gameId, wallet)]);
  },
);

/**
 * One row per player, ranked by the game's policy; ties go to the player who reached the score first, then by id.
 * Returns the same frozen array while nothing in it has changed.
 */
export const readLeaderboard = query(
  'readLeaderboard',
  function* (read, gameId: string, { limit, skip }: Page): ReadSteps<readonly RankedScore[]> {
    const boardId = yield* read.groupKey(board, gameId);
    if (boardId === null) return Object.freeze([]);
    const near = yield* read.near(board, gameId, skip);
    const [score = null, reachedAt = null, id = null] = near.from;
    const rows = yield* read.all(leaderboardPage, { boardId, score, reachedAt, id, limit, skip: near.skip });
    return Object.freeze(rows.map((row) => toRankedScore(row, gameId)));
  },
  {
    max: maxCachedRows,
    keyOf: (gameId, { limit, skip }) => `${gameId} ${skip} ${limit}`,
    group: (gameId) => ({ table: board, group: gameId }),
    weightOf: (rows) => (Array.isArray(rows) ? rows.length + 1 : 1),
  },
);

/** The player's place on the leaderboard, from 1; null without a score. */
export const readPosition = query('readPosition', function* (read, owner: Owner): ReadSteps<number | null> {
  const row = yield* read.get(board, streamOf.player(owner.gameId, owner.wallet));
  return row ? (yield* read.countBefore(board, row)) + 1 : null;
});

export function toRankedScore(
  { wallet, username, avatar, ...row }: LeaderboardRow,
  gameId: string,
): RankedScore {
  return { ...toScoreRecord(row, { gameId, wallet }), username, avatar };
}

const columns = 'stream_id, score_id, sort_score, reached_at';

const withScores = (
  rows: string,
  also = '',
) => `SELECT ${also}c.id, c.nonce, c.score, c.updated_at AS "updatedAt", s.wallet,
      coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
    FROM (${rows}) AS b
    JOIN scores AS c ON c.id = b.score_id
    JOIN streams AS s ON s.id = b.stream_id
    LEFT JOIN players AS p ON p.wallet = s.wallet
    ORDER BY b.sort_score, b.reached_at, b.score_id`;

const leaderboardPage = statement<BoardKey & { limit: number; skip: number }, LeaderboardRow>(
  withScores(pageRows(board.name, columns)),
);

/** Ranked rows with their scores and players' profiles. */
export const rankedScores: RankedRows<LeaderboardRow> = { table: board, select: withScores };

function* recordsOf(
  read: Read,
  owner: Owner,
  { limit, skip }: Page,
  nonce?: string,
): ReadSteps<ScoreRecord[]> {
  const stream = streamOf.player(owner.gameId, owner.wallet);
  if (nonce === undefined) {
    const rows = yield* read.list(scores.byUpdate, [stream], { limit, skip, last: true });
    return rows.map((row) => toScoreRecord(row, owner));
  }
  const row =
    (yield* read.get(scores.byNonce, stream, nonce)) ?? ownRecord(yield* read.get(scores, nonce), stream);
  return row && skip === 0 && limit > 0 ? [toScoreRecord(row, owner)] : [];
}
