import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { get } from '../shared/api.js';
import { Empty } from '../shared/states.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages } from './queries.js';

/** @typedef {import('../../src/features/activities/activity.ts').FeedItem} Activity */

/**
 * A game's public feed.
 * @param {{ game: import('./game-view.js').Game, player?: string }} props `player`: the wallet to restrict it to
 */
export function ActivitiesView({ game, player }) {
  const { gameId } = game;
  const filter = usePlayerFilter(gameId);
  const wallet = player ?? filter.wallet;
  const [type, setType] = useState('');
  const pages = usePages(
    async ({ limit, skip }) => {
      const query = new URLSearchParams({
        gameId,
        walletAddress: wallet,
        type,
        pageSize: String(limit),
        pageNumber: String(Math.floor(skip / limit) + 1),
      });
      const { result } = await get(`/activities?${query}`);
      return { data: withKeys(result.data) };
    },
    keyOf,
    [gameId, wallet, type],
  );
  /** @type {import('./virtual-table.js').Column<Activity>[]} */
  const columns = [
    {
      title: 'Player',
      exportOnly: player !== undefined,
      narrow: 'bare',
      cell: ({ user }) => html`<${PlayerCell} wallet=${user.address} username=${user.username} />`,
      value: ({ user }) => user.address,
    },
    {
      title: 'Activity',
      wide: true,
      cell: ({ displayText }) => html`<span class="truncate" title=${displayText}>${displayText}</span>`,
      value: ({ displayText }) => displayText,
    },
    {
      title: 'Event',
      narrow: 'bare',
      cell: ({ eventId }) => html`<code class="truncate">${eventId}</code>`,
      value: ({ eventId }) => eventId,
    },
    {
      title: 'Type',
      narrow: 'bare',
      cell: ({ type: kind }) =>
        kind === 'on-chain'
          ? html`<span class="badge info">on-chain</span>`
          : html`<span class="quiet">off-chain</span>`,
      value: ({ type: kind }) => kind,
    },
    {
      title: 'Time',
      cell: ({ timestamp }) => html`<${TimeCell} at=${timestamp} />`,
      value: ({ timestamp }) => isoTime(timestamp),
    },
  ];
  return html`
    <${DataTable}
      caption="Activities of ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${keyOf}
      fileName="${game.slug}-activities"
      empty=${html`<${Empty} icon="list" title="No activities"><p>Recorded with <code>sendCustomActivity</code>, by rules and by confirmed on-chain actions.</p><//>`}
    >
      ${player === undefined && filter.field}
      <${SelectField} label="Type" hideLabel value=${type} onValue=${setType} options=${[['', 'All types'], ['off-chain', 'Off-chain'], ['on-chain', 'On-chain']]} />
    <//>
  `;
}

/**
 * Feed items have no ID, and a player can do the same thing twice in a millisecond: equal ones of a page are numbered.
 * @type {WeakMap<Activity, string>}
 */
const keys = new WeakMap();

/** @param {Activity} activity */
const keyOf = (activity) => keys.get(activity) ?? '';

/** @param {readonly Activity[]} page */
function withKeys(page) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const activity of page) {
    const { timestamp, user, eventId, displayText } = activity;
    const content = JSON.stringify([timestamp, user.address, eventId, displayText]);
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    keys.set(activity, `${count} ${content}`);
  }
  return page;
}
