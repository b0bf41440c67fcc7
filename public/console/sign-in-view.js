import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Mark } from '../shared/site-header.js';
import { messageOf } from '../shared/states.js';
import { Admin } from './admin.js';
import { TextField } from './fields.js';

/**
 * Takes the admin token, and tries it before it is kept.
 * @param {{ farewell: string, onSignedIn: (token: string) => void }} props
 */
export function SignInView({ farewell, onSignedIn }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    document.title = 'Console · Gantry';
  }, []);
  /** @param {Event} event */
  const enter = async (event) => {
    event.preventDefault();
    const entered = token.trim();
    if (entered === '') return setProblem('Enter the admin token.');
    setBusy(true);
    setProblem('');
    const trial = new Admin(entered, () => {});
    try {
      await trial.call('listAuditLog', { limit: 1 });
      onSignedIn(entered);
    } catch (error) {
      setBusy(false);
      setProblem(wordsFor(error));
    } finally {
      trial.close();
    }
  };
  return html`
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit=${enter}>
        <div class="sign-in-head">
          <${Mark} />
          <h1>Console</h1>
          <p class="quiet">For whoever runs this server.</p>
        </div>
        ${farewell && html`<p class="banner warn" role="alert">${farewell}</p>`}
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
          hint="It was printed when the server first started, or is set in ADMIN_TOKEN. It stays in this tab only."
        />
        <${Button} kind="primary" type="submit" wide busy=${busy}>Sign in<//>
      </form>
    </main>
  `;
}

/** @param {unknown} error */
function wordsFor(error) {
  const reason = error instanceof Error && 'reason' in error ? error.reason : '';
  if (reason === 'admin_token_invalid') return 'This is not the admin token of this server.';
  return messageOf(error);
}
