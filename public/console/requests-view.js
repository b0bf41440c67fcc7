import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { clockTime, exactTime } from '../shared/relative-time.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell } from './cells.js';
import { DataTable } from './data-table.js';
import { SelectField, TextField } from './fields.js';
import { gameChoices, useGameNames } from './game-names.js';
import { asMs } from './numbers.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages } from './queries.js';
import { goTo, linkTo } from './route.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {import('./admin.js').Output<'listRequests'>['data'][number]} RequestRecord */
/** @typedef {NonNullable<import('./admin.js').Input<'listRequests'>['outcome']>} Outcome */

/** @type {readonly (readonly [value: Outcome | '', label: string])[]} */
const outcomes = [
  ['', 'All outcomes'],
  ['failed', 'Failed (5xx)'],
  ['refused', 'Refused (4xx)'],
  ['slow', 'Slow (250 ms or more)'],
  ['ok', 'Succeeded'],
];

/** Formats a time range for the route. @param {number} from @param {number} to */
export const rangeName = (from, to) => `${Math.floor(from)}-${Math.ceil(to)}`;

/** @param {string | undefined} name */
function rangeOf(name) {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(name ?? '') ?? [];
  return from === undefined ? null : { from: Number(from), to: Number(to) };
}

/**
 * Recent calls to this node: all that failed, were refused or were slow, and a sample of the others.
 * @param {{ outcome: string | undefined, range: string | undefined, search: string | undefined }} props from the route;
 *   `range`: `FROM-TO`, or anything else for all times
 */
export function RequestsView({ outcome: linked, range: rangeText, search }) {
  const admin = useAdmin();
  const outcome = outcomes.find(([value]) => value === linked)?.[0] ?? '';
  const range = rangeOf(rangeText);
  const [gameId, setGameId] = useState('');
  const [text, setText] = useState(search ?? '');
  const [shown, setShown] = useState(/** @type {RequestRecord | null} */ (null));
  const player = usePlayerFilter(gameId || undefined);
  const { names, nameOf } = useGameNames();
  const id = useDebounced(text.trim());
  const pages = usePages(
    (page) =>
      admin.call('listRequests', {
        ...page,
        ...range,
        ...(outcome && { outcome }),
        ...(gameId && { gameId }),
        ...(player.wallet && { wallet: player.wallet }),
        ...(id && (isRequestId(id) ? { id } : /[A-Z]/.test(id) ? { operation: id } : { reason: id })),
      }),
    keyOf,
    [outcome, rangeText, gameId, player.wallet, id],
  );
  /** @type {import('./virtual-table.js').Column<RequestRecord>[]} */
  const columns = [
    {
      title: 'Time',
      cell: ({ at }) =>
        html`<time class="numeric" datetime=${new Date(at).toISOString()} title=${exactTime(at)}>${clockTime(at, true)}</time>`,
      value: ({ at }) => isoTime(at),
    },
    {
      title: 'Status',
      cell: ({ status }) => html`<${StatusBadge} status=${status} />`,
      value: ({ status }) => status,
    },
    {
      title: 'Operation',
      narrow: 'main',
      wide: true,
      cell: ({ operation, reason }) =>
        html`<span class="truncate"><strong>${operation ?? 'unknown'}</strong>${reason && html` <span class="quiet small">${reason}</span>`}</span>`,
      value: ({ operation }) => operation,
    },
    {
      title: 'Caller',
      narrow: 'bare',
      cell: (request) => html`<${Caller} request=${request} />`,
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    {
      title: 'Game',
      narrow: 'omit',
      cell: ({ gameId: of }) => html`<span class="truncate">${nameOf(of)}</span>`,
      value: ({ gameId: of }) => nameOf(of),
    },
    {
      title: 'Duration',
      number: true,
      narrow: 'omit',
      cell: ({ durationMs }) => asMs(durationMs),
      value: ({ durationMs }) => durationMs,
    },
    { title: 'Reason', exportOnly: true, cell: () => null, value: ({ reason }) => reason },
    { title: 'Message', exportOnly: true, cell: () => null, value: ({ message }) => message },
    { title: 'Request ID', exportOnly: true, cell: () => null, value: ({ id: of }) => of },
    { title: 'IP address', exportOnly: true, cell: () => null, value: ({ network }) => network },
    { title: 'Transport', exportOnly: true, cell: () => null, value: ({ transport }) => transport },
    {
      title: 'Show',
      hidden: true,
      cell: (request) =>
        html`<${Button} size="small" aria-label="Show request ${request.id}" onClick=${() => setShown(request)}>Show<//>`,
    },
  ];
  return html`
    ${
      range &&
      html`
        <p class="banner">
          <span>Answered from ${clockTime(range.from, true)} to ${clockTime(range.to, true)}.</span>
          <a href=${linkTo('requests', String(outcome || 'all'))}>Show all times</a>
        </p>
      `
    }
    <${DataTable}
      caption="Requests"
      columns=${columns}
      pages=${pages}
      keyOf=${keyOf}
      fileName="requests"
      polls=${range === null && shown === null}
      empty=${html`<${Empty} icon="check" title="No matching requests"><p>${range ? 'They may have been evicted by later ones, or were answered before the last restart.' : 'Requests appear here as they are answered.'}</p><//>`}
    >
      <${SelectField} label="Outcome" hideLabel value=${outcome} onValue=${(/** @type {string} */ value) => goTo('requests', value || 'all', ...(rangeText ? [rangeText] : []), ...(search ? [search] : []))} options=${outcomes} />
      <${SelectField} label="Game" hideLabel value=${gameId} onValue=${setGameId} options=${gameChoices(names)} />
      ${player.field}
      <${TextField} label="Request ID, operation or reason" hideLabel type="search" placeholder="ID, operation, reason" maxlength=${100} spellcheck=${false} autocomplete="off" value=${text} onValue=${setText} />
    <//>
    ${shown && html`<${RequestDialog} request=${shown} game=${nameOf(shown.gameId)} onClose=${() => setShown(null)} />`}
  `;
}

/** `1a2b3c4d-7` @param {string} text */
const isRequestId = (text) => /^[0-9a-f]{8}(-[0-9a-z]*)?$/.test(text);

/** @param {RequestRecord} request */
const keyOf = ({ id }) => id;

/** @param {{ status: number | null }} props */
function StatusBadge({ status }) {
  if (status === null)
    return html`<span class="badge" title="The caller disconnected before the response">gone</span>`;
  const kind = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return html`<span class="badge ${kind}">${status}</span>`;
}

/** @param {{ request: RequestRecord }} props */
function Caller({ request: { normalizedAddress: wallet, isServer, network } }) {
  if (wallet !== null) {
    return html`<${PlayerCell} wallet=${wallet} />${isServer && html`<span class="quiet small"> by server</span>`}`;
  }
  return isServer ? html`<span class="quiet">game server</span>` : html`<code>${network}</code>`;
}

/** @param {{ request: RequestRecord, game: string, onClose: () => void }} props */
function RequestDialog({ request, game, onClose }) {
  const { id, at, status, reason, message, operation, durationMs, transport, network } = request;
  return html`
    <${Dialog} title=${operation ?? 'Unknown operation'} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Close<//>`}>
      ${message && html`<p class="banner ${status !== null && status >= 500 ? 'bad' : 'warn'}">${message}</p>`}
      <dl class="facts">
        <div><dt>Request ID</dt><dd class="mono id-line">${id}<${CopyButton} text=${id} label="Copy request ID" /></dd></div>
        <div><dt>Time</dt><dd>${exactTime(at)}</dd></div>
        <div><dt>Status</dt><dd><${StatusBadge} status=${status} />${reason && html` <code>${reason}</code>`}</dd></div>
        <div><dt>Caller</dt><dd class="wrap"><${Caller} request=${request} /></dd></div>
        <div><dt>IP address</dt><dd><code>${network}</code></dd></div>
        <div><dt>Game</dt><dd>${game}</dd></div>
        <div><dt>Duration</dt><dd>${asMs(durationMs)}</dd></div>
        <div><dt>Transport</dt><dd>${transport === 'socket' ? 'WebSocket' : 'HTTP'}</dd></div>
      </dl>
      <p class="quiet small">The server's log has the same ID${status !== null && status >= 500 ? ', with the cause of the error' : ''}.</p>
    <//>
  `;
}
