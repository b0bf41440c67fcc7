import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import { meanings, stopWords } from './search-words.js';

/** @typedef {import('../../src/pages/manual.ts').SearchEntry} SearchEntry a section of the manual */
/** @typedef {{ entries: readonly SearchEntry[], words: MiniSearch }} ManualIndex */

/** From this length on, a word may have a typing error. */
const shortestMisspelt = 5;
/** A section that answers ranks above a row of a table, which only lists. */
const weightOfRow = 0.3;
const weightOfPage = 1.6;
/** Pages that answer questions of few readers or list everything; and the one that lists all operations. */
const weightsOfPages = new Map([
  ['errors', 0.5],
  ['changelog', 0.15],
  ['contributing', 0.4],
  ['protocol', 0.5],
  ['calling', 1.3],
]);

/**
 * The index of all sections, made once in the browser.
 * @param {readonly SearchEntry[]} entries
 * @returns {ManualIndex}
 */
export function indexEntries(entries) {
  const words = new MiniSearch({
    fields: ['title', 'page', 'text'],
    tokenize: wordsOf,
    processTerm: indexedForms,
  });
  words.addAll(entries.map(({ title, page, text }, id) => ({ id, title, page, text })));
  return { entries, words };
}

/**
 * The sections that contain any of a question's words, best match first: the more of its words and the rarer they are,
 * the better; words in titles count most.
 * @param {ManualIndex} index
 * @param {string} question
 * @returns {SearchEntry[]}
 */
export function findEntries({ entries, words }, question) {
  const asked = question.trim().toLowerCase();
  const all = wordsOf(asked);
  const telling = all.filter((word) => !stopWords.has(word));
  const terms = telling.length > 0 ? telling : all;
  if (terms.length === 0) return [];
  return words
    .search(
      {
        combineWith: 'OR',
        queries: terms.map((term, at) => ({
          combineWith: 'OR',
          queries: [term, ...meaningsOf(term, terms)].map((form) => ({
            queries: [form],
            // The word that is being typed may be unfinished.
            prefix: at === terms.length - 1 || form.length > 3,
            fuzzy: form.length >= shortestMisspelt ? 0.15 : false,
            tokenize: (/** @type {string} */ text) => [text],
            processTerm: (/** @type {string} */ word) => stemmer(word),
          })),
        })),
      },
      {
        boost: { title: 4, page: 2 },
        weights: { fuzzy: 0.2, prefix: 0.5 },
        boostDocument: (id) => weightOf(entryOf(entries, id), asked),
      },
    )
    .map(({ id }) => entryOf(entries, id));
}

/**
 * @param {readonly SearchEntry[]} entries
 * @param {number} id
 */
function entryOf(entries, id) {
  const entry = entries[id];
  if (!entry) throw new Error(`the index has no section ${id}`);
  return entry;
}

/**
 * @param {SearchEntry} entry
 * @param {string} asked
 */
function weightOf({ title, depth, address }, asked) {
  // From `/docs/errors#…` of a server, and from `errors.html#…` of a static site.
  const [, name = ''] = /([\w-]+)(?:\.html)?(?:#|$)/.exec(address) ?? [];
  const page = weightsOfPages.get(name) ?? 1;
  if (title.toLowerCase() === asked) return 20 * page; // a name is looked up
  if (depth > 6) return weightOfRow * page;
  return depth === 1 ? weightOfPage * page : page;
}

/**
 * Words as they are searched: names such as `nonce_replayed` are one word, and so is `setUserScore`.
 * @param {string} text
 */
function wordsOf(text) {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/**
 * The forms under which a word of the manual is found: its stem, and the parts of a name.
 * @param {string} word
 */
function indexedForms(word) {
  const parts = word.split(/_|(?<=[a-z])(?=[A-Z])/).filter(Boolean);
  const forms = parts.length > 1 ? [word, ...parts] : [word];
  return [...new Set(forms.map((form) => stemmer(form.toLowerCase())))];
}

/**
 * Words of the manual for a word of the question.
 * @param {string} term
 * @param {readonly string[]} terms
 */
function meaningsOf(term, terms) {
  return (meanings.get(stemmer(term)) ?? []).filter((word) => !terms.includes(word));
}
