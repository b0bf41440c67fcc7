import { html } from 'htm/preact';

const statusNames = {
  online: 'Online',
  away: 'Away',
  busy: 'Busy',
  offline: 'Offline',
  unknown: 'Status unknown',
};

/**
 * What a friend is doing: the game, what the friend does in it, and the status unless that is plain.
 * @param {{ friend: import('./friends.js').Friend }} props
 */
export function PresenceLine({ friend }) {
  const { status, text, gameName, details, group } = friend;
  const state = [status !== 'online' || !gameName ? statusNames[status] : '', text]
    .filter(Boolean)
    .join(' · ');
  const inGame = [details, group && `${group.size} of ${group.max} players`].filter(Boolean).join(' · ');
  return html`
    ${gameName && html`<span class="small truncate" title=${gameName}>${gameName}</span>`}
    ${inGame && html`<span class="quiet small truncate" title=${inGame}>${inGame}</span>`}
    ${state && html`<span class="quiet small truncate" title=${state}>${state}</span>`}
  `;
}

/** For the dot on an avatar; none while the status is unknown. @param {import('./friends.js').Friend} friend */
export function dotOf({ status }) {
  if (status === 'unknown') return undefined;
  return status === 'online' ? true : status;
}
