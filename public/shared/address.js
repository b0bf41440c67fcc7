import { html } from 'htm/preact';
import { CopyButton } from './copy-button.js';

/**
 * `0x1234…abcd`
 * @param {string} wallet
 */
export function shortAddress(wallet) {
  return wallet.length > 12 ? `${wallet.slice(0, 6)}…${wallet.slice(-4)}` : wallet;
}

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
