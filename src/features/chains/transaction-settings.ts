import type { SpendingBounds } from './spending-bounds.ts';

/** Settings for the transactions of rules. The keys are in memory only. */
export interface TransactionSettings {
  /** Private keys by name. */
  signers: Readonly<Record<string, `0x${string}`>>;
  /** An additional, encrypted key. */
  keystore: { file: string; password: string } | null;
  /** Confirmations after which a transaction is final, including its own block. */
  confirmations: number;
  stuckAfterMs: number;
  pollMs: number;
  bounds: SpendingBounds;
}
