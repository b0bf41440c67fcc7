import { streamOf } from '../core/events/stream.ts';
import type { Owner } from '../core/schemas/owner.ts';
import type { Page } from '../core/schemas/paging.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import type { AnyTable } from '../core/storage/table.ts';
import { players } from '../players/tables.ts';
import { defaultLeaderboard, type LeaderboardRules, maxLeaderboards } from './leaderboard.ts';
import {
  type EntryRow,
  type LeaderboardRow,
  leaderboardEntries,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  type SeasonRow,
} from './leaderboard-tables.ts';
import { readRowsAround } from './queries.ts';
import { entriesAround, entryPage, toRankedScore } from './ranked-entries.ts';
import type { PlacedScore, RankedScore, ScoreRecord } from './score.ts';
import { entryToRecord, toRecord } from './stored-leaderboard.ts';
import { toScoreRecord } from './stored-score.ts';
import { type BoardRow, board as defaultBoard, scores } from './tables.ts';

/** How many rows of pages are remembered, over all boards. */
const rememberedRows = 20_000;

/** What is ranked together: a season of a leaderboard, all of it or those with a label; or `default` of a game. */
export interface Board extends Pick<LeaderboardRules, 'order' | 'entries'> {
  gameId: string;
  leaderboard: string;
  /** 0: of `default`. */
  season: number;
  seasonId: string;
  label: string | undefined;
  /** What its rows are ranked under. */
  group: string;
}

export const findLeaderboard = query(
  'findLeaderboard',
  function* (read: Read, gameId: string, name: string): ReadSteps<LeaderboardRow | null> {
    return (yield* read.get(leaderboards, gameId, name)) ?? null;
  },
  { max: 10_000, keyOf: (gameId, name) => `${gameId} ${name}` },
);

/** A game's leaderboards that have a name, in its order. */
export const listLeaderboardRows = query(
  'listLeaderboardRows',
  function* (read: Read, gameId: string): ReadSteps<readonly LeaderboardRow[]> {
    return yield* read.list(leaderboards.byGame, [gameId], { limit: maxLeaderboards });
  },
);

/** A season that is over. */
export const findSeason = query(
  'findSeason',
  function* (read: Read, gameId: string, leaderboard: string, season: number): ReadSteps<SeasonRow | null> {
    return (yield* read.get(leaderboardSeasons, gameId, leaderboard, season)) ?? null;
  },
);

/** Seasons that are over, the last one first. */
export const listSeasons = query(
  'listSeasons',
  function* (
    read: Read,
    gameId: string,
    leaderboard: string,
    { limit, skip }: Page,
  ): ReadSteps<readonly SeasonRow[]> {
    return yield* read.list(leaderboardSeasons.byLeaderboard, [gameId, leaderboard], {
      limit,
      skip,
      last: true,
    });
  },
);

/** How many seasons that are over are kept. */
export const countSeasons = query(
  'countSeasons',
  function* (read: Read, gameId: string, leaderboard: string): ReadSteps<number> {
    return yield* read.count(leaderboardSeasons.byLeaderboard, [gameId, leaderboard]);
  },
);

/** Leaderboards whose season is to be over by now; at most `limit`. */
export const listDueSeasons = query('listDueSeasons', function* (read: Read, limit: number): ReadSteps<
  readonly LeaderboardRow[]
> {
  const first = yield* read.list(leaderboards.byEnd, [], { limit });
  return first.filter(({ nextEndAt }) => nextEndAt <= read.now);
});

/** A page of a board, the best first. The same frozen array again while nothing in it has changed. */
export const readBoardPage = query(
  'readBoardPage',
  function* (read: Read, board: Board, page: Page): ReadSteps<readonly RankedScore[]> {
    const table = leaderboardEntries as AnyTable;
    const boardId = yield* read.groupKey(table, board.group);
    if (boardId === null) return Object.freeze([]);
    const near = yield* read.near(table, board.group, page.skip);
    const [score = null, reachedAt = null, id = null] = near.from;
    const { limit } = page;
    const rows = yield* read.all(entryPage, { boardId, score, reachedAt, id, limit, skip: near.skip });
    return Object.freeze(rows.map((row) => toRankedScore(row, board)));
  },
  {
    max: rememberedRows,
    keyOf: ({ group }, { limit, skip }) => `${group} ${skip} ${limit}`,
    group: ({ group }) => ({ table: leaderboardEntries as AnyTable, group }),
    weightOf: (rows) => (Array.isArray(rows) ? rows.length + 1 : 1),
  },
);

/** A player's place on a board, of the best entry, counted from 1; null: the player is not on it. */
export const readPlace = query('readPlace', function* (read: Read, board: Board, wallet: string): ReadSteps<
  number | null
> {
  const standing = yield* standingOf(read, board, wallet);
  return standing && (yield* placeOf(read, standing));
});

/**
 * The rows around a player's, of which there are `limit`, with their places, as of one moment; null: the player is not on the
 * board. The player's is in the middle, or nearer to the top where fewer are above.
 */
export const readAround = query(
  'readAround',
  function* (read: Read, board: Board, wallet: string, limit: number): ReadSteps<PlacedScore[] | null> {
    return yield* read.inOneView(function* () {
      const standing = yield* standingOf(read, board, wallet);
      if (!standing) return null;
      const place = yield* placeOf(read, standing);
      const above = Math.min(place - 1, Math.floor((limit - 1) / 2));
      const rows = yield* rowsAround(read, board, standing, { above, below: limit - above });
      return rows.map((row, index) => ({ ...row, position: place - above + index }));
    });
  },
);

/** Those of the given players who are on a board, with their places on it, the best first; as of one moment. */
export const readAmong = query(
  'readAmong',
  function* (read: Read, board: Board, wallets: readonly string[]): ReadSteps<PlacedScore[]> {
    return yield* read.inOneView(function* () {
      const found: PlacedScore[] = [];
      for (const wallet of new Set(wallets)) {
        const standing = yield* standingOf(read, board, wallet);
        if (!standing) continue;
        const record = yield* scoreOf(read, board, wallet, standing);
        if (!record) continue;
        const profile = yield* read.get(players, wallet);
        const { username = '', avatar = '' } = profile ?? {};
        found.push({ ...record, username, avatar, position: yield* placeOf(read, standing) });
      }
      return found.sort((one, other) => one.position - other.position);
    });
  },
);

/** What counts of a player on a board with a name, or the record under a nonce; null where there is none. */
export const findBoardScore = query(
  'findBoardScore',
  function* (read: Read, board: Board, owner: Owner, nonce?: string): ReadSteps<ScoreRecord | null> {
    if (nonce === undefined) {
      const standing = yield* standingOf(read, board, owner.wallet);
      return (standing && (yield* scoreOf(read, board, owner.wallet, standing))) ?? null;
    }
    const stream = streamOf.player(owner.gameId, owner.wallet);
    const byNonce = yield* read.get(leaderboardRecords.byNonce, board.seasonId, stream, nonce);
    const row = byNonce ?? (yield* read.get(leaderboardRecords, nonce));
    const isOwn = row?.stream === stream && row.board === board.seasonId && (byNonce || row.nonce === null);
    return row && isOwn ? toRecord(row, owner, placeIn(board)) : null;
  },
);

/** A player's records in a season, last set first. */
export const listBoardScores = query(
  'listBoardScores',
  function* (read: Read, board: Board, owner: Owner, { limit, skip }: Page): ReadSteps<ScoreRecord[]> {
    const prefix = [streamOf.player(owner.gameId, owner.wallet), board.seasonId];
    const rows = yield* read.list(leaderboardRecords.byUpdate, prefix, { limit, skip, last: true });
    return rows.map((row) => toRecord(row, owner, placeIn(board)));
  },
);

/** How many records a player has in a season. */
export const countBoardScores = query(
  'countBoardScores',
  function* (read: Read, board: Board, { gameId, wallet }: Owner): ReadSteps<number> {
    return yield* read.count(leaderboardRecords.byUpdate, [streamOf.player(gameId, wallet), board.seasonId]);
  },
);

/** What counts of a player: on `default`, or on a board with a name. */
type Standing = { counting: BoardRow } | { entry: EntryRow };

function* standingOf(read: Read, board: Board, wallet: string): ReadSteps<Standing | null> {
  const stream = streamOf.player(board.gameId, wallet);
  if (board.leaderboard === defaultLeaderboard) {
    const counting = yield* read.get(defaultBoard, stream);
    return counting ? { counting } : null;
  }
  const entry = yield* entryOf(read, board, stream);
  return entry ? { entry } : null;
}

/** The place, counted from 1. */
function* placeOf(read: Read, standing: Standing): ReadSteps<number> {
  if ('counting' in standing) return (yield* read.countBefore(defaultBoard, standing.counting)) + 1;
  return (yield* read.countBefore(leaderboardEntries, standing.entry)) + 1;
}

function* scoreOf(
  read: Read,
  board: Board,
  wallet: string,
  standing: Standing,
): ReadSteps<ScoreRecord | undefined> {
  const owner = { gameId: board.gameId, wallet };
  if ('entry' in standing) return entryToRecord(standing.entry, owner, placeIn(board), board.order);
  const score = yield* read.get(scores, standing.counting.scoreId);
  return score && toScoreRecord(score, owner);
}

/** What counts of a player; of several, the best. */
function* entryOf(read: Read, board: Board, stream: string): ReadSteps<EntryRow | undefined> {
  if (board.entries === 'player') return yield* read.get(leaderboardEntries, board.group, stream, '');
  if (board.label === undefined) {
    const [best] = yield* read.list(leaderboardRecords.byScore, [board.seasonId, stream], { limit: 1 });
    return best && (yield* read.get(leaderboardEntries, board.group, stream, best.id));
  }
  const boardId = yield* read.groupKey(leaderboardEntries as AnyTable, board.group);
  const streamId = yield* read.streamKey(stream);
  if (boardId === null || streamId === null) return undefined;
  const best = yield* read.first(bestEntry, { boardId, streamId });
  return best && (yield* read.get(leaderboardEntries, board.group, stream, best.entry));
}

/** From the row of what counts of a player on: the rows above it, and those from it on. */
function* rowsAround(
  read: Read,
  board: Board,
  standing: Standing,
  limits: { above: number; below: number },
): ReadSteps<readonly RankedScore[]> {
  if ('counting' in standing) return yield* readRowsAround(read, standing.counting, limits);
  const { sortScore: score, reachedAt, scoreId: id } = standing.entry;
  const boardId = yield* read.groupKey(leaderboardEntries as AnyTable, board.group);
  if (boardId === null) return [];
  const rows = yield* read.all(entriesAround, { boardId, score, reachedAt, id, ...limits });
  return rows.map((row) => toRankedScore(row, board));
}

function placeIn({ leaderboard, season }: Board) {
  return { leaderboard, season };
}

const bestEntry = statement<{ boardId: string | number; streamId: string | number }, { entry: string }>(
  `SELECT entry FROM leaderboard_entries WHERE board_id = @boardId AND stream_id = @streamId
    ORDER BY sort_score, reached_at, score_id LIMIT 1`,
);
