import { html } from 'htm/preact';

/**
 * What a player is banned from.
 * @param {{ bannedFrom: readonly string[], gameId: string | undefined }} props `gameId`: the game being viewed
 */
export function BanBadge({ bannedFrom, gameId }) {
  if (bannedFrom.includes('')) return html`<span class="badge bad">all games</span>`;
  if (gameId !== undefined && bannedFrom.includes(gameId))
    return html`<span class="badge bad">this game</span>`;
  if (bannedFrom.length > 0)
    return html`<span class="badge warn">${bannedFrom.length} ${bannedFrom.length === 1 ? 'game' : 'games'}</span>`;
  return html`<span class="quiet">no</span>`;
}
