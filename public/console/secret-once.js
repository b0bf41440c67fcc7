import { html } from 'htm/preact';
import { CopyButton } from '../shared/copy-button.js';

/**
 * A secret, shown once after its creation.
 * @param {{ secret: string }} props
 */
export function SecretOnce({ secret }) {
  return html`
    <p class="banner warn"><span><strong>Copy it now.</strong> This secret is shown only once; the server stores it encrypted.</span></p>
    <div class="secret"><code class="secret-text">${secret}</code><${CopyButton} text=${secret} label="Copy secret" /></div>
  `;
}
