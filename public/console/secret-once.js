import { html } from 'htm/preact';
import { CopyButton } from '../shared/copy-button.js';

/**
 * A secret, shown once after its creation; Enter copies it rather than closing the dialog.
 * @param {{ secret: string, kind?: 'secret' | 'token' }} props `kind`: the server stores only the hash of a token
 */
export function SecretOnce({ secret, kind = 'secret' }) {
  const stored = kind === 'token' ? 'only its hash' : 'it encrypted';
  return html`
    <p class="banner warn"><span><strong>Copy it now.</strong> This ${kind} is shown only once; the server stores ${stored}.</span></p>
    <div class="secret"><code class="secret-text">${secret}</code><${CopyButton} text=${secret} label="Copy ${kind}" autofocus /></div>
  `;
}
