const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const scientific = new Intl.NumberFormat('en', { notation: 'scientific', maximumFractionDigits: 20 });

/**
 * `12,345`, `12.3456`, `1.5E300`: with the full precision of a double, so that scores of different ranks differ.
 * @param {number} value
 */
export function asScore(value) {
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-6 && size < 1e16);
  return (isPlain ? plain : scientific).format(value);
}
