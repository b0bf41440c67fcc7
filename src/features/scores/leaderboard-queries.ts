import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadRequest, type ReadSteps, statement } from '../../core/storage/query.ts';
import { players } from '../players/tables.ts';
import { type Board, isDefault, rankedRowsOf, toRankedScore } from './board-rows.ts';
import { maxLeaderboards } from './leaderboard.ts';
import {
  type EntryRow,
  type LeaderboardRow,
  leaderboardEntries,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  type SeasonRow,
} from './leaderboard-tables.ts';
import type { PlacedScore, RankedScore, ScoreRecord } from './score.ts';
import { entryToRecord, toRecord } from './stored-leaderboard.ts';
import { board as defaultBoard, scores, toScoreRecord } from './tables.ts';

/** Maximum rows of cached pages, over all boards. */
const maxCachedRows = 40_000;

export const findLeaderboard = query(
  'findLeaderboard',
  function* (read, gameId: string, name: string): ReadSteps<LeaderboardRow | null> {
    return (yield* read.get(leaderboards, gameId, name)) ?? null;
  },
  { max: 10_000, keyOf: (gameId, name) => `${gameId} ${name}` },
);

/** A game's named leaderboards, by name. */
export const listLeaderboardRows = query('listLeaderboardRows', function* (read, gameId: string): ReadSteps<
  readonly LeaderboardRow[]
> {
  return yield* read.list(leaderboards.byGame, [gameId], { limit: maxLeaderboards });
});

/** A finished season; null when there is none. */
export const findSeason = query(
  'findSeason',
  function* (read, gameId: string, leaderboard: string, season: number): ReadSteps<SeasonRow | null> {
    return (yield* read.get(leaderboardSeasons, gameId, leaderboard, season)) ?? null;
  },
);

/** Finished seasons, latest first. */
export const listSeasons = query(
  'listSeasons',
  function* (
    read,
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

/** How many finished seasons are kept. */
export const countSeasons = query(
  'countSeasons',
  function* (read, gameId: string, leaderboard: string): ReadSteps<number> {
    return yield* read.count(leaderboardSeasons.byLeaderboard, [gameId, leaderboard]);
  },
);

/** Leaderboards whose current season is due to end, at most `limit`. */
export const listDueSeasons = query('listDueSeasons', function* (read, limit: number): ReadSteps<
  readonly LeaderboardRow[]
> {
  const first = yield* read.list(leaderboards.byEnd, [], { limit });
  return first.filter(({ nextEndAt }) => nextEndAt <= read.now);
});

/** A page of a board, best first. Returns the same frozen array while nothing in it has changed. */
export const readBoardPage = query(
  'readBoardPage',
  function* (read, board: Board, { limit, skip }: Page): ReadSteps<readonly RankedScore[]> {
    const wanted = { group: board.group, place: skip, limit };
    const rows = yield* read.fromPlace(rankedRowsOf(board), wanted);
    return Object.freeze(rows.map((row) => toRankedScore(row, board)));
  },
  {
    max: maxCachedRows,
    keyOf: ({ group }, { limit, skip }) => `${group} ${skip} ${limit}`,
    group: (board) => ({ table: rankedRowsOf(board).table, group: board.group }),
    weightOf: (rows) => (Array.isArray(rows) ? rows.length + 1 : 1),
  },
);

/** A player's place on a board, from 1, by the best entry; null: the player is not on it. */
export const readPlace = query('readPlace', function* (read, board: Board, wallet: string): ReadSteps<
  number | null
> {
  const { group } = board;
  const place = yield* atBestRow(read, board, wallet, (key) =>
    read.placeOf(rankedRowsOf(board), { group, key }),
  );
  return place === null ? null : place + 1;
});

/**
 * `limit` rows around a player's, or all of a smaller board, with their places, from one snapshot; null: the player is
 * not on the board. The player's row is in the middle, except near either end.
 */
export const readAround = query(
  'readAround',
  function* (read, board: Board, wallet: string, limit: number): ReadSteps<PlacedScore[] | null> {
    const { group } = board;
    const around = yield* atBestRow(read, board, wallet, (key) =>
      read.around(rankedRowsOf(board), { group, key, limit }),
    );
    if (!around) return null;
    const { first, rows } = around;
    return rows.map((row, index) => ({ ...toRankedScore(row, board), position: first + index + 1 }));
  },
);

/** What is read by the key of a player's row, of several the best, from one snapshot; null: the player has none. */
function* atBestRow<Result>(
  read: Read,
  board: Board,
  wallet: string,
  readBy: (key: readonly string[]) => ReadRequest<Result | null>,
): ReadSteps<Result | null> {
  const stream = streamOf.player(board.gameId, wallet);
  if (isDefault(board)) return yield* readBy([stream]);
  if (board.entries === 'player') return yield* readBy([board.group, stream, '']);
  return yield* read.inOneView(function* () {
    const best = yield* findEntry(read, board, stream);
    return best ? yield* readBy([board.group, stream, best.entry]) : null;
  });
}

/** The rows of the given players who are on a board, with their places, best first, from one snapshot. */
export const readAmong = query(
  'readAmong',
  function* (read, board: Board, wallets: readonly string[]): ReadSteps<PlacedScore[]> {
    return yield* read.inOneView(function* () {
      const found: PlacedScore[] = [];
      for (const wallet of new Set(wallets)) {
        const ranked = yield* findRankedRow(read, board, wallet);
        if (!ranked) continue;
        const record = yield* ranked.record();
        if (!record) continue;
        const profile = yield* read.get(players, wallet);
        const { username = '', avatar = '' } = profile ?? {};
        found.push({ ...record, username, avatar, position: (yield* ranked.before()) + 1 });
      }
      return found.sort((one, other) => one.position - other.position);
    });
  },
);

/** A player's ranked score on a named board, or the record under a nonce; null when there is none. */
export const findBoardScore = query(
  'findBoardScore',
  function* (read, board: Board, owner: Owner, nonce?: string): ReadSteps<ScoreRecord | null> {
    if (nonce === undefined) {
      const ranked = yield* findRankedRow(read, board, owner.wallet);
      return (ranked && (yield* ranked.record())) ?? null;
    }
    const stream = streamOf.player(owner.gameId, owner.wallet);
    const byNonce = yield* read.get(leaderboardRecords.byNonce, board.seasonId, stream, nonce);
    const row = byNonce ?? (yield* read.get(leaderboardRecords, nonce));
    const isOwn = row?.stream === stream && row.board === board.seasonId && (byNonce || row.nonce === null);
    return row && isOwn ? toRecord(row, owner, seasonRef(board)) : null;
  },
);

/** A player's records in a season, most recently set first. */
export const listBoardScores = query(
  'listBoardScores',
  function* (read, board: Board, owner: Owner, { limit, skip }: Page): ReadSteps<ScoreRecord[]> {
    const prefix = [streamOf.player(owner.gameId, owner.wallet), board.seasonId];
    const rows = yield* read.list(leaderboardRecords.byUpdate, prefix, { limit, skip, last: true });
    return rows.map((row) => toRecord(row, owner, seasonRef(board)));
  },
);

/** How many records a player has in a season. */
export const countBoardScores = query(
  'countBoardScores',
  function* (read, board: Board, { gameId, wallet }: Owner): ReadSteps<number> {
    return yield* read.count(leaderboardRecords.byUpdate, [streamOf.player(gameId, wallet), board.seasonId]);
  },
);

/** A player's row on a board; of several, the best. */
interface Ranked {
  /** How many rows are ranked before it. */
  before(): ReadRequest<number>;
  record(): ReadSteps<ScoreRecord | undefined>;
}

function* findRankedRow(read: Read, board: Board, wallet: string): ReadSteps<Ranked | null> {
  const stream = streamOf.player(board.gameId, wallet);
  if (isDefault(board)) {
    const row = yield* read.get(defaultBoard, stream);
    if (!row) return null;
    const record = function* () {
      const score = yield* read.get(scores, row.scoreId);
      return score && toScoreRecord(score, { gameId: board.gameId, wallet });
    };
    return { before: () => read.countBefore(defaultBoard, row), record };
  }
  const entry = yield* findEntry(read, board, stream);
  if (!entry) return null;
  // biome-ignore lint/correctness/useYield: the entry has everything
  const record = function* () {
    return entryToRecord(entry, wallet, board);
  };
  return { before: () => read.countBefore(leaderboardEntries, entry), record };
}

/** The player's entry; of several, the best. */
function* findEntry(read: Read, board: Board, stream: string): ReadSteps<EntryRow | undefined> {
  if (board.entries === 'player') return yield* read.get(leaderboardEntries, board.group, stream, '');
  if (board.label === undefined) {
    const [best] = yield* read.list(leaderboardRecords.byScore, [board.seasonId, stream], { limit: 1 });
    return best && (yield* read.get(leaderboardEntries, board.group, stream, best.id));
  }
  const boardId = yield* read.groupKey(leaderboardEntries, board.group);
  const streamId = yield* read.streamKey(stream);
  if (boardId === null || streamId === null) return undefined;
  const best = yield* read.first(bestEntry, { boardId, streamId });
  return best && (yield* read.get(leaderboardEntries, board.group, stream, best.entry));
}

function seasonRef({ leaderboard, season }: Board) {
  return { leaderboard, season };
}

const bestEntry = statement<{ boardId: string | number; streamId: string | number }, { entry: string }>(
  `SELECT entry FROM leaderboard_entries WHERE board_id = @boardId AND stream_id = @streamId
    ORDER BY sort_score, reached_at, score_id LIMIT 1`,
);
