import { html, render } from 'htm/preact';
import { useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { dismissAll, ToastRegion } from '../shared/toasts.js';
import { LauncherView } from './launcher-view.js';
import { Places } from './places.js';
import { SignInView } from './sign-in-view.js';
import { forgetDevice, storedPlayer, storeGame, storePlayer } from './stored-session.js';
import { claimsOf } from './token.js';

const places = new Places();

/** The launcher of the signed-in player, or the sign-in form with the reason why the last session ended. */
function Play() {
  const [player, setPlayer] = useState(storedPlayer);
  const [notice, setNotice] = useState(/** @type {import('./session-end.js').SessionEnd | null} */ (null));
  /** @param {import('./stored-session.js').StoredPlayer} signedIn */
  const signIn = (signedIn) => {
    storePlayer(signedIn);
    dismissAll(); // those of the previous player, also of calls that failed when the connection was closed
    setNotice(null);
    setPlayer(signedIn);
  };
  /** @param {string} launcherJwt */
  const continueWithWallet = (launcherJwt) => {
    if (player) forgetDevice(claimsOf(player.launcherJwt).address);
    storeGame(null);
    signIn({ launcherJwt, guest: false });
  };
  /** @param {import('./session-end.js').SessionEnd} end */
  const signOut = (end) => {
    storePlayer(null);
    setNotice(end);
    setPlayer(null);
  };
  return html`
    ${
      player === null
        ? html`
            <${SiteHeader} title="Play" />
            <${SignInView} notice=${notice} onSignedIn=${signIn} />
          `
        : html`
            <${LauncherView} key=${player.launcherJwt} player=${player} places=${places} onEnded=${signOut} onWallet=${continueWithWallet} />
            <${ToastRegion} />
          `
    }
  `;
}

const root = document.getElementById('app');
if (root) render(html`<${Play} />`, root);
