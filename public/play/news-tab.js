import { html } from 'htm/preact';
import { ErrorState, LoadingRows } from '../shared/states.js';

/**
 * The tab of the news, with the number of unread ones.
 * @param {import('./launcher.js').Launcher} launcher
 * @param {boolean} wide
 * @returns {import('../shared/tabs.js').Tab}
 */
export function newsTab({ news }, wide) {
  return { id: 'news', label: 'News', icon: wide ? undefined : 'news', count: news?.unread ?? 0 };
}

/**
 * The news, which are loaded once the player has signed in.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function NewsTab({ launcher }) {
  const { news, homeViews, homeError } = launcher;
  if (news && homeViews) return html`<${homeViews.NewsPanel} launcher=${launcher} news=${news} />`;
  return homeError === null
    ? html`<${LoadingRows} label="Loading news" />`
    : html`<${ErrorState} error=${homeError} title="Could not load news" onRetry=${() => launcher.followHome()} />`;
}
