import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { Empty, ErrorState, Loading } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { JsonView } from './json-view.js';
import { asBytes, asDuration } from './numbers.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listPlaySessions'>['data'][number]} PlaySession */

/**
 * The play sessions of a game, and their states.
 * @param {{ game: import('./game-view.js').Game, player?: string }} props `player`: the wallet to restrict it to
 */
export function PlaySessionsView({ game, player }) {
  const admin = useAdmin();
  const { gameId } = game;
  const filter = usePlayerFilter(gameId);
  const wallet = player ?? filter.wallet;
  const [shown, setShown] = useState(/** @type {PlaySession | null} */ (null));
  const pages = usePages(
    (page) => admin.call('listPlaySessions', { gameId, ...page, ...(wallet && { wallet }) }),
    (/** @type {PlaySession} */ { sessionId }) => sessionId,
    [gameId, wallet],
  );
  /** @type {import('./virtual-table.js').Column<PlaySession>[]} */
  const columns = [
    {
      title: 'Player',
      wide: true,
      exportOnly: player !== undefined,
      cell: ({ normalizedAddress }) => html`<${PlayerCell} wallet=${normalizedAddress} />`,
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    {
      title: 'Session',
      wide: true,
      exportOnly: player === undefined,
      cell: ({ sessionId }) => html`<code class="truncate">${sessionId}</code>`,
      value: ({ sessionId }) => sessionId,
    },
    {
      title: 'Started',
      cell: ({ startedAt }) => html`<${TimeCell} at=${startedAt} />`,
      value: ({ startedAt }) => isoTime(startedAt),
    },
    {
      title: 'Ended',
      cell: ({ endTime }) => html`<${TimeCell} at=${endTime} none="in progress" />`,
      value: ({ endTime }) => isoTime(endTime),
    },
    {
      title: 'Duration',
      number: true,
      cell: ({ startedAt, endTime }) => (endTime === null ? '–' : asDuration(endTime - startedAt)),
      value: ({ startedAt, endTime }) => (endTime === null ? null : endTime - startedAt),
    },
    { title: 'State', number: true, cell: ({ bytes }) => asBytes(bytes), value: ({ bytes }) => bytes },
    {
      title: 'Show',
      hidden: true,
      cell: (one) =>
        html`<${Button} size="small" aria-label="Show play session ${one.sessionId}" onClick=${() => setShown(one)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="Play sessions of ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {PlaySession} */ one) => one.sessionId}
      fileName="${game.slug}-play-sessions"
      empty=${html`<${Empty} icon="clock" title="No play sessions"><p>Games record them with <code>trackGameSessions</code>.</p><//>`}
    >
      ${player === undefined && filter.field}
    <//>
    ${shown && html`<${PlaySessionDialog} summary=${shown} onClose=${() => setShown(null)} />`}
  `;
}

/** @param {{ summary: PlaySession, onClose: () => void }} props */
function PlaySessionDialog({ summary, onClose }) {
  const admin = useAdmin();
  const { sessionId } = summary;
  const { result, error, reload } = useQuery(async () => {
    const { playSession } = await admin.call('getPlaySession', { sessionId });
    return { state: playSession === null ? undefined : JSON.parse(playSession.state) };
  }, [sessionId]);
  return html`
    <${Dialog} title="Play session" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Close<//>`}>
      <dl class="facts">
        <div><dt>Player</dt><dd><${PlayerCell} wallet=${summary.normalizedAddress} /></dd></div>
        <div><dt>Session</dt><dd class="mono id-line"><span class="truncate">${sessionId}</span><${CopyButton} text=${sessionId} label="Copy session ID" /></dd></div>
        <div><dt>Started</dt><dd><${TimeCell} at=${summary.startedAt} /></dd></div>
        <div><dt>Updated</dt><dd><${TimeCell} at=${summary.updatedAt} /></dd></div>
        <div><dt>Ended</dt><dd><${TimeCell} at=${summary.endTime} none="in progress" /></dd></div>
      </dl>
      ${
        result === undefined
          ? error
            ? html`<${ErrorState} error=${error} onRetry=${reload} />`
            : html`<${Loading} label="Loading state" />`
          : html`<${JsonView} value=${result.state} label="Play session state" />`
      }
    <//>
  `;
}
