import { html, render } from 'htm/preact';
import { useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { ToastRegion } from '../shared/toasts.js';
import { forgetDevice, keepGame, keepPlayer, keptPlayer } from './kept.js';
import { LauncherView } from './launcher-view.js';
import { SignInView } from './sign-in-view.js';
import { claimsOf } from './token.js';

/** The launcher of the signed-in player, or the sign-in form with the reason why the last session ended. */
function Play() {
  const [player, setPlayer] = useState(keptPlayer);
  const [notice, setNotice] = useState(/** @type {import('./session-end.js').SessionEnd | null} */ (null));
  /** @param {import('./kept.js').KeptPlayer} signedIn */
  const signIn = (signedIn) => {
    keepPlayer(signedIn);
    setNotice(null);
    setPlayer(signedIn);
  };
  /** @param {string} launcherJwt */
  const goOnWithWallet = (launcherJwt) => {
    if (player) forgetDevice(claimsOf(player.launcherJwt).address);
    keepGame(null);
    signIn({ launcherJwt, guest: false });
  };
  /** @param {import('./session-end.js').SessionEnd} end */
  const signOut = (end) => {
    keepPlayer(null);
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
        : html`<${LauncherView} key=${player.launcherJwt} player=${player} onEnded=${signOut} onWallet=${goOnWithWallet} />`
    }
    <${ToastRegion} />
  `;
}

const place = document.getElementById('app');
if (place) render(html`<${Play} />`, place);
