import { html } from 'htm/preact';

/**
 * Where a game is listed, unless it is listed everywhere.
 * @param {Pick<import('./game-view.js').Game, 'listing' | 'deleting'>} props
 */
export function ListingBadge({ listing, deleting }) {
  if (deleting) return html`<span class="badge bad">Being deleted</span>`;
  if (listing === 'archived') return html`<span class="badge warn">Archived</span>`;
  return listing === 'unlisted' && html`<span class="badge">Unlisted</span>`;
}
