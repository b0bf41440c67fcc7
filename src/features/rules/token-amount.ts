/** A decimal number as text: digits, and optional digits after a point. Never parsed as a float. */
export const decimalPattern = /^\d{1,60}(\.\d{1,60})?$/;

/**
 * Converts `amount` times `factor` to the smallest unit of a token with these decimals. Rounds down, so that never more
 * than the amount is issued.
 */
export function tokenUnits(amount: string, decimals: number, factor = 1n): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  const scaled = BigInt(whole + fraction) * factor * 10n ** BigInt(decimals);
  return scaled / 10n ** BigInt(fraction.length);
}
