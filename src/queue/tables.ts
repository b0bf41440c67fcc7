import { type RowOf, table } from '../core/storage/table.ts';

const actionColumns = {
  id: 'uuid',
  /** Which runner carries it out. */
  kind: 'text',
  /** Actions of one lane are sent by one process at a time; '': no lane. */
  lane: 'text',
  type: 'text',
  gameId: 'uuid',
  /** '' when it concerns no player. */
  wallet: 'text',
  triggerId: 'text',
  /** The runner's own. */
  payload: 'json',
  /** queued, submitted, confirmed, failed, cancelled */
  state: 'text',
  attempts: 'int',
  dueAt: 'ms',
  /** When it is no longer tried; 0: only its runner knows. */
  giveUpAt: 'ms',
  claimedBy: 'text?',
  /** Until then nobody but `claimedBy` may carry it out. */
  claimedUntil: 'ms',
  error: 'text?',
  transactionHash: 'text?',
  createdAt: 'ms',
  updatedAt: 'ms',
  /** Null: it is queued or submitted, and so still to be done. */
  endedAt: 'ms?',
} as const;

/** The durable queue: what rules and webhooks have still to do, and what became of it. */
export const actions = table('actions', actionColumns, {
  key: ['id'],
  indexes: {
    open: { on: ['kind', 'lane', 'dueAt', 'id'], whereNull: 'endedAt' },
    byLane: { on: ['lane', 'createdAt', 'id'] },
    byState: { on: ['state', 'updatedAt'] },
  },
  of: { player: 'wallet', game: 'gameId', texts: ['payload'] },
});
export type ActionRow = RowOf<typeof actionColumns>;

const spendingColumns = {
  actionId: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  /** `<chain id>:<contract>`; '': it hands out no counted token. */
  token: 'text',
  /** A whole number of the token's smallest unit. */
  amount: 'text',
  /** Since 1970, UTC. */
  day: 'int',
  /** 0 or 1. */
  givenBack: 'int',
} as const;

/** What an action took of its game's limits, to be given back when it was never sent. */
export const spending = table('spending', spendingColumns, {
  key: ['actionId'],
  indexes: { byDay: { on: ['day', 'actionId'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type SpendingRow = RowOf<typeof spendingColumns>;

/** The sums of it. `wallet` '': of all players. `token` '': transactions are counted, not an amount. */
export const spent = table(
  'spent',
  { gameId: 'uuid', wallet: 'text', token: 'text', day: 'int', amount: 'text' },
  {
    key: ['gameId', 'wallet', 'token', 'day'],
    indexes: { byDay: { on: ['day', 'gameId', 'wallet', 'token'] } },
    of: { player: 'wallet', game: 'gameId' },
  },
);

const grantColumns = {
  gameId: 'uuid',
  wallet: 'text',
  achievement: 'text',
  /** '': recorded here only. */
  actionId: 'text',
  /** 0 or 1. */
  granted: 'int',
  at: 'ms',
} as const;

/** Achievements a player has, or (`granted` 0) is about to have: at most one of each. */
export const grants = table('grants', grantColumns, {
  key: ['gameId', 'wallet', 'achievement'],
  indexes: { byAction: { on: ['actionId'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type GrantRow = RowOf<typeof grantColumns>;
