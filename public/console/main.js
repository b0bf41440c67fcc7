import { html, render } from 'htm/preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { post } from '../shared/api.js';
import { Dialog } from '../shared/dialog.js';
import { useChanges } from '../shared/observable.js';
import { SiteHeader } from '../shared/site-header.js';
import { ErrorState, Loading, messageOf } from '../shared/states.js';
import { ToastRegion } from '../shared/toasts.js';
import { Admin, AdminContext } from './admin.js';
import { SharedSignIn } from './shared-sign-in.js';
import { Shell } from './shell.js';
import { SignInForm, SignInView } from './sign-in-view.js';

const tokenInvalid =
  'Your token is no longer valid: it was revoked or replaced, or has expired. Sign in with a new one.';

/** The console of the signed-in administrator, or the sign-in form. */
function Console() {
  const [notice, setNotice] = useState('');
  const [hasSignedIn, setSignedIn] = useState(false);
  const signIns = useRef(/** @type {SharedSignIn | null} */ (null));
  signIns.current ??= new SharedSignIn({
    onToken: (given) => take(given),
    onSignedOut: () => leave('Signed out in another tab.'),
  });
  const shared = signIns.current;
  const [token, setToken] = useState(() => shared.token());
  // Another tab responds immediately, if there is one.
  const [isAsking, setAsking] = useState(token === null);
  useEffect(() => {
    if (token === null) {
      if (linkCode === null) shared.ask().then(() => setAsking(false));
      else followLink(linkCode);
    }
    // Another link in the address of the same page does not load it again. Capturing, so that no route is read from it.
    const onHash = () => {
      const code = takeLinkCode();
      if (code !== null && shared.token() === null) followLink(code);
    };
    addEventListener('hashchange', onHash, true);
    return () => removeEventListener('hashchange', onHash, true);
  }, []);
  /** @param {string} code */
  const followLink = (code) =>
    signInByLink(code).then(signIn, async (error) => {
      await shared.ask(); // a tab that is signed in makes up for a link that was used before
      setNotice(messageOf(error));
      setAsking(false);
    });
  /** @param {string} message */
  const leave = (message) => {
    setNotice(message);
    setAsking(false);
    setToken(null);
  };
  const admin = useMemo(
    () =>
      token === null
        ? null
        : new Admin(token, {
            identity: shared.identity(),
            onIdentity: (identity) => shared.keepIdentity(identity),
            onReplaced: (replaced) => shared.replace(replaced),
            onRefused: (wasAccepted) => {
              shared.refuse();
              if (!wasAccepted) leave(tokenInvalid);
            },
          }),
    [token],
  );
  useEffect(() => () => admin?.close(), [admin]);
  const signedIn = useRef(admin);
  signedIn.current = admin;
  /** @param {string} given */
  const take = (given) => {
    if (signedIn.current?.refusal) signedIn.current.resume(given);
    else setToken(given);
  };
  /** @param {string} entered */
  const signIn = (entered) => {
    shared.keep(entered);
    setNotice('');
    setSignedIn(true);
    take(entered);
  };
  const signOut = () => {
    shared.signOut();
    leave("Signed out. The token was removed from this browser's tabs.");
  };
  return html`
    ${
      admin === null
        ? html`
            <${SiteHeader} title="Console" />
            ${isAsking ? html`<${Loading} />` : html`<${SignInView} notice=${notice} onSignedIn=${signIn} />`}
          `
        : html`
            <${AdminContext.Provider} value=${admin}>
              <${SignedIn} admin=${admin} takesFocus=${hasSignedIn} onSignOut=${signOut} onSignIn=${signIn} onLeave=${() => leave(tokenInvalid)} />
            <//>
          `
    }
    <${ToastRegion} />
  `;
}

/**
 * The console once the identity is known, because its contents depend on the role. It stays as it is, with what was
 * typed in it, when the token is no longer valid.
 * @param {{
 *   admin: Admin,
 *   takesFocus: boolean,
 *   onSignOut: () => void,
 *   onSignIn: (token: string) => void,
 *   onLeave: () => void,
 * }} props `onSignIn`: again; `onLeave`: instead of that
 */
function SignedIn({ admin, takesFocus, onSignOut, onSignIn, onLeave }) {
  useChanges(admin);
  if (admin.identity !== null) {
    return html`
      <${Shell} takesFocus=${takesFocus} onSignOut=${onSignOut} />
      ${
        admin.refusal !== null &&
        html`
          <${Dialog} title="Sign in again" stays onClose=${onLeave}>
            <${SignInForm} notice=${`${tokenInvalid} What you have typed is kept.`} onSignedIn=${onSignIn} />
          <//>
        `
      }
    `;
  }
  return html`
    <${SiteHeader} title="Console" />
    ${
      admin.identityError === null
        ? html`<${Loading} />`
        : html`<${ErrorState} error=${admin.identityError} onRetry=${() => admin.refreshIdentity()} />`
    }
  `;
}

/** The code of a link that signs in, which is removed from the address and from the browser's history. */
function takeLinkCode() {
  const code = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/** @param {string} code @returns {Promise<string>} a token */
async function signInByLink(code) {
  const { token } = await post('/console/sign-in', {}, { headers: { Authorization: `Bearer ${code}` } });
  return token;
}

const linkCode = takeLinkCode();
const root = document.getElementById('app');
if (root) render(html`<${Console} />`, root);
