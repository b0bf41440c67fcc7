import { type RowOf, table } from '../../core/storage/table.ts';

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
