import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { toastError } from '../shared/toasts.js';
import { NameForm } from './name-form.js';
import { useMenu } from './places.js';
import { signInProblem } from './session-end.js';
import { signerOfWallet, watchWallets } from './wallets.js';

/**
 * The signed-in player's account, with the sign-out button.
 * @param {{
 *   launcher: import('./launcher.js').Launcher,
 *   guest: boolean,
 *   onWallet: (launcherJwt: string) => void,
 * }} props
 */
export function PlayerMenu({ launcher, guest, onWallet }) {
  const { wallet, players, status, friendViews, connectionState } = launcher;
  const shown = status.status === 'online' ? true : status.status;
  const present = connectionState.isConnected ? shown : undefined;
  const name = players.name(wallet);
  const menu = useMenu(launcher.places, 'account');
  return html`
    <button type="button" class="button plain player-button" popovertarget="player-menu" aria-label="Account: ${name}">
      <${Avatar} small wallet=${wallet} url=${players.avatar(wallet)} present=${present} />
      <span class="wide-only truncate">${name}</span>
      <${Icon} name="chevronDown" />
    </button>
    <div id="player-menu" ...${menu} class="menu" popover="auto" role="dialog" aria-label="Account">
      <div class="menu-body">
        <div class="menu-player">
          <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} />
          <div>
            <strong>${name}</strong><br />
            <${Address} wallet=${wallet} />
          </div>
        </div>
        <${NameForm} launcher=${launcher} />
        ${friendViews && html`<${friendViews.StatusForm} launcher=${launcher} />`}
        ${guest && html`<${ConnectWallet} launcher=${launcher} onWallet=${onWallet} />`}
        <${Button} wide onClick=${() => launcher.signOut().catch(toastError)}><${Icon} name="signOut" />Sign out<//>
      </div>
    </div>
  `;
}

/**
 * Explains guest accounts, and lets the guest connect a wallet.
 * @param {{ launcher: import('./launcher.js').Launcher, onWallet: (launcherJwt: string) => void }} props
 */
function ConnectWallet({ launcher, onWallet }) {
  const [wallets, setWallets] = useState(/** @type {import('./wallets.js').Wallet[]} */ ([]));
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  useEffect(() => watchWallets(setWallets), []);
  /** @param {import('./wallets.js').Wallet} wallet */
  const connect = async ({ id, provider }) => {
    setBusy(id);
    setProblem('');
    try {
      const launcherJwt = await launcher.connectWallet(await signerOfWallet(provider));
      launcher.places.closeDialog('account');
      onWallet(launcherJwt);
    } catch (error) {
      setProblem(signInProblem(error));
      setBusy('');
    }
  };
  return html`
    <p class="quiet small">
      You are playing as a guest, whose account is stored only in this browser. Connect a wallet to keep it, with all
      scores and messages, wherever you sign in.
    </p>
    ${wallets.map(
      (wallet) => html`
        <${Button} key=${wallet.id} kind="primary" wide busy=${busy === wallet.id} disabled=${busy !== ''} onClick=${() => connect(wallet)}>
          <${Icon} name="wallet" />Connect ${wallet.name} to keep it
        <//>
      `,
    )}
    ${wallets.length === 0 && html`<p class="quiet small">No wallet found in this browser: install one to keep this player.</p>`}
    ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
  `;
}
