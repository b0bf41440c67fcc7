import { type RowOf, table } from '../../core/storage/table.ts';

const actionColumns = {
  id: 'uuid',
  /** Which worker carries it out. */
  kind: 'text',
  /** Actions of one lane are sent by one process at a time; '': no lane. */
  lane: 'text',
  type: 'text',
  gameId: 'uuid',
  /** '': it concerns no player. */
  wallet: 'text',
  triggerId: 'text',
  /** For the worker. */
  payload: 'json',
  /** queued, submitted, confirmed, failed, cancelled */
  state: 'text',
  attempts: 'int',
  dueAt: 'ms',
  /** When it is no longer retried; 0: its worker decides. */
  deadlineAt: 'ms',
  claimedBy: 'text?',
  /** Until then only `claimedBy` may carry it out. */
  claimedUntil: 'ms',
  error: 'text?',
  transactionHash: 'text?',
  createdAt: 'ms',
  updatedAt: 'ms',
  /** Null: it is open, that is queued or submitted. */
  endedAt: 'ms?',
} as const;

/** The durable queue of rules and webhooks, with finished actions. */
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
  /** `<chain id>:<contract>`; '': it issues no limited token. */
  token: 'text',
  /** A whole number of the token's smallest unit. */
  amount: 'text',
  /** Days since 1970, UTC. */
  day: 'int',
  /** 0 or 1. */
  refunded: 'int',
} as const;

/** What an action was charged to its game's limits, to be refunded if it is never sent. */
export const spending = table('spending', spendingColumns, {
  key: ['actionId'],
  indexes: { byDay: { on: ['day', 'actionId'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type SpendingRow = RowOf<typeof spendingColumns>;

/** The sums of `spending`, and the transactions that reverted before a retry. `wallet` '': of all players. `token` '': the number of transactions instead of an amount. */
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
  /** The on-chain action that grants it; '': recorded here only. */
  actionId: 'text',
  /** 0 or 1. */
  granted: 'int',
  at: 'ms',
} as const;

/** Achievements of players, at most one row for each; `granted` 0: in progress. */
export const grants = table('grants', grantColumns, {
  key: ['gameId', 'wallet', 'achievement'],
  indexes: { byAction: { on: ['actionId'] } },
  of: { player: 'wallet', game: 'gameId' },
});
export type GrantRow = RowOf<typeof grantColumns>;
