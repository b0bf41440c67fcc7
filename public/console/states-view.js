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
import { asBytes } from './numbers.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listStates'>['data'][number]} State */

/**
 * The states of a game's players.
 * @param {{ game: import('./game-view.js').Game, player?: string }} props `player`: the wallet of the only one that is shown
 */
export function StatesView({ game, player }) {
  const admin = useAdmin();
  const { gameId } = game;
  const filter = usePlayerFilter(gameId);
  const wallet = player ?? filter.wallet;
  const [shown, setShown] = useState(/** @type {State | null} */ (null));
  const pages = usePages(
    (page) => admin.call('listStates', { gameId, ...page, ...(wallet && { wallet }) }),
    (/** @type {State} */ state) => state._id,
    [gameId, wallet],
  );
  /** @type {import('./virtual-table.js').Column<State>[]} */
  const columns = [
    {
      title: 'Player',
      exportOnly: player !== undefined,
      narrow: 'bare',
      cell: ({ normalizedAddress }) => html`<${PlayerCell} wallet=${normalizedAddress} />`,
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    {
      title: 'Label',
      wide: true,
      cell: ({ label }) => html`<span class="truncate">${label}</span>`,
      value: ({ label }) => label,
    },
    { title: 'Size', number: true, cell: ({ bytes }) => asBytes(bytes), value: ({ bytes }) => bytes },
    {
      title: 'Updated',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    { title: 'CID', exportOnly: true, cell: () => null, value: ({ ipfsHash }) => ipfsHash },
    {
      title: 'Show',
      hidden: true,
      cell: (state) =>
        html`<${Button} size="small" aria-label="Show state ${state.label}" onClick=${() => setShown(state)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="States in ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {State} */ state) => state._id}
      fileName="${game.slug}-states"
      empty=${html`<${Empty} icon="list" title="No states"><p>Games save states with <code>setState</code>.</p><//>`}
    >
      ${player === undefined && filter.field}
    <//>
    ${shown && html`<${StateDialog} summary=${shown} onClose=${() => setShown(null)} />`}
  `;
}

/** @param {{ summary: State, onClose: () => void }} props */
function StateDialog({ summary, onClose }) {
  const admin = useAdmin();
  const { gameId, normalizedAddress: wallet, label, ipfsHash } = summary;
  const { result, error, reload } = useQuery(
    () => admin.call('getPlayerState', { gameId, wallet, label }),
    [summary],
  );
  return html`
    <${Dialog} title=${label} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Close<//>`}>
      <dl class="facts">
        <div><dt>Player</dt><dd><${PlayerCell} wallet=${wallet} /></dd></div>
        <div><dt>Updated</dt><dd><${TimeCell} at=${summary.updatedAt} /></dd></div>
        <div><dt>CID</dt><dd class="mono id-line"><span class="truncate">${ipfsHash}</span><${CopyButton} text=${ipfsHash} label="Copy CID" /></dd></div>
      </dl>
      ${
        result === undefined
          ? error
            ? html`<${ErrorState} error=${error} onRetry=${reload} />`
            : html`<${Loading} label="Loading state" />`
          : result.state === null
            ? html`<${Empty} title="This state no longer exists" />`
            : html`<${JsonView} value=${result.state.state} label="State ${label}" />`
      }
    <//>
  `;
}
