import { type RowOf, table } from '../../core/storage/table.ts';

const prizeRunColumns = {
  id: 'uuid',
  gameId: 'uuid',
  leaderboard: 'text',
  season: 'int',
  seasonId: 'uuid',
  /** The rule as it was when the season ended. */
  rule: 'json',
  /** The next place to get a prize, from 1. */
  place: 'int',
  /** The rank key of the entry before it; null: none was processed yet. */
  sortScore: 'real?',
  reachedAt: 'ms?',
  scoreId: 'uuid?',
} as const;

/**
 * Rules being run for the players of a finished season: one row per rule and season, until the last place has its
 * prize.
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
 * Seasons whose prizes may already have been given between a backup and its restore: what their rules send to a chain
 * waits for an operator, so that nothing is paid twice.
 */
export const prizeHolds = table(
  'prize_holds',
  { seasonId: 'uuid', gameId: 'uuid' },
  {
    key: ['seasonId'],
    of: { game: 'gameId', stays: 'prizes are given by the server on which the season ended' },
  },
);
