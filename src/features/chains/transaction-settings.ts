import { formatGwei } from 'ox/Value';

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

/**
 * Limits for what a signer's transactions may cost, whatever contracts and RPC servers say. Refusals name the setting.
 */
export interface SpendingBounds {
  /** CHAIN_MAX_GAS, per transaction. */
  maxGas: bigint;
  /** CHAIN_MAX_FEE_GWEI, in wei per gas. */
  maxFeePerGas: bigint;
  /** CHAIN_DAILY_WEI, per signer, chain and day (UTC). */
  dailyWei: bigint;
}

/** Why a call with this gas limit is never sent; null: it may be sent. */
export function gasRefusal(gas: bigint, { maxGas }: SpendingBounds): string | null {
  if (gas <= maxGas) return null;
  return `the call needs ${gas} gas, but CHAIN_MAX_GAS allows ${maxGas} per transaction`;
}

/** Why nothing is sent at this fee, in wei per gas; null: it is acceptable. */
export function feeRefusal(fee: bigint, { maxFeePerGas }: SpendingBounds): string | null {
  if (fee <= maxFeePerGas) return null;
  return `the RPC server asks for ${formatGwei(fee)} gwei per gas, but ${feeAllowed(maxFeePerGas)}`;
}

export function feeAllowed(maxFeePerGas: bigint): string {
  return `CHAIN_MAX_FEE_GWEI allows ${formatGwei(maxFeePerGas)}`;
}

/** Why a transaction that may cost `wei` is not sent today; null: it may be sent. */
export function budgetRefusal(
  wei: bigint,
  { left, chainId }: { left: bigint; chainId: number },
  { dailyWei }: SpendingBounds,
): string | null {
  if (wei <= left) return null;
  return (
    `the transaction may cost ${wei} wei, but ${left} of the ${dailyWei} wei that CHAIN_DAILY_WEI allows the signer ` +
    `per day (UTC) on chain ${chainId} are left`
  );
}

/** Why a transaction that may cost `wei` is not sent from a balance, as nodes would reject it; null: it may be sent. */
export function fundsRefusal(wei: bigint, balance: bigint): string | null {
  return wei <= balance ? null : outOfFunds;
}

export const outOfFunds = 'the signer has insufficient funds for the fees';
