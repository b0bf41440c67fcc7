/**
 * @typedef {import('./conversation-state.js').Channel} Channel
 */

/**
 * The wallets of a channel's other participants.
 * @param {Channel} channel
 * @param {string} own
 */
export function othersIn({ participants }, own) {
  return participants.map(({ wallet }) => wallet).filter((wallet) => wallet !== own);
}

/** More names than this are cut short; the list of conversations comes with the names of four. */
const mostNames = 4;

/**
 * A conversation's name, or the names of its other participants.
 * @param {Channel} channel
 * @param {string} own
 * @param {import('./player-book.js').PlayerBook} players
 */
export function titleOf(channel, own, players) {
  if (channel.name !== '') return channel.name;
  const others = othersIn(channel, own);
  if (others.length === 0) return 'Only you';
  const named = others.length > mostNames ? others.slice(0, mostNames - 1) : others;
  const names = named.map((wallet) => players.name(wallet)).join(', ');
  return named.length === others.length ? names : `${names} and ${others.length - named.length} more`;
}
