import { type RowOf, table } from '../core/storage/table.ts';

const laneColumns = {
  /** `<chain id>:<signer's address>` */
  lane: 'text',
  node: 'text',
  leasedUntil: 'ms',
  /** Null: not yet asked of the chain. */
  nextNonce: 'int?',
  /** Since 1970, UTC. */
  spentDay: 'int',
  /** What the transactions of that day may cost, decimal. */
  spentWei: 'text',
} as const;

/** Who may use a signer's nonces on a chain, until when, which one is next, and what was spent today. */
export const lanes = table('lanes', laneColumns, { key: ['lane'] });
export type LaneRow = RowOf<typeof laneColumns>;

const transactionColumns = {
  hash: 'text',
  lane: 'text',
  nonce: 'int',
  /** '': it only fills a gap. */
  actionId: 'text',
  raw: 'text',
  /** In wei per gas, decimal. */
  maxFee: 'text',
  priorityFee: 'text',
  signedAt: 'ms',
  /** 0 or 1: the nonce is used up on the chain; `raw` is then empty, because it is not sent again. */
  settled: 'int',
} as const;

/** What was signed for each nonce: the first, and those with higher fees that were to replace it. */
export const transactions = table('transactions', transactionColumns, {
  key: ['hash'],
  indexes: {
    open: { on: ['settled', 'lane', 'nonce', 'signedAt'] },
    bySigning: { on: ['settled', 'signedAt'] },
  },
});
export type TransactionRow = RowOf<typeof transactionColumns>;
