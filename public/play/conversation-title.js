/**
 * @typedef {import('./conversations.js').Channel} Channel
 */

/**
 * The wallets of a channel's other participants.
 * @param {Channel} channel
 * @param {string} own
 */
export function othersIn({ participants }, own) {
  return participants.map(({ wallet }) => wallet).filter((wallet) => wallet !== own);
}

/**
 * A conversation's name, or the names of its other participants.
 * @param {Channel} channel
 * @param {string} own
 * @param {import('./player-book.js').PlayerBook} players
 */
export function titleOf(channel, own, players) {
  if (channel.name !== '') return channel.name;
  const names = othersIn(channel, own).map((wallet) => players.name(wallet));
  return names.length === 0 ? 'Only you' : names.join(', ');
}
