import { html } from 'htm/preact';
import { Avatar } from '../../shared/avatar.js';
import { Button } from '../../shared/button.js';
import { Icon } from '../../shared/icon.js';
import { toastError } from '../../shared/toasts.js';
import { dotOf, PresenceLine } from './presence-line.js';
import { useAction } from './use-action.js';

/**
 * A friend: what the friend is doing, and what can be done together.
 * @param {import('./friends-panel.js').WithFriends & { friend: import('./friends.js').Friend, onMore: () => void }} props
 */
export function FriendRow({ launcher, friends, friend, onTalkTo, onMore }) {
  const { players } = launcher;
  const { wallet, username: name, favorite, note } = friend;
  return html`
    <li class="friend">
      <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} present=${dotOf(friend)} />
      <div class="friend-text">
        <strong class="truncate" title=${name}>${name}${favorite && html`<span aria-hidden="true"> ★</span><span class="visually-hidden">, favorite</span>`}</strong>
        <${PresenceLine} friend=${friend} />
        ${note && html`<span class="quiet small truncate friend-note" title=${note}>${note}</span>`}
      </div>
      <${JoinOrInvite} launcher=${launcher} friends=${friends} friend=${friend} isOnlineOnly />
      <${Button} size="small" kind="plain" iconOnly label="Message ${name}" onClick=${() => onTalkTo([wallet]).catch(toastError)}><${Icon} name="chat" /><//>
      <${Button} size="small" kind="plain" iconOnly label="More about ${name}" onClick=${onMore}><${Icon} name="more" /><//>
    </li>
  `;
}

/**
 * Joins a friend who can be joined, or invites one to the open game, or cancels that.
 * @param {{
 *   launcher: import('../launcher.js').Launcher,
 *   friends: import('./friends.js').Friends,
 *   friend: import('./friends.js').Friend,
 *   isOnlineOnly?: boolean,
 *   onDone?: () => void,
 * }} props `isOnlineOnly`: does not offer to invite a friend who is offline
 */
export function JoinOrInvite({ launcher, friends, friend, isOnlineOnly = false, onDone = () => {} }) {
  const { busy, run } = useAction();
  const { wallet, username: name, status, joinable } = friend;
  const { playing } = launcher;
  /** @param {() => Promise<unknown>} act */
  const go = (act) => run('act', () => act().then(onDone, toastError));
  if (joinable) {
    const join = async () => launcher.openToJoin(await friends.join(wallet));
    return html`<${Button} size="small" kind="primary" busy=${busy !== ''} aria-label="Join ${name}" onClick=${() => go(join)}>Join<//>`;
  }
  if (playing === null || status === 'unknown' || (isOnlineOnly && status === 'offline')) return null;
  const invited = friends.inviteTo(wallet, playing.gameId);
  if (invited) {
    const cancel = () => friends.cancelInvite(invited.inviteId);
    return html`<${Button} size="small" busy=${busy !== ''} aria-label="Cancel the invite to ${name}" onClick=${() => go(cancel)}>Invited<//>`;
  }
  const invite = () => friends.invite(wallet, playing.gameId);
  return html`<${Button} size="small" busy=${busy !== ''} aria-label="Invite ${name} to ${playing.name}" onClick=${() => go(invite)}>Invite<//>`;
}
