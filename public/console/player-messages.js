import { html } from 'htm/preact';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { DataTable } from './data-table.js';
import { nameIn } from './game-names.js';
import { removalColumn, sentColumn, textColumn } from './message-columns.js';
import { usePages } from './queries.js';

/** @typedef {import('./admin.js').Output<'listPlayerMessages'>['data'][number]} Message */

/**
 * The messages of a player, in one game or in all.
 * @param {{ wallet: string, games: readonly import('./game-view.js').Game[], game: import('./game-view.js').Game | undefined }} props
 */
export function PlayerMessages({ wallet, games, game }) {
  const admin = useAdmin();
  const gameId = game?.gameId;
  const pages = usePages(
    (page) => admin.call('listPlayerMessages', { wallet, ...(gameId && { gameId }), ...page }),
    (/** @type {Message} */ { _id }) => _id,
    [gameId, wallet],
  );
  const nameOf = nameIn(games);
  /** @type {import('./virtual-table.js').Column<Message>[]} */
  const columns = [
    textColumn,
    {
      title: 'Game',
      narrow: 'bare',
      cell: (message) => html`<span class="truncate">${nameOf(message.gameId)}</span>`,
      value: (message) => nameOf(message.gameId),
    },
    { title: 'Channel', exportOnly: true, cell: () => null, value: ({ channelId }) => channelId },
    sentColumn,
    removalColumn(admin, pages.reload),
  ];
  return html`
    <${DataTable}
      caption="Messages of the player"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Message} */ { _id }) => _id}
      fileName="messages-${wallet}"
      filter="Filter by text"
      empty=${html`<${Empty} icon="chat" title="No messages" />`}
    />
  `;
}
