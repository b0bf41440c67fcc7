import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Icon } from '../../shared/icon.js';
import { Empty } from '../../shared/states.js';
import { useAdmin } from '../admin.js';
import { Allowed } from '../allowed.js';
import { isoTime, TimeCell } from '../cells.js';
import { ConfirmButton } from '../confirm-button.js';
import { DataTable } from '../data-table.js';
import { SelectField } from '../fields.js';
import { useGameNames } from '../game-names.js';
import { usePages, useReloadWhenPassed } from '../queries.js';
import { NewsForm } from './news-form.js';

/** @typedef {import('../admin.js').Output<'listNewsItems'>['items'][number]} NewsItem */
/** @typedef {NewsItem['status']} Status */

/** @type {Readonly<Record<Status, string>>} */
const tones = { draft: '', scheduled: 'info', published: 'good', expired: 'warn' };
/** @param {string} text @returns {text is Status} */
const isStatus = (text) => Object.hasOwn(tones, text);
const statusChoices = [['', 'Every status'], ...Object.keys(tones).map((one) => [one, one])];

/**
 * The news of a game, or of the installation and all games.
 * @param {{ game?: import('../game-view.js').Game }} props
 */
export function News({ game }) {
  const admin = useAdmin();
  const { nameOf } = useGameNames();
  const gameId = game?.gameId;
  const [status, setStatus] = useState('');
  const [editing, setEditing] = useState(/** @type {NewsItem | 'new' | null} */ (null));
  const pages = usePages(
    async (page) => {
      const { items, total } = await admin.call('listNewsItems', {
        ...page,
        ...(gameId !== undefined && { gameId }),
        ...(isStatus(status) && { status }),
      });
      return { data: items, total };
    },
    (/** @type {NewsItem} */ { newsId }) => newsId,
    [gameId, status],
  );
  useReloadWhenPassed(
    pages.rows,
    (item) =>
      item.status === 'expired' ? [] : [item.publishedAt === null ? item.publishAt : null, item.expiresAt],
    pages.reload,
  );
  const scopeOf = (/** @type {NewsItem} */ item) =>
    item.gameId === null ? 'installation' : nameOf(item.gameId);
  /** @type {import('../virtual-table.js').Column<NewsItem>} */
  const scope = {
    title: 'Of',
    narrow: 'bare',
    cell: (item) => html`<span class="truncate">${scopeOf(item)}</span>`,
    value: scopeOf,
  };
  /** @type {import('../virtual-table.js').Column<NewsItem>[]} */
  const columns = [
    {
      title: 'Title',
      wide: true,
      cell: ({ title, pinned }) =>
        html`<span class="truncate">${pinned && html`<span class="badge info">pinned</span> `}<strong>${title}</strong></span>`,
      value: ({ title }) => title,
    },
    {
      title: 'Status',
      narrow: 'bare',
      cell: (item) => html`<span class="badge ${tones[item.status]}">${item.status}</span>`,
      value: (item) => item.status,
    },
    ...(game ? [] : [scope]),
    {
      title: 'Published',
      narrow: 'bare',
      cell: ({ publishAt, publishedAt }) => html`<${TimeCell} at=${publishedAt ?? publishAt} />`,
      value: ({ publishAt, publishedAt }) => isoTime(publishedAt ?? publishAt),
    },
    {
      title: 'Expires',
      narrow: 'omit',
      cell: ({ expiresAt }) => html`<${TimeCell} at=${expiresAt} none="never" />`,
      value: ({ expiresAt }) => isoTime(expiresAt),
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (item) => html`
        <span class="row-buttons">
          <${Allowed} to="updateNews"><${Button} size="small" aria-label="Edit ${item.title}" onClick=${() => setEditing(item)}>Edit<//><//>
          <${ConfirmButton}
            needs="removeNews"
            label="Remove ${item.title}"
            icon="trash"
            iconOnly
            kind="plain"
            title="Remove this news item?"
            confirm="Remove"
            act=${() => admin.call('removeNews', { newsId: item.newsId })}
            done="News item removed"
            reload=${pages.reload}
          >
            <p>“${item.title}” is deleted${item.status === 'published' ? ', and launchers no longer list it' : ''}. This cannot be undone.</p>
          <//>
        </span>
      `,
    },
  ];
  return html`
    <${DataTable}
      caption=${game ? `News of ${game.name}` : 'News'}
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {NewsItem} */ { newsId }) => newsId}
      fileName="${game?.slug ?? 'all'}-news"
      empty=${html`<${Empty} icon="bell" title="No news"><p>Launchers show what you publish here.</p><//>`}
    >
      <${SelectField} label="Status" hideLabel value=${status} onValue=${setStatus} options=${statusChoices} />
      <${Allowed} to="publishNews"><${Button} onClick=${() => setEditing('new')}><${Icon} name="plus" />New news item<//><//>
    <//>
    ${
      editing !== null &&
      html`<${NewsForm}
        gameId=${gameId}
        item=${editing === 'new' ? undefined : editing}
        onClose=${() => {
          setEditing(null);
          pages.reload();
        }}
      />`
    }
  `;
}
