/**
 * What each player has begun to write, or could not send: in each conversation, in place of a message, and as a display
 * name. It stays until the page is left, also when the conversation or the game is, or the session ends. It is never
 * written to browser storage.
 * @type {Map<string, string>}
 */
const drafts = new Map();

/** @param {string} wallet @param {string} about */
const keyOf = (wallet, about) => `${wallet} ${about}`;

/**
 * @param {string} wallet
 * @param {string} about a channel's ID, that of an edited message, or `name`
 */
export function draftOf(wallet, about) {
  return drafts.get(keyOf(wallet, about)) ?? '';
}

/**
 * @param {string} wallet
 * @param {string} about
 * @param {string} text empty: there is none
 */
export function keepDraft(wallet, about, text) {
  if (text === '') drafts.delete(keyOf(wallet, about));
  else drafts.set(keyOf(wallet, about), text);
}
