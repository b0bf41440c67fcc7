import { html } from 'htm/preact';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { RelativeTime } from '../shared/relative-time.js';

/**
 * A player in a table cell.
 * @param {{ wallet: string, username?: string, avatar?: string }} props
 */
export function PlayerCell({ wallet, username, avatar }) {
  return html`
    <span class="player-cell">
      <${Avatar} wallet=${wallet} url=${avatar || undefined} small />
      ${username && !username.includes('…') && html`<span class="truncate">${username}</span>`}
      <${Address} wallet=${wallet} />
    </span>
  `;
}

/**
 * A time, or a placeholder for none.
 * @param {{ at: number | null, none?: string }} props
 */
export function TimeCell({ at, none = '–' }) {
  return at === null ? html`<span class="quiet">${none}</span>` : html`<${RelativeTime} at=${at} />`;
}

/** For exports: the time as ISO 8601. @param {number | null} at */
export function isoTime(at) {
  return at === null ? null : new Date(at).toISOString();
}
