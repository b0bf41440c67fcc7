import type { Owner } from '../../core/schemas/owner.ts';
import { type RowOf, table } from '../../core/storage/table.ts';
import type { LeaderboardPolicy } from '../games/game.ts';
import type { ScoreRecord } from './score.ts';

/** From this revision on, a player's records are also indexed by score. */
const scoreIndexFrom = 8192;

const scoreColumns = {
  id: 'uuid',
  stream: 'stream',
  /** The seq of its last event in the stream, which orders the player's records by update. */
  revision: 'int',
  /** Null when it was generated; then it is the id, and needs no separate index. */
  nonce: 'text?',
  score: 'real',
  /** When the record reached this score; unlike `updatedAt`, unchanged when the same score is set again. */
  reachedAt: 'ms',
  updatedAt: 'ms',
  /** The play session in which it was made, if the game reports it. */
  sessionId: 'text?',
  metadata: 'json?',
} as const;

/** Scores by player; a player in a game is identified by the name of its stream. */
export const scores = table('scores', scoreColumns, {
  key: ['id'],
  orderedById: true,
  indexes: {
    byNonce: { on: ['stream', 'nonce'], unique: true },
    byUpdate: { on: ['stream', 'revision'] },
    highest: {
      on: ['stream', '-score', 'reachedAt', 'id'],
      builtFrom: { column: 'revision', from: scoreIndexFrom },
    },
    lowest: {
      on: ['stream', 'score', 'reachedAt', 'id'],
      builtFrom: { column: 'revision', from: scoreIndexFrom },
    },
  },
  of: { stream: 'stream' },
  counted: { rows: 1, texts: ['nonce', 'metadata'] },
});
export type ScoreRow = RowOf<typeof scoreColumns>;

const boardColumns = {
  stream: 'stream',
  gameId: 'board',
  scoreId: 'uuid',
  /** Ascends from the best: the negated score where higher is better. */
  sortScore: 'real',
  reachedAt: 'ms',
} as const;

/** Each player's ranked record: read whenever a score is set, but rarely changed by it. */
export const board = table('board', boardColumns, {
  key: ['stream'],
  cachedByWriter: true,
  of: { stream: 'stream', stays: 'rebuilt from the scores' },
  ranked: { group: 'gameId', order: ['sortScore', 'reachedAt', 'scoreId'] },
});
export type BoardRow = RowOf<typeof boardColumns>;

/** The factor by which a score is multiplied so that the best one sorts first. */
export function directionOf(order: LeaderboardPolicy['order']): 1 | -1 {
  return order === 'desc' ? -1 : 1;
}

/** The leaderboard row that ranks a record. */
export function toBoardRow(
  { stream, id, score, reachedAt }: ScoreRow,
  { gameId }: Owner,
  { order }: LeaderboardPolicy,
): BoardRow {
  return { stream, gameId, scoreId: id, sortScore: score * directionOf(order), reachedAt };
}

/** A leaderboard's order: by score, then by who reached it first, then by id. */
export function ranksBefore(one: BoardRow, other: BoardRow): boolean {
  if (one.sortScore !== other.sortScore) return one.sortScore < other.sortScore;
  if (one.reachedAt !== other.reachedAt) return one.reachedAt < other.reachedAt;
  return one.scoreId < other.scoreId;
}

/** A stored score as clients see it: on `default`, or, with the fields of `named`, on a named leaderboard. */
export function toScoreRecord(
  row: Pick<ScoreRow, 'id' | 'nonce' | 'score' | 'updatedAt' | 'sessionId' | 'metadata'>,
  { gameId, wallet }: Owner,
  named: Pick<ScoreRecord, 'leaderboard' | 'season' | 'label'> = {},
): ScoreRecord {
  return {
    _id: row.id,
    nonce: row.nonce ?? row.id,
    gameId,
    normalizedAddress: wallet,
    score: row.score,
    updatedAt: row.updatedAt,
    ...(row.sessionId === null ? {} : { sessionId: row.sessionId }),
    ...named,
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
  };
}
