import { type RowOf, table } from '../core/storage/table.ts';

/** Of `nextEndAt`: later than any time. */
export const neverEnds = 8_640_000_000_000_000;

const leaderboardColumns = {
  gameId: 'uuid',
  name: 'text',
  keep: 'text',
  sortOrder: 'text',
  entries: 'text',
  /** 0 or 1. */
  isPublic: 'int',
  /** The labels that scores may carry. */
  labels: 'json',
  /** Of the season under way, whose scores are ranked together. */
  seasonId: 'uuid',
  /** Counts from 1. */
  season: 'int',
  seasonStartedAt: 'ms',
  /** A cron expression; null: seasons end when somebody says so. */
  schedule: 'text?',
  timeZone: 'text',
  nextEndAt: 'ms',
  /** How many finished seasons are kept; null: all. */
  keepSeasons: 'int?',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

/** The leaderboards of games that have a name; `default`, which every game has, is not among them. */
export const leaderboards = table('leaderboards', leaderboardColumns, {
  key: ['gameId', 'name'],
  indexes: {
    byGame: { on: ['gameId', 'name'] },
    byEnd: { on: ['nextEndAt', 'gameId', 'name'] },
  },
  of: { game: 'gameId' },
  kept: true,
  remembered: 'lists',
});
export type LeaderboardRow = RowOf<typeof leaderboardColumns>;

const seasonColumns = {
  gameId: 'uuid',
  leaderboard: 'text',
  season: 'int',
  id: 'uuid',
  startedAt: 'ms',
  endedAt: 'ms',
} as const;

/** Seasons that are over. */
export const leaderboardSeasons = table('leaderboard_seasons', seasonColumns, {
  key: ['gameId', 'leaderboard', 'season'],
  indexes: {
    byLeaderboard: { on: ['gameId', 'leaderboard', 'season'] },
    byId: { on: ['id'], unique: true },
  },
  of: { game: 'gameId' },
});
export type SeasonRow = RowOf<typeof seasonColumns>;

const retiredColumns = { id: 'uuid', gameId: 'uuid' } as const;

/** Seasons that nobody sees any more; their rows are deleted a few at a time, and then these are. */
export const retiredSeasons = table('retired_seasons', retiredColumns, {
  key: ['id'],
  indexes: { inOrder: { on: ['id'] } },
  of: { game: 'gameId', stays: 'about to be deleted' },
});
export type RetiredSeasonRow = RowOf<typeof retiredColumns>;

const entryColumns = {
  /** A season, or what stands for a label in one (`labelBoardOf`). */
  board: 'board',
  stream: 'stream',
  /** Empty where a player has one; else the record's id. */
  entry: 'text',
  /** The record that counts, or the first of those that are added up. */
  scoreId: 'uuid',
  /** Ascends from the best: it is the score's negative where more is better. */
  sortScore: 'real',
  reachedAt: 'ms',
  /** How many records it is made of. */
  records: 'int',
  nonce: 'text?',
  updatedAt: 'ms',
  label: 'text?',
  metadata: 'json?',
} as const;

/** What counts on the leaderboards that have a name. Before the records: writing one has its board known. */
export const leaderboardEntries = table('leaderboard_entries', entryColumns, {
  key: ['board', 'stream', 'entry'],
  of: { stream: 'stream', stays: 'made again of the records' },
  ranked: { group: 'board', order: ['sortScore', 'reachedAt', 'scoreId'] },
});
export type EntryRow = RowOf<typeof entryColumns>;

const recordColumns = {
  id: 'uuid',
  board: 'board',
  stream: 'stream',
  /** The seq of its last event in the stream, which orders the player's records by their update. */
  revision: 'int',
  /** Null when the server made it; then it is the id. */
  nonce: 'text?',
  score: 'real',
  sortScore: 'real',
  /** When the record came to hold this score. */
  reachedAt: 'ms',
  updatedAt: 'ms',
  sessionId: 'text?',
  label: 'text?',
  metadata: 'json?',
} as const;

/** Scores that were set on leaderboards that have a name. */
export const leaderboardRecords = table('leaderboard_records', recordColumns, {
  key: ['id'],
  indexes: {
    byNonce: { on: ['board', 'stream', 'nonce'], unique: true },
    byUpdate: { on: ['stream', 'board', 'revision'] },
    byScore: { on: ['board', 'stream', 'sortScore', 'reachedAt', 'id'] },
  },
  of: { stream: 'stream' },
});
export type RecordRow = RowOf<typeof recordColumns>;
