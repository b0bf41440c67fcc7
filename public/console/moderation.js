import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { exactTime } from '../shared/relative-time.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { usePages } from './queries.js';

/** How many participants an unnamed channel is named after. */
const namesInTitle = 3;
/** The most wallets in one call. */
const maxWallets = 250;

/**
 * @typedef {import('./admin.js').Output<'listGameChannels'>['data'][number]} StoredChannel
 * @typedef {StoredChannel & { title: string }} Channel `title`: its name or, without one, its participants'
 * @typedef {import('./admin.js').Output<'listMessages'>['data'][number]} Message
 */

/**
 * The message channels of a game, and their messages.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function Moderation({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [open, setOpen] = useState(/** @type {Channel | null} */ (null));
  const pages = usePages(
    async (page) => {
      const { data, ...counts } = await admin.call('listGameChannels', { gameId, ...page });
      return { ...counts, data: await withTitles(admin, data) };
    },
    (/** @type {Channel} */ channel) => channel._id,
    [gameId],
  );
  if (open) return html`<${Messages} channel=${open} onBack=${() => setOpen(null)} />`;
  /** @type {import('./virtual-table.js').Column<Channel>[]} */
  const columns = [
    {
      title: 'Channel',
      wide: true,
      cell: ({ title }) => html`<span class="truncate">${title}</span>`,
      value: ({ title }) => title,
    },
    { title: 'ID', exportOnly: true, cell: () => null, value: ({ _id }) => _id },
    {
      title: 'Wallets',
      exportOnly: true,
      cell: () => null,
      value: ({ participants }) => participants.map(({ wallet }) => wallet).join(' '),
    },
    {
      title: 'Participants',
      number: true,
      cell: ({ participants }) => participants.length,
      value: ({ participants }) => participants.length,
    },
    {
      title: 'Created',
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
    },
    {
      title: 'Last active',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    {
      title: 'View',
      hidden: true,
      cell: (channel) =>
        html`<${Button} size="small" aria-label="View ${channel.title}" onClick=${() => setOpen(channel)}>View<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="Message channels of ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Channel} */ channel) => channel._id}
      fileName="${game.slug}-channels"
      filter="Filter by participant"
      empty=${html`<${Empty} icon="chat" title="No message channels"><p>Players start them from their launcher.</p><//>`}
    />
  `;
}

/** @param {{ channel: Channel, onBack: () => void }} props */
function Messages({ channel, onBack }) {
  const admin = useAdmin();
  const channelId = channel._id;
  const [shown, setShown] = useState(/** @type {Message | null} */ (null));
  const pages = usePages(
    (page) => admin.call('listMessages', { channelId, ...page }),
    (/** @type {Message} */ message) => message._id,
    [channelId],
  );
  /** @type {import('./virtual-table.js').Column<Message>[]} */
  const columns = [
    {
      title: 'From',
      narrow: 'bare',
      cell: ({ senderId }) => html`<${PlayerCell} wallet=${senderId} />`,
      value: ({ senderId }) => senderId,
    },
    {
      title: 'Message',
      wide: true,
      cell: (message) => {
        const { content, createdAt, updatedAt } = message;
        return html`
          <button type="button" class="row-text truncate" aria-haspopup="dialog" onClick=${() => setShown(message)}>
            ${content}${updatedAt > createdAt ? html` <span class="quiet small">edited</span>` : ''}
          </button>
        `;
      },
      value: ({ content }) => content,
    },
    {
      title: 'Sent',
      narrow: 'bare',
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
    <p class="crumb"><${Button} kind="plain" size="small" onClick=${onBack}><${Icon} name="arrowLeft" />All channels<//><strong class="truncate">${channel.title}</strong></p>
    <${DataTable}
      caption="Messages of ${channel.title}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Message} */ message) => message._id}
      fileName="channel-${channelId}"
      filter="Filter by text"
      empty=${html`<${Empty} icon="chat" title="No messages" />`}
    />
    ${shown && html`<${FullMessage} message=${shown} onClose=${() => setShown(null)} />`}
  `;
}

/** The full text of a message that may be truncated in its row. @param {{ message: Message, onClose: () => void }} props */
function FullMessage({ message: { senderId, content, createdAt, updatedAt }, onClose }) {
  return html`
    <${Dialog} title="Message" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Close<//>`}>
      <dl class="facts">
        <div><dt>From</dt><dd><${PlayerCell} wallet=${senderId} /></dd></div>
        <div><dt>Sent</dt><dd>${exactTime(createdAt)}</dd></div>
        ${updatedAt > createdAt && html`<div><dt>Edited</dt><dd>${exactTime(updatedAt)}</dd></div>`}
      </dl>
      <blockquote class="quote">${content}</blockquote>
    <//>
  `;
}

/**
 * @param {import('./admin.js').Admin} admin
 * @param {readonly StoredChannel[]} channels
 * @returns {Promise<Channel[]>}
 */
async function withTitles(admin, channels) {
  const named = channels.map((channel) => ({
    channel,
    wallets: channel.name ? [] : channel.participants.slice(0, namesInTitle).map(({ wallet }) => wallet),
  }));
  const wallets = [...new Set(named.flatMap((one) => one.wallets))];
  /** @type {Map<string, string>} */
  const names = new Map();
  for (let at = 0; at < wallets.length; at += maxWallets) {
    const { players } = await admin.call('getPlayerNames', { wallets: wallets.slice(at, at + maxWallets) });
    for (const { wallet, username } of players) names.set(wallet, username);
  }
  return named.map(({ channel, wallets: shown }) => {
    const others = channel.participants.length - shown.length;
    const list = shown.map((wallet) => names.get(wallet) || defaultName(wallet)).join(', ');
    return { ...channel, title: channel.name || (others > 0 ? `${list} and ${others} more` : list) };
  });
}
