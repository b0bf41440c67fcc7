import { defaultName, shortAddress } from 'gantry-names';
import { html } from 'htm/preact';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { RelativeTime } from '../shared/relative-time.js';
import { usePlayerName } from './player-names.js';
import { linkTo } from './route.js';

/**
 * A player in a table cell, with a link to the player's page. Without a `username`, the name is loaded. `brief`: the
 * address of a player with a name is only on that page.
 * @param {{ wallet: string, username?: string, avatar?: string, brief?: boolean }} props
 */
export function PlayerCell({ wallet, brief = false, ...given }) {
  const { username, avatar } = usePlayerName({ wallet, ...given });
  const page = linkTo('players', wallet);
  const name = username || defaultName(wallet);
  const isNamed = name !== shortAddress(wallet);
  return html`
    <span class="player-cell">
      <${Avatar} wallet=${wallet} url=${avatar || undefined} small />
      ${isNamed && html`<a class="truncate" href=${page} title=${wallet}>${name}</a>`}
      ${!(brief && isNamed) && html`<${Address} wallet=${wallet} href=${isNamed ? undefined : page} />`}
    </span>
  `;
}

/** Whether a player is online. @param {{ present: boolean }} props */
export function PresenceBadge({ present }) {
  return present ? html`<span class="badge good">online</span>` : html`<span class="quiet">offline</span>`;
}

/**
 * A time, or a placeholder when there is none.
 * @param {{ at: number | null, none?: string }} props
 */
export function TimeCell({ at, none = '–' }) {
  return at === null ? html`<span class="quiet">${none}</span>` : html`<${RelativeTime} at=${at} />`;
}

/** For exports: the time as ISO 8601. @param {number | null} at */
export function isoTime(at) {
  return at === null ? null : new Date(at).toISOString();
}
