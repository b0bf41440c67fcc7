const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const rate = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const score = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `12,345` @param {number} value */
export const asCount = (value) => whole.format(value);

/** `0.5`, `12.3`, `1,230` @param {number} value */
export const asRate = (value) => (value >= 100 ? whole : rate).format(value);

/** `0.8 ms`, `1.25 s` @param {number} value milliseconds */
export const asMs = (value) =>
  value < 1_000 ? `${rate.format(value)} ms` : `${rate.format(value / 1_000)} s`;

/** With every digit a double holds. @param {number} value */
export const asScore = (value) => score.format(value);

/** `1.5 MB`, in powers of 1,024. @param {number} value bytes */
export function asBytes(value) {
  let amount = value;
  let unit = 0;
  while (amount >= 1_024 && unit < units.length - 1) {
    amount /= 1_024;
    unit += 1;
  }
  return `${(unit === 0 || amount >= 100 ? whole : rate).format(amount)} ${units[unit]}`;
}
