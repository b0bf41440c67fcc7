import { formatGwei } from 'ox/Value';

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
  return `the call needs ${gas} gas, and CHAIN_MAX_GAS allows ${maxGas} per transaction`;
}

/** Why nothing is sent at this fee, in wei per gas; null: it is acceptable. */
export function feeRefusal(fee: bigint, { maxFeePerGas }: SpendingBounds): string | null {
  if (fee <= maxFeePerGas) return null;
  return `the RPC server requires ${formatGwei(fee)} gwei per gas, and ${feeAllowed(maxFeePerGas)}`;
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
    `it may cost ${wei} wei, and of the ${dailyWei} wei that CHAIN_DAILY_WEI allows the signer per day (UTC) ` +
    `on chain ${chainId}, ${left} are left`
  );
}
