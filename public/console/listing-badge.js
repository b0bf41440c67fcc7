import { html } from 'htm/preact';

/**
 * Whether a game is being deleted, archived or unlisted; nothing for any other.
 * @param {Pick<import('./game-view.js').Game, 'listing' | 'deleting'>} props
 */
export function ListingBadge({ listing, deleting }) {
  if (deleting) return html`<span class="badge bad">Being deleted</span>`;
  if (listing === 'archived') return html`<span class="badge warn">Archived</span>`;
  return listing === 'unlisted' && html`<span class="badge">Unlisted</span>`;
}
