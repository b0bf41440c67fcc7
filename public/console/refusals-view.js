import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icon.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { useGameNames } from './game-names.js';
import { asCount } from './numbers.js';
import { usePages } from './queries.js';
import { linkTo } from './route.js';

/** @typedef {import('./admin.js').Output<'listRefusals'>['data'][number]} Refusal */

/** Reasons that are limits rather than invalid requests. */
const limits = [
  'rate_limited',
  'storage_full',
  'body_too_large',
  'server_busy',
  'channel_limit_reached',
  'flood',
  'slow-reader',
];

/** Recently refused callers, with the reasons. */
export function RefusalsView() {
  const admin = useAdmin();
  const [reason, setReason] = useState('');
  const { nameOf } = useGameNames();
  const pages = usePages(
    (page) => admin.call('listRefusals', { ...page, ...(reason && { reason }) }),
    keyOf,
    [reason],
  );
  /** @type {import('./virtual-table.js').Column<Refusal>[]} */
  const columns = [
    {
      title: 'Reason',
      wide: true,
      cell: ({ reason: why, at, operation }) =>
        html`<span class="truncate" title="${why}: ${operation ?? at}"><span class="badge ${limits.includes(why) ? 'bad' : 'warn'}">${why}</span> <span class="quiet small">${operation ?? at}</span></span>`,
      value: ({ reason: why }) => why,
    },
    {
      title: 'Player',
      narrow: 'bare',
      cell: ({ normalizedAddress: wallet }) =>
        wallet === null ? '–' : html`<${PlayerCell} wallet=${wallet} />`,
      value: ({ normalizedAddress: wallet }) => wallet,
    },
    {
      title: 'IP address',
      narrow: 'bare',
      cell: ({ network }) => html`<code>${network}</code>`,
      value: ({ network }) => network,
    },
    {
      title: 'Game',
      narrow: 'bare',
      cell: ({ gameId }) => html`<span class="truncate">${nameOf(gameId)}</span>`,
      value: ({ gameId }) => nameOf(gameId),
    },
    { title: 'Times', number: true, cell: ({ count }) => asCount(count), value: ({ count }) => count },
    {
      title: 'Last',
      cell: ({ lastAt }) => html`<${TimeCell} at=${lastAt} />`,
      value: ({ lastAt }) => isoTime(lastAt),
    },
    {
      title: 'Requests',
      hidden: true,
      cell: ({ reason: why, operation }) =>
        operation !== null &&
        html`<a class="button small" href=${linkTo('requests', 'refused', 'all', why)} aria-label="Show requests refused with ${why}"><${Icon} name="list" /><span class="row-link-text">Requests</span></a>`,
    },
    { title: 'First', exportOnly: true, cell: () => null, value: ({ firstAt }) => isoTime(firstAt) },
    { title: 'Where', exportOnly: true, cell: () => null, value: ({ at }) => at },
    { title: 'Operation', exportOnly: true, cell: () => null, value: ({ operation }) => operation },
  ];
  return html`
    <${DataTable}
      caption="Refusals"
      columns=${columns}
      pages=${pages}
      keyOf=${keyOf}
      fileName="refusals"
      polls
      empty=${html`<${Empty} icon="shield" title="No refusals" />`}
    >
      <${SelectField} label="Reason" hideLabel value=${reason} onValue=${setReason} options=${[['', 'All reasons'], ...limits.map((one) => [one, one])]} />
    <//>
  `;
}

/** @param {Refusal} refusal */
function keyOf({ reason, at, gameId, normalizedAddress, network }) {
  return JSON.stringify([reason, at, gameId, normalizedAddress, network]);
}
