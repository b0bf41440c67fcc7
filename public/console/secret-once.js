import { html } from 'htm/preact';
import { CopyButton } from '../shared/copy-button.js';

/**
 * A secret in the one moment that it can be seen.
 * @param {{ secret: string }} props
 */
export function SecretOnce({ secret }) {
  return html`
    <p class="banner warn"><span><strong>Copy it now.</strong> It is shown this once: the server keeps it encrypted, and the console cannot show it again.</span></p>
    <div class="secret"><code class="secret-text">${secret}</code><${CopyButton} text=${secret} label="Copy the secret" /></div>
  `;
}
