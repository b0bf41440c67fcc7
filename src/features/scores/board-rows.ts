import type { RankedRows } from '../../core/storage/ranked-rows.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { defaultLeaderboard, type LeaderboardRules } from './leaderboard.ts';
import { leaderboardEntries } from './leaderboard-tables.ts';
import type { RankedScore } from './score.ts';
import { entryToRecord } from './stored-leaderboard.ts';
import { board as defaultBoard } from './tables.ts';

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

export function isDefault({ leaderboard }: Pick<Board, 'leaderboard'>): boolean {
  return leaderboard === defaultLeaderboard;
}

/** A game's `default`, all of whose scores are ranked together. */
export function defaultBoardOf(gameId: string, order: Board['order'] = 'desc'): Board {
  const group = { seasonId: gameId, label: undefined, group: gameId };
  return { gameId, leaderboard: defaultLeaderboard, season: 0, ...group, order, entries: 'player' };
}

/** A ranked row with the player's profile. */
interface RankedRow {
  scoreId: string;
  nonce: string | null;
  /** Null: it follows from `sortScore`. */
  score: number | null;
  sortScore: number;
  updatedAt: number;
  label: string | null;
  metadata: string | null;
  wallet: string;
  username: string;
  avatar: string;
}

/** `columns` and `join`: of the ranked row `b`, and where the rest of its score is. */
function boardRows(table: AnyTable, columns: string, join = ''): RankedRows<RankedRow> {
  const select = (
    rows: string,
    also = '',
  ) => `SELECT ${also}b.score_id AS "scoreId", b.sort_score AS "sortScore", ${columns}, s.wallet,
      coalesce(p.username, '') AS username, coalesce(p.avatar, '') AS avatar
    FROM (${rows}) AS b ${join}
    JOIN streams AS s ON s.id = b.stream_id
    LEFT JOIN players AS p ON p.wallet = s.wallet
    ORDER BY b.sort_score, b.reached_at, b.score_id`;
  return { table, select };
}

/** A score on `default` is stored once, and its ranked row refers to it. */
const ofDefault = boardRows(
  defaultBoard as AnyTable,
  'c.nonce, c.score, c.updated_at AS "updatedAt", NULL AS label, c.metadata',
  'JOIN scores AS c ON c.id = b.score_id',
);
/** An entry may aggregate several scores. */
const ofNamed = boardRows(
  leaderboardEntries as AnyTable,
  'b.nonce, NULL AS score, b.updated_at AS "updatedAt", b.label, b.metadata',
);

/** How the rows of a board are read. */
export function rankedRowsOf(board: Board): RankedRows<RankedRow> {
  return isDefault(board) ? ofDefault : ofNamed;
}

export function toRankedScore({ wallet, username, avatar, ...row }: RankedRow, board: Board): RankedScore {
  return { ...entryToRecord(row, wallet, board), username, avatar };
}
