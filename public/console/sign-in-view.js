import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Mark } from '../shared/site-header.js';
import { messageOf } from '../shared/states.js';
import { Admin } from './admin.js';
import { TextField } from './fields.js';

/**
 * Asks for the admin token.
 * @param {{ notice: string, onSignedIn: (token: string) => void }} props
 */
export function SignInView({ notice, onSignedIn }) {
  useEffect(() => {
    document.title = 'Console · Gantry';
  }, []);
  return html`
    <main class="sign-in">
      <div class="card sign-in-card">
        <div class="sign-in-head">
          <${Mark} />
          <h1>Console</h1>
          <p class="quiet">Administration of this server</p>
        </div>
        <${SignInForm} notice=${notice} onSignedIn=${onSignedIn} />
      </div>
    </main>
  `;
}

/**
 * The form for the admin token, which is verified before it is stored.
 * @param {{ notice: string, onSignedIn: (token: string) => void }} props
 */
export function SignInForm({ notice, onSignedIn }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  /** @param {Event} event */
  const signIn = async (event) => {
    event.preventDefault();
    const entered = token.trim();
    if (entered === '') return setProblem('Enter the admin token.');
    setBusy(true);
    setProblem('');
    const trial = new Admin(entered, { onRefused: () => {} });
    try {
      await trial.call('whoAmI', {});
      onSignedIn(entered);
    } catch (error) {
      setBusy(false);
      setProblem(describeError(error));
    } finally {
      trial.close();
    }
  };
  return html`
      <form class="sign-in-form" onSubmit=${signIn}>
        ${notice && !problem && html`<p class="banner warn" role="alert">${notice}</p>`}
        <${TextField}
          label="Admin token"
          type="password"
          autocomplete="current-password"
          spellcheck=${false}
          autofocus
          maxlength=${512}
          value=${token}
          onValue=${setToken}
          problem=${problem}
          hint="Your token from an owner, or the one printed when the server first started or set in ADMIN_TOKEN. Stored until the last console tab is closed."
        />
        <${Button} kind="primary" type="submit" wide busy=${busy}>Sign in<//>
      </form>
  `;
}

/** @param {unknown} error */
function describeError(error) {
  const reason = error instanceof Error && 'reason' in error ? error.reason : '';
  if (reason === 'admin_token_invalid') return 'Invalid admin token.';
  return messageOf(error);
}
