import type { TransactionRow } from './tables.ts';

/** A signed transaction. Amounts of wei are decimal texts. */
export interface SignedTransaction {
  hash: string;
  nonce: number;
  /** Empty: it only fills a nonce gap. */
  actionId: string;
  raw: string;
  maxFee: string;
  priorityFee: string;
  signedAt: number;
}

export function toSignedTransaction(row: TransactionRow): SignedTransaction {
  const { hash, nonce, actionId, raw, maxFee, priorityFee, signedAt } = row;
  return { hash, nonce, actionId, raw, maxFee, priorityFee, signedAt };
}
