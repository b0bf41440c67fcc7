import { html } from 'htm/preact';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { toastError } from './launcher.js';
import { NameForm } from './name-form.js';

/**
 * The signed-in player's account, with the sign-out button.
 * @param {{ launcher: import('./launcher.js').Launcher, guest: boolean }} props
 */
export function PlayerMenu({ launcher, guest }) {
  const { wallet, players } = launcher;
  const name = players.name(wallet);
  return html`
    <button type="button" class="button plain player-button" popovertarget="player-menu" aria-label="Account: ${name}">
      <${Avatar} small wallet=${wallet} url=${players.avatar(wallet)} />
      <span class="wide-only truncate">${name}</span>
      <${Icon} name="chevronDown" />
    </button>
    <div id="player-menu" class="menu" popover="auto" role="dialog" aria-label="Account">
      <div class="menu-body">
        <div class="menu-player">
          <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} />
          <div>
            <strong>${name}</strong><br />
            <${Address} wallet=${wallet} />
          </div>
        </div>
        <${NameForm} launcher=${launcher} />
        ${
          guest &&
          html`<p class="quiet small">You are playing as a guest: this wallet is discarded when you close the tab or sign out.</p>`
        }
        <${Button} wide onClick=${() => launcher.signOut().catch(toastError)}><${Icon} name="signOut" />Sign out<//>
      </div>
    </div>
  `;
}
