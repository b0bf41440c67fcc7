import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { removalColumn, sentColumn, textColumn } from './message-columns.js';
import { usePages } from './queries.js';

/** How many participants an unnamed channel is named after. */
const namesInTitle = 3;
/** The most wallets in one call. */
const maxWallets = 250;

/**
 * @typedef {import('./admin.js').Output<'listGameChannels'>['data'][number]} StoredChannel
 * @typedef {StoredChannel & { title: string }} Channel `title`: its name or, without one, its participants'
 * @typedef {import('./message-columns.js').Message} Message
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
    textColumn,
    sentColumn,
    removalColumn(admin, pages.reload),
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
