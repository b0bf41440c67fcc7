import { type RowOf, table } from '../core/storage/table.ts';

/** From this revision on, a player's records are also kept in the order of their scores. */
const orderedFrom = 8192;

const scoreColumns = {
  id: 'uuid',
  stream: 'stream',
  /** The seq of its last event in the stream, which orders the player's records by their update. */
  revision: 'int',
  /** Null when the server made it; then it is the id, and needs no index of its own. */
  nonce: 'text?',
  score: 'real',
  /** When the record came to hold this score; unlike `updatedAt`, not moved by setting it again. */
  reachedAt: 'ms',
  updatedAt: 'ms',
  /** The play session it was made in, where the game says so. */
  sessionId: 'text?',
} as const;

/** Scores, by player: a player in a game is known by the name of its stream. */
export const scores = table('scores', scoreColumns, {
  key: ['id'],
  indexes: {
    byNonce: { on: ['stream', 'nonce'], unique: true },
    byUpdate: { on: ['stream', 'revision'] },
    highest: {
      on: ['stream', '-score', 'reachedAt', 'id'],
      builtFrom: { column: 'revision', from: orderedFrom },
    },
    lowest: {
      on: ['stream', 'score', 'reachedAt', 'id'],
      builtFrom: { column: 'revision', from: orderedFrom },
    },
  },
  of: { stream: 'stream' },
});
export type ScoreRow = RowOf<typeof scoreColumns>;

const boardColumns = {
  stream: 'stream',
  gameId: 'board',
  scoreId: 'uuid',
  /** Ascends from the best: it is the score's negative where more is better. */
  sortScore: 'real',
  reachedAt: 'ms',
} as const;

/** The record that counts for each player: read with every score that is set, and seldom another one by it. */
export const board = table('board', boardColumns, {
  key: ['stream'],
  kept: true,
  of: { stream: 'stream', stays: 'made again of the scores' },
  ranked: { group: 'gameId', order: ['sortScore', 'reachedAt', 'scoreId'] },
});
export type BoardRow = RowOf<typeof boardColumns>;
