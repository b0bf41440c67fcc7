import { html } from 'htm/preact';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { nameIn } from './game-names.js';
import { usePages } from './queries.js';

/** @typedef {import('./admin.js').Output<'listSessions'>['data'][number]} Session */

/**
 * All sessions of a player, including ended ones.
 * @param {{ wallet: string, games: readonly import('./game-view.js').Game[], game: import('./game-view.js').Game | undefined }} props
 */
export function PlayerSessions({ wallet, games, game }) {
  const admin = useAdmin();
  const gameId = game?.gameId;
  const pages = usePages(
    (page) => admin.call('listSessions', { wallet, ...(gameId && { gameId }), ...page }),
    (/** @type {Session} */ { sessionId }) => sessionId,
    [gameId, wallet],
  );
  const nameOf = nameIn(games);
  /** @type {import('./virtual-table.js').Column<Session>[]} */
  const columns = [
    {
      title: 'Game',
      wide: true,
      cell: (session) => html`<span class="truncate">${nameOf(session.gameId)}</span>`,
      value: (session) => nameOf(session.gameId),
    },
    { title: 'Session', exportOnly: true, cell: () => null, value: ({ sessionId }) => sessionId },
    {
      title: 'Opened',
      cell: ({ openedAt }) => html`<${TimeCell} at=${openedAt} />`,
      value: ({ openedAt }) => isoTime(openedAt),
    },
    { title: 'Opened by', cell: openedByOf, value: openedByOf },
    {
      title: 'Ended',
      cell: ({ endedAt, expiresAt }) =>
        html`<${TimeCell} at=${endedAt ?? (expiresAt <= Date.now() ? expiresAt : null)} />`,
      value: ({ endedAt, expiresAt }) => isoTime(endedAt ?? (expiresAt <= Date.now() ? expiresAt : null)),
    },
    {
      title: 'Status',
      narrow: 'bare',
      cell: (session) => html`<span class="badge ${toneOf(session)}">${statusOf(session)}</span>`,
      value: (session) => statusOf(session),
    },
  ];
  return html`
    <${DataTable}
      caption="Sessions of the player"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Session} */ { sessionId }) => sessionId}
      fileName="sessions-${wallet}"
      empty=${html`<${Empty} icon="key" title="No sessions" />`}
    />
  `;
}

/** @param {Session} session */
function openedByOf({ openedBy }) {
  return openedBy.replace('-', ' ');
}

/** @param {Session} session */
function statusOf({ endedAt, endReason, expiresAt, present }) {
  if (endedAt !== null) return (endReason ?? 'ended').replace('_', ' ');
  if (expiresAt <= Date.now()) return 'expired';
  return present ? 'online' : 'offline';
}

/** @param {Session} session */
function toneOf(session) {
  const tones = { online: 'good', banned: 'bad', revoked: 'warn' };
  return Object.entries(tones).find(([status]) => status === statusOf(session))?.[1] ?? '';
}
