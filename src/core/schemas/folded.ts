/** Marks, and what is not seen at all. */
const ignored = /[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text as it is searched for: without case, accents and other marks, widths and styles of letters, and invisible
 * characters. Stored with every player (`searchName`): a change to it needs a migration.
 */
export function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(ignored, '');
  return casefold(plain).normalize('NFKD').replace(ignored, ''); // İ in lowercase has a mark
}

/** Approximates Unicode case folding; it differs only in a few letters that no keyboard has. */
export function casefold(letters: string): string {
  return letters.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
