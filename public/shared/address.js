import { shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { CopyButton } from './copy-button.js';

/**
 * A wallet's address, shortened, with the full one on hover and a copy button.
 * @param {{ wallet: string, href?: string | undefined }} props `href`: the link target
 */
export function Address({ wallet, href }) {
  return html`
    <span class="address">
      ${
        href === undefined
          ? html`<span title=${wallet}>${shortAddress(wallet)}</span>`
          : html`<a href=${href} title=${wallet}>${shortAddress(wallet)}</a>`
      }
      <${CopyButton} text=${wallet} label="Copy address ${shortAddress(wallet)}" />
    </span>
  `;
}
