import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { Empty } from '../shared/states.js';
import { isActionState, stateTones } from './action-states.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { JsonView } from './json-view.js';
import { usePages, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listActions'>['data'][number]} Action */

/**
 * The durable queue of a game, or of all games.
 * @param {{ game?: import('./game-view.js').Game }} props
 */
export function Queue({ game }) {
  const admin = useAdmin();
  const gameId = game?.gameId;
  const [state, setState] = useState('');
  const [kind, setKind] = useState('');
  const [shown, setShown] = useState('');
  const pages = usePages(
    (page) =>
      admin.call('listActions', {
        ...page,
        ...(gameId && { gameId }),
        ...(isActionState(state) && { state }),
        ...((kind === 'chain' || kind === 'webhook') && { kind }),
      }),
    (/** @type {Action} */ action) => action._id,
    [gameId, state, kind],
  );
  /** @type {import('./virtual-table.js').Column<Action>[]} */
  const columns = [
    {
      title: 'Action',
      wide: true,
      cell: ({ type, error }) =>
        html`<span class="truncate"><strong>${type}</strong>${error ? html` <span class="quiet small">${error}</span>` : ''}</span>`,
      value: ({ type }) => type,
    },
    {
      title: 'State',
      narrow: 'bare',
      cell: ({ state: now }) => html`<span class="badge ${stateTones[now]}">${now}</span>`,
      value: ({ state: now }) => now,
    },
    {
      title: 'Player',
      narrow: 'bare',
      cell: ({ normalizedAddress }) =>
        normalizedAddress ? html`<${PlayerCell} wallet=${normalizedAddress} />` : '–',
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    { title: 'Attempts', number: true, cell: ({ attempts }) => attempts, value: ({ attempts }) => attempts },
    {
      title: 'Updated',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    { title: 'Error', exportOnly: true, cell: () => null, value: ({ error }) => error },
    {
      title: 'Transaction',
      exportOnly: true,
      cell: () => null,
      value: ({ transactionHash }) => transactionHash,
    },
    {
      title: 'Show',
      hidden: true,
      cell: ({ _id, type }) =>
        html`<${Button} size="small" aria-label="Show action ${type}" onClick=${() => setShown(_id)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption=${game ? `Queue of ${game.name}` : 'Queue'}
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Action} */ action) => action._id}
      fileName=${game ? `${game.slug}-queue` : 'queue'}
      empty=${html`<${Empty} icon="check" title="No ${state} actions"><p>Rules enqueue on-chain actions and webhook deliveries.</p><//>`}
    >
      <${SelectField} label="State" hideLabel value=${state} onValue=${setState} options=${[['', 'All states'], ...Object.keys(stateTones).map((one) => [one, one])]} />
      <${SelectField} label="Kind" hideLabel value=${kind} onValue=${setKind} options=${[['', 'All kinds'], ['chain', 'On-chain'], ['webhook', 'Webhooks']]} />
    <//>
    ${shown && html`<${ActionDialog} key=${shown} actionId=${shown} known=${pages.rows?.find(({ _id }) => _id === shown)} onClose=${() => setShown('')} onChanged=${pages.reload} />`}
  `;
}

/**
 * One action: its state, its transaction's hash once it has one, and its payload.
 * @param {{ actionId: string, known: Action | undefined, onClose: () => void, onChanged: () => void }} props
 */
function ActionDialog({ actionId, known, onClose, onChanged }) {
  const admin = useAdmin();
  const { result, reload } = useQuery(() => admin.call('getAction', { actionId }), [actionId]);
  const action = result?.action ?? known;
  const changed = () => {
    reload();
    onChanged();
  };
  if (!action) return null;
  const {
    type,
    state,
    kind,
    lane,
    normalizedAddress,
    error,
    transactionHash,
    attempts,
    createdAt,
    updatedAt,
    dueAt,
    payload,
  } = action;
  return html`
    <${Dialog}
      title=${type}
      onClose=${onClose}
      actions=${html`
        ${
          state === 'queued' &&
          html`
            <${ConfirmButton} needs="cancelAction" label="Cancel action" title="Cancel this action?" confirm="Confirm" act=${() => admin.call('cancelAction', { actionId })} done="Action cancelled" reload=${changed}>
              <p>The action is removed from the queue before it is sent, and the player's launcher is notified. It can be retried later.</p>
            <//>
          `
        }
        ${
          (state === 'failed' || state === 'cancelled' || state === 'queued') &&
          html`
            <${ConfirmButton} needs="retryAction" label="Retry" title="Retry this action?" confirm="Retry" act=${() => admin.call('retryAction', { actionId })} done="Action requeued" reload=${changed}>
              <p>The action runs as soon as possible with its attempt count reset. Its on-chain cost counts against the game's spending limit of today.</p>
            <//>
          `
        }
        <${Button} onClick=${onClose}>Close<//>
      `}
    >
      <dl class="facts">
        <div><dt>State</dt><dd><span class="badge ${stateTones[state]}">${state}</span></dd></div>
        ${error && html`<div><dt>Error</dt><dd class="wrap">${error}</dd></div>`}
        ${transactionHash && html`<div><dt>Transaction</dt><dd class="mono id-line"><span class="truncate">${transactionHash}</span><${CopyButton} text=${transactionHash} label="Copy transaction hash" /></dd></div>`}
        ${normalizedAddress && html`<div><dt>Player</dt><dd><${PlayerCell} wallet=${normalizedAddress} /></dd></div>`}
        <div><dt>Kind</dt><dd>${kind}${lane ? html` <span class="quiet mono small">${lane}</span>` : ''}</dd></div>
        <div><dt>Created</dt><dd><${TimeCell} at=${createdAt} /></dd></div>
        <div><dt>Updated</dt><dd><${TimeCell} at=${updatedAt} /></dd></div>
        <div><dt>Attempts</dt><dd>${attempts}${state === 'queued' ? html`, next attempt <${TimeCell} at=${dueAt} />` : ''}</dd></div>
        <div><dt>ID</dt><dd class="mono id-line"><span class="truncate">${actionId}</span><${CopyButton} text=${actionId} label="Copy action ID" /></dd></div>
      </dl>
      <h3>Payload</h3>
      <${JsonView} value=${payload} label="Payload" />
    <//>
  `;
}
