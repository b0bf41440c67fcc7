import { html } from 'htm/preact';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { nameIn } from './player-profile.js';
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
    {
      title: 'Message',
      wide: true,
      cell: ({ content, createdAt, updatedAt }) =>
        html`<span class="truncate" title=${content}>${content}${updatedAt > createdAt ? html` <span class="quiet small">edited</span>` : ''}</span>`,
      value: ({ content }) => content,
    },
    {
      title: 'Game',
      narrow: 'bare',
      cell: (message) => html`<span class="truncate">${nameOf(message.gameId)}</span>`,
      value: (message) => nameOf(message.gameId),
    },
    { title: 'Channel', exportOnly: true, cell: () => null, value: ({ channelId }) => channelId },
    {
      title: 'Sent',
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
    },
    {
      title: 'Remove',
      hidden: true,
      cell: ({ _id, content }) => html`
        <${ConfirmButton}
          needs="removeMessage"
          label="Remove"
          title="Remove this message?"
          confirm="Remove"
          act=${() => admin.call('removeMessage', { messageId: _id })}
          done="Message removed"
          onDone=${pages.reload}
        >
          <blockquote class="quote">${content}</blockquote>
          <p>Its content is permanently deleted, here and in every launcher.</p>
        <//>
      `,
    },
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
