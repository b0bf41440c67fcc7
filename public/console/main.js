import { html, render } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { ToastRegion } from '../shared/toasts.js';
import { Admin, AdminContext } from './admin.js';
import { keepToken, keptToken } from './kept-token.js';
import { Shell } from './shell.js';
import { SignInView } from './sign-in-view.js';

/** Whoever is signed in, or the way in. */
function Console() {
  const [token, setToken] = useState(keptToken);
  const [farewell, setFarewell] = useState('');
  /** @param {string} words */
  const leave = (words) => {
    keepToken(null);
    setFarewell(words);
    setToken(null);
  };
  const admin = useMemo(
    () =>
      token === null
        ? null
        : new Admin(token, () => leave('The admin token is no longer accepted. Sign in with the new one.')),
    [token],
  );
  useEffect(() => () => admin?.close(), [admin]);
  /** @param {string} entered */
  const enter = (entered) => {
    keepToken(entered);
    setFarewell('');
    setToken(entered);
  };
  return html`
    ${
      admin === null
        ? html`
            <${SiteHeader} title="Console" />
            <${SignInView} farewell=${farewell} onSignedIn=${enter} />
          `
        : html`
            <${AdminContext.Provider} value=${admin}>
              <${Shell} onLeave=${() => leave('You are signed out. The token is forgotten in this tab.')} />
            <//>
          `
    }
    <${ToastRegion} />
  `;
}

const place = document.getElementById('app');
if (place) render(html`<${Console} />`, place);
