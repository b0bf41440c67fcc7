import { html } from 'htm/preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Avatar } from '../../shared/avatar.js';
import { Button } from '../../shared/button.js';
import { Icon } from '../../shared/icon.js';
import { Empty, ErrorState, LoadingRows } from '../../shared/states.js';
import { AddFriend } from './add-friend.js';
import { FriendDialog } from './friend-dialog.js';
import { FriendRow } from './friend-row.js';
import { Privacy } from './privacy.js';
import { useAction } from './use-action.js';

/**
 * @typedef {import('./friends.js').Friend} Friend
 * @typedef {import('./friends.js').Request} Request
 * @typedef {{
 *   launcher: import('../launcher.js').Launcher,
 *   friends: import('./friends.js').Friends,
 *   onTalkTo: (wallets: string[]) => Promise<void>,
 * }} WithFriends `onTalkTo`: opens the conversation with these players, in the open game or else outside of games
 */

/**
 * The player's friends: requests, then favorites, then who is online.
 * @param {WithFriends} props
 */
export function FriendsPanel({ launcher, friends, onTalkTo }) {
  const { places } = launcher;
  const panel = useRef(/** @type {HTMLDivElement | null} */ (null));
  const focused = useRef(/** @type {Element | null} */ (null));
  // The button that was pressed may be gone with its row.
  useLayoutEffect(() => {
    if (focused.current?.isConnected !== false) return;
    focused.current = null;
    if (document.activeElement === document.body) panel.current?.focus();
  });
  const { received, sent, friends: all } = friends;
  const favorites = all.filter(({ favorite }) => favorite);
  const others = all.filter(({ favorite }) => !favorite);
  const unknown = others.filter(({ status }) => status === 'unknown');
  const online = others.filter(({ status }) => status !== 'unknown' && status !== 'offline');
  const offline = others.filter(({ status }) => status === 'offline');
  const close = (/** @type {string} */ dialog) => () => places.closeDialog(dialog);
  const about = places.dialog('friend');
  const row = (/** @type {Friend} */ one) =>
    html`<${FriendRow} key=${one.wallet} launcher=${launcher} friends=${friends} friend=${one} onTalkTo=${onTalkTo} onMore=${() => places.openDialog('friend', one.wallet)} />`;
  return html`
    <div
      class="friends"
      tabindex="-1"
      ref=${panel}
      onFocusIn=${(/** @type {FocusEvent} */ { target }) => {
        focused.current = /** @type {Element | null} */ (target);
      }}
    >
      <div class="panel-head">
        <h2>Friends</h2>
        <div class="friends-head">
          <${Button} size="small" kind="plain" iconOnly label="Privacy" onClick=${() => places.openDialog('privacy')}><${Icon} name="shield" /><//>
          <${Button} size="small" onClick=${() => places.openDialog('add')}><${Icon} name="plus" />Add friend<//>
        </div>
      </div>
      ${launcher.connectionState.state === 'reconnecting' && html`<p class="banner warn" role="status">Not connected: who is online is not known.</p>`}
      ${
        friends.error !== null
          ? html`<${ErrorState} error=${friends.error} title="Could not load friends" onRetry=${() => friends.follow()} />`
          : !friends.isLoaded
            ? html`<${LoadingRows} label="Loading friends" />`
            : html`
                <${Section} title="Requests" count=${received.length}>
                  ${received.map((one) => html`<${Received} key=${one.wallet} launcher=${launcher} friends=${friends} request=${one} />`)}
                <//>
                <${Section} title="Favorites" count=${favorites.length}>${favorites.map(row)}<//>
                <${Section} title="Friends" count=${unknown.length}>${unknown.map(row)}<//>
                <${Section} title="Online" count=${online.length}>${online.map(row)}<//>
                <${Section} title="Offline" count=${offline.length}>${offline.map(row)}<//>
                <${Section} title="Sent requests" count=${sent.length}>
                  ${sent.map((one) => html`<${Sent} key=${one.wallet} launcher=${launcher} friends=${friends} request=${one} />`)}
                <//>
                ${
                  all.length + received.length + sent.length === 0 &&
                  html`
                    <${Empty} icon="people" title="No friends yet">
                      <p>Friends see when you are online and what you play, and can join you.</p>
                      <${Button} kind="primary" onClick=${() => places.openDialog('add')}>Add a friend<//>
                    <//>
                  `
                }
              `
      }
      ${places.dialog('add') !== null && html`<${AddFriend} launcher=${launcher} friends=${friends} onClose=${close('add')} />`}
      ${places.dialog('privacy') !== null && html`<${Privacy} friends=${friends} onClose=${close('privacy')} />`}
      ${about !== null && friends.isLoaded && html`<${FriendDialog} launcher=${launcher} friends=${friends} wallet=${about} onTalkTo=${onTalkTo} onClose=${close('friend')} />`}
    </div>
  `;
}

/**
 * A part of the list; nothing when it is empty.
 * @param {{ title: string, count: number, children?: import('preact').ComponentChildren }} props
 */
function Section({ title, count, children }) {
  if (count === 0) return null;
  return html`
    <section class="friends-section">
      <h3>${title} <span class="quiet">${count}</span></h3>
      <ul role="list">${children}</ul>
    </section>
  `;
}

/**
 * A request to the player.
 * @param {{ launcher: import('../launcher.js').Launcher, friends: import('./friends.js').Friends, request: Request }} props
 */
function Received({ launcher, friends, request: { wallet, message } }) {
  const { players } = launcher;
  const { busy, problem, run } = useAction();
  const name = players.name(wallet);
  return html`
    <li class="friend">
      <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} />
      <div class="friend-text">
        <strong class="truncate" title=${name}>${name}</strong>
        ${message && html`<span class="small friend-message">${message}</span>`}
        ${problem && html`<span class="small problem" role="alert">${problem}</span>`}
        <div class="friend-answers">
          <${Button} size="small" kind="primary" busy=${busy === 'accept'} aria-label="Accept ${name}" onClick=${() => run('accept', () => friends.accept(wallet))}>Accept<//>
          <${Button} size="small" busy=${busy === 'decline'} aria-label="Decline ${name}" onClick=${() => run('decline', () => friends.decline(wallet))}>Decline<//>
        </div>
      </div>
    </li>
  `;
}

/**
 * A request by the player.
 * @param {{ launcher: import('../launcher.js').Launcher, friends: import('./friends.js').Friends, request: Request }} props
 */
function Sent({ launcher, friends, request: { wallet } }) {
  const { players } = launcher;
  const { busy, problem, run } = useAction();
  const name = players.name(wallet);
  return html`
    <li class="friend">
      <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} />
      <div class="friend-text">
        <strong class="truncate" title=${name}>${name}</strong>
        ${problem ? html`<span class="small problem" role="alert">${problem}</span>` : html`<span class="quiet small">Not answered yet</span>`}
      </div>
      <${Button} size="small" busy=${busy !== ''} aria-label="Cancel the request to ${name}" onClick=${() => run('cancel', () => friends.remove(wallet))}>Cancel<//>
    </li>
  `;
}
