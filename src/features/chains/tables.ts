import { type RowOf, table } from '../../core/storage/table.ts';

const laneColumns = {
  /** `<chain id>:<signer's address>` */
  lane: 'text',
  node: 'text',
  leasedUntil: 'ms',
  /** Null: not yet read from the chain. */
  nextNonce: 'int?',
  /** Days since 1970, UTC. */
  spentDay: 'int',
  /** The maximum cost of that day's transactions, decimal. */
  spentWei: 'text',
} as const;

/** The lease on a signer's nonces on a chain, the next nonce, and the day's spending. */
export const lanes = table('lanes', laneColumns, { key: ['lane'] });
export type LaneRow = RowOf<typeof laneColumns>;

const transactionColumns = {
  hash: 'text',
  lane: 'text',
  nonce: 'int',
  /** '': it only fills a nonce gap. */
  actionId: 'text',
  raw: 'text',
  /** In wei per gas, decimal. */
  maxFee: 'text',
  priorityFee: 'text',
  signedAt: 'ms',
  /** 0 or 1: the nonce is used on the chain; `raw` is then empty, because it is not sent again. */
  settled: 'int',
} as const;

/** The signed transactions of each nonce: the first, and its replacements with higher fees. */
export const transactions = table('transactions', transactionColumns, {
  key: ['hash'],
  indexes: {
    open: { on: ['settled', 'lane', 'nonce', 'signedAt'] },
    bySigning: { on: ['settled', 'signedAt'] },
  },
});
export type TransactionRow = RowOf<typeof transactionColumns>;
