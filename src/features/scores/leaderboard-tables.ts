import { type RowOf, table } from '../../core/storage/table.ts';

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
  /** The current season, whose scores are ranked together. */
  seasonId: 'uuid',
  /** The current season's number, from 1. */
  season: 'int',
  seasonStartedAt: 'ms',
  /** A cron expression; null: seasons end on request only. */
  schedule: 'text?',
  timeZone: 'text',
  /** `never` without a schedule. */
  nextEndAt: 'ms',
  /** How many finished seasons are kept; null: all. */
  keepSeasons: 'int?',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

/** Games' named leaderboards; `default`, which every game has, is not among them. */
export const leaderboards = table('leaderboards', leaderboardColumns, {
  key: ['gameId', 'name'],
  indexes: {
    byGame: { on: ['gameId', 'name'] },
    byEnd: { on: ['nextEndAt', 'gameId', 'name'] },
  },
  of: { game: 'gameId' },
  cachedByWriter: true,
  cacheable: 'lists',
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

/** Finished seasons. */
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

/** Seasons that are no longer visible: their records are deleted in batches, then their rows here. */
export const retiredSeasons = table('retired_seasons', retiredColumns, {
  key: ['id'],
  indexes: { inOrder: { on: ['id'] } },
  of: { game: 'gameId', stays: 'about to be deleted' },
});
export type RetiredSeasonRow = RowOf<typeof retiredColumns>;

const entryColumns = {
  /** A season's id, or that of a label's board in a season (`labelBoardOf`). */
  board: 'board',
  stream: 'stream',
  /** Empty when each player has one entry; otherwise the record's id. */
  entry: 'text',
  /** The ranked record, or the first of those that are summed or counted. */
  scoreId: 'uuid',
  /** Ascends from the best: the negated score where higher is better. */
  sortScore: 'real',
  reachedAt: 'ms',
  /** How many records it aggregates. */
  records: 'int',
  nonce: 'text?',
  updatedAt: 'ms',
  label: 'text?',
  metadata: 'json?',
} as const;

/** The ranked entries of named leaderboards. Listed before the records: writing an entry registers its board's id. */
export const leaderboardEntries = table('leaderboard_entries', entryColumns, {
  key: ['board', 'stream', 'entry'],
  of: { stream: 'stream', stays: 'rebuilt from the records' },
  ranked: { group: 'board', order: ['sortScore', 'reachedAt', 'scoreId'] },
});
export type EntryRow = RowOf<typeof entryColumns>;

const recordColumns = {
  id: 'uuid',
  board: 'board',
  stream: 'stream',
  /** The seq of its last event in the stream, which orders the player's records by update. */
  revision: 'int',
  /** Null when it was generated; then it is the id. */
  nonce: 'text?',
  score: 'real',
  sortScore: 'real',
  /** When the record reached this score. */
  reachedAt: 'ms',
  updatedAt: 'ms',
  sessionId: 'text?',
  label: 'text?',
  metadata: 'json?',
} as const;

/** Scores set on named leaderboards. */
export const leaderboardRecords = table('leaderboard_records', recordColumns, {
  key: ['id'],
  indexes: {
    byNonce: { on: ['board', 'stream', 'nonce'], unique: true },
    byUpdate: { on: ['stream', 'board', 'revision'] },
    byScore: { on: ['board', 'stream', 'sortScore', 'reachedAt', 'id'] },
  },
  of: { stream: 'stream' },
  counted: { rows: 2, texts: ['nonce', 'metadata'] }, // and its entry
});
export type RecordRow = RowOf<typeof recordColumns>;
