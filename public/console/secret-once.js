import { html } from 'htm/preact';
import { CopyButton } from '../shared/copy-button.js';

/**
 * A secret, shown once after its creation.
 * @param {{ secret: string, kind?: 'secret' | 'token' }} props `kind`: of a token, the server keeps the hash only
 */
export function SecretOnce({ secret, kind = 'secret' }) {
  const kept = kind === 'token' ? 'only its hash' : 'it encrypted';
  return html`
    <p class="banner warn"><span><strong>Copy it now.</strong> This ${kind} is shown only once; the server stores ${kept}.</span></p>
    <div class="secret"><code class="secret-text">${secret}</code><${CopyButton} text=${secret} label="Copy ${kind}" /></div>
  `;
}
