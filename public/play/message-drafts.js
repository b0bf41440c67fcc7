/**
 * What each player has begun to write in each conversation, or could not send. It stays until the page is left, also when
 * the conversation or the game is, or the session ends. It is never written to browser storage.
 * @type {Map<string, string>}
 */
const drafts = new Map();

/** @param {string} wallet @param {string} channelId */
const keyOf = (wallet, channelId) => `${wallet} ${channelId}`;

/**
 * @param {string} wallet
 * @param {string} channelId
 */
export function draftOf(wallet, channelId) {
  return drafts.get(keyOf(wallet, channelId)) ?? '';
}

/**
 * @param {string} wallet
 * @param {string} channelId
 * @param {string} text empty: there is none
 */
export function keepDraft(wallet, channelId, text) {
  if (text === '') drafts.delete(keyOf(wallet, channelId));
  else drafts.set(keyOf(wallet, channelId), text);
}
