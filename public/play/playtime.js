/**
 * `2 hr 5 min`, `12 min`, `less than a minute`
 * @param {number} seconds
 */
export function playtimeText(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return 'less than a minute';
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 === 0 ? `${hours} hr` : `${hours} hr ${minutes % 60} min`;
}
