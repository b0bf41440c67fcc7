import { html, render } from 'htm/preact';
import { useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { ToastRegion } from '../shared/toasts.js';
import { keepPlayer, keptPlayer } from './kept.js';
import { LauncherView } from './launcher-view.js';
import { SignInView } from './sign-in-view.js';

/** Who is signed in, or why nobody is any more. */
function Play() {
  const [player, setPlayer] = useState(keptPlayer);
  const [farewell, setFarewell] = useState(/** @type {import('./endings.js').Ending | null} */ (null));
  /** @param {import('./kept.js').KeptPlayer} signedIn */
  const enter = (signedIn) => {
    keepPlayer(signedIn);
    setFarewell(null);
    setPlayer(signedIn);
  };
  /** @param {import('./endings.js').Ending} ending */
  const leave = (ending) => {
    keepPlayer(null);
    setFarewell(ending);
    setPlayer(null);
  };
  return html`
    ${
      player === null
        ? html`
            <${SiteHeader} title="Play" />
            <${SignInView} farewell=${farewell} onSignedIn=${enter} />
          `
        : html`<${LauncherView} key=${player.launcherJwt} player=${player} onEnded=${leave} />`
    }
    <${ToastRegion} />
  `;
}

const place = document.getElementById('app');
if (place) render(html`<${Play} />`, place);
