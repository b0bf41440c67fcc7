/**
 * The known name that is most likely meant by a misspelled one, ignoring case and separators; undefined when none is
 * near: at most `most` characters added, left out, replaced, or swapped with the next, by default one in three.
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  most = Math.max(1, Math.floor(lettersOf(name).length / 3)),
): string | undefined {
  const letters = lettersOf(name);
  let nearest: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    const other = lettersOf(candidate);
    if (Math.abs(other.length - letters.length) >= least) continue; // so is their distance
    const distance = distanceOf(letters, other);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

/** The optimal string alignment distance. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
