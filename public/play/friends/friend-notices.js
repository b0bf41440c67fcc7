import { html } from 'htm/preact';
import { Avatar } from '../../shared/avatar.js';
import { Button } from '../../shared/button.js';
import { toastError } from '../../shared/toasts.js';
import { useAction } from './use-action.js';

/**
 * Invites to the player, until they are answered or expire.
 * @param {{ launcher: import('../launcher.js').Launcher, friends: import('./friends.js').Friends }} props
 */
export function FriendNotices({ launcher, friends }) {
  return html`
    <section class="friend-notices" aria-label="Invites" aria-live="polite" aria-relevant="additions">
      ${friends.invites.map((invite) => html`<${Invited} key=${invite.inviteId} launcher=${launcher} friends=${friends} invite=${invite} />`)}
    </section>
  `;
}

/**
 * @param {{
 *   launcher: import('../launcher.js').Launcher,
 *   friends: import('./friends.js').Friends,
 *   invite: import('./friends.js').Invite,
 * }} props
 */
function Invited({ launcher, friends, invite }) {
  const { from, gameId, message } = invite;
  const { players } = launcher;
  const { busy, run } = useAction();
  const name = players.name(from);
  const game = launcher.nameOf(gameId) ?? 'a game';
  /** @param {boolean} accept */
  const answer = (accept) =>
    run(accept ? 'accept' : 'decline', async () => {
      try {
        const join = await friends.answer(invite, accept);
        if (join) await launcher.openToJoin(join);
      } catch (error) {
        toastError(error);
      }
    });
  return html`
    <div class="friend-notice card">
      <${Avatar} wallet=${from} url=${players.avatar(from)} />
      <div class="friend-text">
        <p><strong>${name}</strong> invites you to <strong>${game}</strong></p>
        ${message && html`<p class="small friend-message">${message}</p>`}
        <div class="friend-answers">
          <${Button} size="small" kind="primary" busy=${busy === 'accept'} aria-label="Accept the invite of ${name}" onClick=${() => answer(true)}>Accept<//>
          <${Button} size="small" busy=${busy === 'decline'} aria-label="Decline the invite of ${name}" onClick=${() => answer(false)}>Decline<//>
        </div>
      </div>
    </div>
  `;
}
