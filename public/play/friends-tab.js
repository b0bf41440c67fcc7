import { html } from 'htm/preact';
import { ErrorState, LoadingRows } from '../shared/states.js';

/**
 * The tab of the friends' panel, with the number of requests to the player.
 * @param {import('./launcher.js').Launcher} launcher
 * @param {boolean} wide
 * @returns {import('../shared/tabs.js').Tab}
 */
export function friendsTab({ friends }, wide) {
  return {
    id: 'friends',
    label: 'Friends',
    icon: wide ? undefined : 'people',
    count: friends?.received.length ?? 0,
  };
}

/**
 * The friends' panel, which is loaded once the player has signed in.
 * @param {{
 *   launcher: import('./launcher.js').Launcher,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} props
 */
export function FriendsTab({ launcher, onTalkTo }) {
  const { friends, friendViews, friendsError } = launcher;
  if (friends && friendViews) {
    return html`<${friendViews.FriendsPanel} launcher=${launcher} friends=${friends} onTalkTo=${onTalkTo} />`;
  }
  return friendsError === null
    ? html`<${LoadingRows} label="Loading friends" />`
    : html`<${ErrorState} error=${friendsError} title="Could not load friends" onRetry=${() => launcher.followFriends()} />`;
}
