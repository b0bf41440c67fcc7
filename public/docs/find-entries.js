/** @typedef {{ address: string, page: string, title: string, text: string }} SearchEntry a section of the manual */

/**
 * The entries that contain every word of a query, best match first: a word that is the whole title ranks above one in
 * the title, and that above one in the text. Substrings match too, because names such as `nonce_replayed` are typed in
 * part; so there is no word index, which would not pay off for a manual of this size anyway.
 * @param {readonly SearchEntry[]} entries
 * @param {string} query
 * @returns {SearchEntry[]}
 */
export function findEntries(entries, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

/**
 * The relevance of an entry; 0 when a word is missing.
 * @param {SearchEntry} entry
 * @param {readonly string[]} words
 */
function scoreOf(entry, words) {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  const page = entry.page.toLowerCase();
  let score = title === words.join(' ') ? 100 : 0;
  for (const word of words) {
    if (title === word) score += 40;
    else if (title.startsWith(word)) score += 20;
    else if (title.includes(word)) score += 10;
    else if (text.includes(word)) score += 2;
    else if (page.includes(word)) score += 1;
    else return 0;
  }
  return score;
}
