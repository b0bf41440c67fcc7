import { type RowOf, table } from '../core/storage/table.ts';

const prizeRunColumns = {
  id: 'uuid',
  gameId: 'uuid',
  leaderboard: 'text',
  season: 'int',
  seasonId: 'uuid',
  /** The rule as it was when the season ended. */
  rule: 'json',
  /** The place whose player is next, counted from 1. */
  place: 'int',
  /** What ranks the entry before that; null: none was looked at. */
  sortScore: 'real?',
  reachedAt: 'ms?',
  scoreId: 'uuid?',
} as const;

/**
 * Rules that are carried out for the players of a season that has ended: one row for each rule and season, until the last
 * place was given its prize.
 */
export const prizeRuns = table('prize_runs', prizeRunColumns, {
  key: ['id'],
  indexes: {
    byLeaderboard: { on: ['gameId', 'leaderboard', 'id'] },
    bySeason: { on: ['seasonId', 'id'] },
  },
  of: { game: 'gameId', stays: 'prizes are given by the server on which the season ended' },
});
export type PrizeRunRow = RowOf<typeof prizeRunColumns>;

/**
 * Seasons whose prizes may have been given after the backup was made that was restored since: what their rules send to a chain
 * waits for an operator, so that it is not paid twice.
 */
export const prizeHolds = table(
  'prize_holds',
  { seasonId: 'uuid', gameId: 'uuid' },
  {
    key: ['seasonId'],
    of: { game: 'gameId', stays: 'prizes are given by the server on which the season ended' },
  },
);
