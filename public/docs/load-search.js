import { searchIndexAddress } from './site.js';

/** @typedef {import('./find-entries.js').SearchEntry} SearchEntry */
/** @typedef {(question: string) => readonly SearchEntry[]} Find */

/** Loads the search and the manual's sections once, when the search is first used. @returns {Promise<Find>} */
export function loadSearch() {
  search ??= indexManual();
  search.catch(() => {
    search = undefined; // retried at the next key press
  });
  return search;
}
/** @type {Promise<Find> | undefined} */
let search;

/** @returns {Promise<Find>} */
async function indexManual() {
  const [{ findEntries, indexEntries }, response] = await Promise.all([
    import('./find-entries.js'),
    fetch(searchIndexAddress),
  ]);
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  const index = indexEntries(await response.json());
  return (question) => findEntries(index, question);
}
