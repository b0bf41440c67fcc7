import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { RelativeTime } from '../shared/relative-time.js';
import { ErrorState, LoadingRows } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { useGameNames } from './game-names.js';
import { asBytes, asCount, asRate } from './numbers.js';
import { useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'serverSummary'>} ServerSummary */

const pollIntervalMs = 15_000;

/** Who plays, today's players and sessions, the nodes, and the storage used by each game. */
export function Summary() {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(
    () => admin.call('serverSummary', { since: new Date().setHours(0, 0, 0, 0) }),
    [],
  );
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), pollIntervalMs);
    return () => clearInterval(timer);
  }, []);
  if (result === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading summary" />`;
  }
  return html`
    <div class="summary">
      <section class="card" aria-labelledby="players-now">
        <div class="card-head"><h2 id="players-now">Players</h2></div>
        <dl class="figures card-body">
          <div class="figure"><dd class="figure-value numeric">${asCount(result.playing)}</dd><dt class="quiet small">playing now</dt></div>
          <div class="figure"><dd class="figure-value numeric">${asCount(result.today.players)}</dd><dt class="quiet small">${result.today.players === 1 ? 'player' : 'players'} today</dt></div>
          <div class="figure"><dd class="figure-value numeric">${asCount(result.today.sessions)}</dd><dt class="quiet small">${result.today.sessions === 1 ? 'session' : 'sessions'} today</dt></div>
        </dl>
      </section>
      <${NodesCard} nodes=${result.nodes} />
      <${StorageCard} storage=${result.storage} />
    </div>
  `;
}

/** @param {{ nodes: ServerSummary['nodes'] }} props */
function NodesCard({ nodes }) {
  const versions = new Set(nodes.map(({ version }) => version));
  const runtimes = new Set(nodes.map(({ runtime }) => `Node.js ${runtime.replace('v', '')}`));
  return html`
    <section class="card" aria-labelledby="nodes">
      <div class="card-head">
        <h2 id="nodes">${nodes.length === 1 ? 'Node' : `${asCount(nodes.length)} nodes`}</h2>
        <span class="quiet small">${[...runtimes].join(', ')}</span>
        ${versions.size > 1 && html`<span class="badge warn">different versions</span>`}
      </div>
      <${Table}
        caption="Nodes"
        columns=${[
          {
            title: 'Node',
            narrow: 'main',
            cell: (/** @type {ServerSummary['nodes'][number]} */ { host, pid, isThis }) =>
              html`<span class="mono">${host}</span> <span class="quiet small">${isThis ? 'this one' : `PID ${pid}`}</span>`,
          },
          {
            title: 'Version',
            cell: (/** @type {ServerSummary['nodes'][number]} */ { version }) => version,
          },
          {
            title: 'Sockets',
            number: true,
            cell: (/** @type {ServerSummary['nodes'][number]} */ { sockets }) => asCount(sockets),
          },
          {
            title: 'Requests/s',
            number: true,
            cell: (/** @type {ServerSummary['nodes'][number]} */ { requestsPerSecond }) =>
              asRate(requestsPerSecond),
          },
          {
            title: 'Busy',
            number: true,
            cell: (/** @type {ServerSummary['nodes'][number]} */ { busy }) => `${Math.round(busy * 100)} %`,
          },
          {
            title: 'Started',
            cell: (/** @type {ServerSummary['nodes'][number]} */ { startedAt }) =>
              html`<${RelativeTime} at=${startedAt} />`,
          },
        ]}
        rows=${nodes}
        keyOf=${(/** @type {ServerSummary['nodes'][number]} */ { id }) => id}
      />
    </section>
  `;
}

/** @param {{ storage: ServerSummary['storage'] }} props */
function StorageCard({ storage }) {
  const { nameOf } = useGameNames();
  const total = storage.reduce((sum, { bytes }) => sum + bytes, 0);
  return html`
    <section class="card" aria-labelledby="storage">
      <div class="card-head"><h2 id="storage">Storage by game</h2><span class="quiet small numeric">${asBytes(total)}</span></div>
      ${
        storage.length === 0
          ? html`<p class="card-body quiet">Nothing is stored in any game yet.</p>`
          : html`
              <div class="card-body"><ul role="list" class="shares">
                ${storage.map(
                  ({ gameId, bytes, quota, players }) => html`
                    <li key=${gameId}>
                      <span class="truncate">${nameOf(gameId)}</span>
                      <span class="quiet small numeric">${asCount(players)} ${players === 1 ? 'player' : 'players'} · ${asBytes(bytes)} of ${asBytes(quota)}</span>
                      <meter min="0" max=${quota} high=${0.8 * quota} value=${bytes} aria-label="${nameOf(gameId)}: ${asBytes(bytes)} of ${asBytes(quota)}"></meter>
                    </li>
                  `,
                )}
              </ul></div>
            `
      }
    </section>
  `;
}
