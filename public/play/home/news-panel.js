import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Markdown } from '../../shared/markdown.js';
import { Picture } from '../../shared/picture.js';
import { RelativeTime } from '../../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../../shared/states.js';
import { toastError } from '../../shared/toasts.js';

/**
 * The news. Showing it marks all as read; those that were unread stay highlighted meanwhile.
 * @param {{ launcher: import('../launcher.js').Launcher, news: import('./news.js').News }} props
 */
export function NewsPanel({ launcher, news }) {
  const { items, error, unread } = news;
  useEffect(() => {
    // If this fails, as during maintenance, they are unread once more.
    if (unread > 0) news.markRead().catch(() => {});
  }, [unread]);
  // Without a highlight of what has been read here.
  useEffect(() => () => void news.load(), []);
  if (error !== null) {
    return html`<${ErrorState} error=${error} title="Could not load news" onRetry=${() => news.load()} />`;
  }
  if (items === null) return html`<${LoadingRows} rows=${3} label="Loading news" />`;
  if (items.length === 0) {
    return html`<${Empty} icon="news" title="No news"><p>News about this server and its games appears here.</p><//>`;
  }
  return html`
    <ul role="list" class="news" aria-label="News">
      ${items.map((item) => html`<${NewsEntry} key=${item.newsId} launcher=${launcher} item=${item} />`)}
    </ul>
    ${news.hasMore && html`<div class="more"><${Button} kind="plain" size="small" onClick=${() => news.loadMore().catch(toastError)}>Show earlier<//></div>`}
  `;
}

/** @param {{ launcher: import('../launcher.js').Launcher, item: import('./news.js').NewsItem }} props */
function NewsEntry({ launcher, item }) {
  const { gameId, title, body, image, pinned, publishedAt, read } = item;
  const about =
    gameId === null ? null : (launcher.nameOf(gameId) ?? (launcher.games ? 'Unlisted game' : '…'));
  return html`
    <li>
      <article class="news-item ${read === false ? 'unread' : ''}">
        ${image !== '' && html`<${Picture} class="news-image" src=${image} alt="" text="Picture" />`}
        <h2>${title}</h2>
        <p class="quiet small">${pinned && 'Pinned · '}${about !== null && `${about} · `}<${RelativeTime} at=${publishedAt} />${read === false && html` · <strong>new</strong>`}</p>
        ${body !== '' && html`<${Markdown} text=${body} />`}
      </article>
    </li>
  `;
}
