import { streamOf } from '../../core/events/stream.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
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
import { rankedScores, toRankedScore } from './queries.ts';
import { entryPage, rankedEntries, toRankedEntry } from './ranked-entries.ts';
import type { PlacedScore, RankedScore, ScoreRecord } from './score.ts';
import { entryToRecord, toRecord } from './stored-leaderboard.ts';
import { toScoreRecord } from './stored-score.ts';
import { type BoardRow, board as defaultBoard, scores } from './tables.ts';

/** Maximum rows of cached pages, over all boards. */
const maxCachedRows = 20_000;

/**
 * What is ranked together: a season of a leaderboard, all of it or only the scores with a label; or a game's `default`.
 */
export interface Board extends Pick<LeaderboardRules, 'order' | 'entries'> {
  gameId: string;
  leaderboard: string;
  /** 0 for `default`. */
  season: number;
  seasonId: string;
  label: string | undefined;
  /** The ranked group of its rows. */
  group: string;
}

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
  function* (read, board: Board, page: Page): ReadSteps<readonly RankedScore[]> {
    const boardId = yield* read.groupKey(leaderboardEntries, board.group);
    if (boardId === null) return Object.freeze([]);
    const near = yield* read.near(leaderboardEntries, board.group, page.skip);
    const [score = null, reachedAt = null, id = null] = near.from;
    const { limit } = page;
    const rows = yield* read.all(entryPage, { boardId, score, reachedAt, id, limit, skip: near.skip });
    return Object.freeze(rows.map((row) => toRankedEntry(row, board)));
  },
  {
    max: maxCachedRows,
    keyOf: ({ group }, { limit, skip }) => `${group} ${skip} ${limit}`,
    group: ({ group }) => ({ table: leaderboardEntries, group }),
    weightOf: (rows) => (Array.isArray(rows) ? rows.length + 1 : 1),
  },
);

/** A player's place on a board, from 1, by the best entry; null: the player is not on it. */
export const readPlace = query('readPlace', function* (read, board: Board, wallet: string): ReadSteps<
  number | null
> {
  const ranked = yield* findRankedRow(read, board, wallet);
  return ranked && (yield* placeOf(read, ranked));
});

/**
 * `limit` rows around a player's, with their places, from one snapshot; null: the player is not on the board. The
 * player's row is in the middle, or nearer to the top when fewer rows are above.
 */
export const readAround = query(
  'readAround',
  function* (read, board: Board, wallet: string, limit: number): ReadSteps<PlacedScore[] | null> {
    const stream = streamOf.player(board.gameId, wallet);
    if (board.leaderboard === defaultLeaderboard) {
      const around = yield* read.around(rankedScores, [stream], limit);
      return around && placed(around, (row) => toRankedScore(row, board.gameId));
    }
    const aroundEntry = function* (entry: string) {
      const around = yield* read.around(rankedEntries, [board.group, stream, entry], limit);
      return around && placed(around, (row) => toRankedEntry(row, board));
    };
    if (board.entries === 'player') return yield* aroundEntry('');
    return yield* read.inOneView(function* () {
      const best = yield* findEntry(read, board, stream);
      return best ? yield* aroundEntry(best.entry) : null;
    });
  },
);

function placed<Row>(
  { first, rows }: { first: number; rows: readonly Row[] },
  toScore: (row: Row) => RankedScore,
): PlacedScore[] {
  return rows.map((row, index) => ({ ...toScore(row), position: first + index + 1 }));
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
        const record = yield* scoreOf(read, board, wallet, ranked);
        if (!record) continue;
        const profile = yield* read.get(players, wallet);
        const { username = '', avatar = '' } = profile ?? {};
        found.push({ ...record, username, avatar, position: yield* placeOf(read, ranked) });
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
      return (ranked && (yield* scoreOf(read, board, owner.wallet, ranked))) ?? null;
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

/** What ranks a player: a row of `default`, or an entry of a named board. */
type RankedRow = { boardRow: BoardRow } | { entry: EntryRow };

function* findRankedRow(read: Read, board: Board, wallet: string): ReadSteps<RankedRow | null> {
  const stream = streamOf.player(board.gameId, wallet);
  if (board.leaderboard === defaultLeaderboard) {
    const boardRow = yield* read.get(defaultBoard, stream);
    return boardRow ? { boardRow } : null;
  }
  const entry = yield* findEntry(read, board, stream);
  return entry ? { entry } : null;
}

/** The place, counted from 1. */
function* placeOf(read: Read, ranked: RankedRow): ReadSteps<number> {
  if ('boardRow' in ranked) return (yield* read.countBefore(defaultBoard, ranked.boardRow)) + 1;
  return (yield* read.countBefore(leaderboardEntries, ranked.entry)) + 1;
}

function* scoreOf(
  read: Read,
  board: Board,
  wallet: string,
  ranked: RankedRow,
): ReadSteps<ScoreRecord | undefined> {
  const owner = { gameId: board.gameId, wallet };
  if ('entry' in ranked) return entryToRecord(ranked.entry, owner, seasonRef(board), board.order);
  const score = yield* read.get(scores, ranked.boardRow.scoreId);
  return score && toScoreRecord(score, owner);
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
