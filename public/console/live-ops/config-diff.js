import { html } from 'htm/preact';

/** @typedef {import('../admin.js').Output<'readConfig'>['entries'][number]} Entry */
/** @typedef {Omit<Entry, 'key'>} Content */
/** @typedef {{ key: string, before: Content | undefined, after: Content | undefined }} Change `undefined`: the key is not there */

/** A config as it is edited: the content of each key. @param {readonly Entry[]} entries */
export function textOf(entries) {
  return JSON.stringify(Object.fromEntries(entries.map(({ key, ...content }) => [key, content])), null, 2);
}

/** The fields of a key. */
export const contentFields = ['value', 'public', 'rules'];

/** @param {string} text must be JSON of an object of objects @returns {Entry[]} as typed, not validated */
export function entriesOf(text) {
  return Object.entries(JSON.parse(text)).map(([key, { value, public: isPublic = true, rules = [] }]) => ({
    key,
    value,
    public: isPublic,
    rules,
  }));
}

/**
 * The keys that differ, in alphabetical order.
 * @param {readonly Entry[]} before
 * @param {readonly Entry[]} after
 * @returns {Change[]}
 */
export function changesBetween(before, after) {
  const contents = (/** @type {readonly Entry[]} */ entries) =>
    new Map(entries.map(({ key, ...content }) => [key, content]));
  const [old, now] = [contents(before), contents(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((key) => ({ key, before: old.get(key), after: now.get(key) }))
    .filter((change) => shown(change.before) !== shown(change.after));
}

/** With its fields in one order, however they were typed. @param {Content | undefined} content */
function shown(content) {
  return content && JSON.stringify({ value: content.value, public: content.public, rules: content.rules });
}

/** What changes, key by key. @param {{ changes: readonly Change[] }} props */
export function ConfigDiff({ changes }) {
  if (changes.length === 0) return html`<p class="quiet">No differences.</p>`;
  return html`
    <ul role="list" class="config-diff">
      ${changes.map(
        ({ key, before, after }) => html`
          <li key=${key}>
            <strong class="mono wrap">${key}</strong>
            <p class="mono small wrap"><span class="visually-hidden">Old: </span>${before ? html`<del>${shown(before)}</del>` : html`<span class="quiet">no key</span>`}</p>
            <p class="mono small wrap"><span class="visually-hidden">New: </span>${after ? html`<ins>${shown(after)}</ins>` : html`<span class="quiet">removed</span>`}</p>
          </li>
        `,
      )}
    </ul>
  `;
}
