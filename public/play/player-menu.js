import { html } from 'htm/preact';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { sayWhatFailed } from './launcher.js';

/**
 * Who is signed in, and the way out.
 * @param {{ launcher: import('./launcher.js').Launcher, guest: boolean }} props
 */
export function PlayerMenu({ launcher, guest }) {
  const { wallet, players } = launcher;
  const name = players.name(wallet);
  return html`
    <button type="button" class="button plain player-button" popovertarget="player-menu" aria-label="You are ${name}. Account">
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
        ${
          guest &&
          html`<p class="quiet small">You play as a guest: this wallet is forgotten when the tab is closed or you sign out.</p>`
        }
        <${Button} wide onClick=${() => launcher.signOut().catch(sayWhatFailed)}><${Icon} name="signOut" />Sign out<//>
      </div>
    </div>
  `;
}
