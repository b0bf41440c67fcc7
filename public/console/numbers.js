const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const rate = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** `12,345` @param {number} value */
export const asCount = (value) => whole.format(value);

/** `0.5`, `12.3`, `1,230` @param {number} value */
export const asRate = (value) => (value >= 100 ? whole : rate).format(value);

/** `0.8 ms`, `1.25 s` @param {number} value milliseconds */
export const asMs = (value) =>
  value < 1_000 ? `${rate.format(value)} ms` : `${rate.format(value / 1_000)} s`;

/** `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h` @param {number} value milliseconds */
export function asDuration(value) {
  const seconds = Math.round(value / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

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

/** The steps of an axis for counts. */
export const wholeSteps = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
);
