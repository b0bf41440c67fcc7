import { html, render } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { ToastRegion } from '../shared/toasts.js';
import { Admin, AdminContext } from './admin.js';
import { keepToken, keptToken } from './kept-token.js';
import { Shell } from './shell.js';
import { SignInView } from './sign-in-view.js';

/** The console of the signed-in administrator, or the sign-in form. */
function Console() {
  const [token, setToken] = useState(keptToken);
  const [notice, setNotice] = useState('');
  const [hasSignedIn, setSignedIn] = useState(false);
  /** @param {string} message */
  const signOut = (message) => {
    keepToken(null);
    setNotice(message);
    setToken(null);
  };
  const admin = useMemo(
    () =>
      token === null
        ? null
        : new Admin(token, () => signOut('The admin token is no longer valid. Sign in with the new one.')),
    [token],
  );
  useEffect(() => () => admin?.close(), [admin]);
  /** @param {string} entered */
  const signIn = (entered) => {
    keepToken(entered);
    setNotice('');
    setSignedIn(true);
    setToken(entered);
  };
  return html`
    ${
      admin === null
        ? html`
            <${SiteHeader} title="Console" />
            <${SignInView} notice=${notice} onSignedIn=${signIn} />
          `
        : html`
            <${AdminContext.Provider} value=${admin}>
              <${Shell} takesFocus=${hasSignedIn} onSignOut=${() => signOut('Signed out. The token was removed from this tab.')} />
            <//>
          `
    }
    <${ToastRegion} />
  `;
}

const place = document.getElementById('app');
if (place) render(html`<${Console} />`, place);
