/** A decimal number as people write it: digits, and digits behind a point. Never a float. */
export const decimalPattern = /^\d{1,60}(\.\d{1,60})?$/;

/**
 * `amount` of a token with so many decimals, in its smallest unit; times `factor`. What is finer than the
 * token's smallest unit is cut off, so that never more is handed out than was said.
 */
export function tokenUnits(amount: string, decimals: number, factor = 1n): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  const scaled = BigInt(whole + fraction) * factor * 10n ** BigInt(decimals);
  return scaled / 10n ** BigInt(fraction.length);
}
