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
 * @param {{ wallet: string }} props
 */
export function Address({ wallet }) {
  return html`
    <span class="address">
      <span title=${wallet}>${shortAddress(wallet)}</span>
      <${CopyButton} text=${wallet} label="Copy address ${shortAddress(wallet)}" />
    </span>
  `;
}
