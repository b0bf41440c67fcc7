import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { Empty } from '../shared/states.js';
import { isActionState, stateTones } from './action-states.js';
import { useAdmin } from './admin.js';
import { useAnswer, usePages } from './answers.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { JsonView } from './json-view.js';

/** @typedef {import('./admin.js').Output<'listActions'>['data'][number]} Action */

/**
 * The durable queue of a game, or of all.
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
      cell: ({ state: now }) => html`<span class="badge ${stateTones[now]}">${now}</span>`,
      value: ({ state: now }) => now,
    },
    {
      title: 'Player',
      cell: ({ normalizedAddress }) =>
        normalizedAddress ? html`<${PlayerCell} wallet=${normalizedAddress} />` : '–',
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    { title: 'Tries', number: true, cell: ({ attempts }) => attempts, value: ({ attempts }) => attempts },
    {
      title: 'Changed',
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
        html`<${Button} size="small" aria-label="Show the action ${type}" onClick=${() => setShown(_id)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption=${game ? `Queue of ${game.name}` : 'Queue'}
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Action} */ action) => action._id}
      fileName=${game ? `${game.slug}-queue` : 'queue'}
      empty=${html`<${Empty} icon="check" title="Nothing ${state || 'in the queue'}"><p>Rules put here what goes out to chains and webhooks.</p><//>`}
    >
      <${SelectField} label="State" hideLabel value=${state} onValue=${setState} options=${[['', 'Any state'], ...Object.keys(stateTones).map((one) => [one, one])]} />
      <${SelectField} label="Kind" hideLabel value=${kind} onValue=${setKind} options=${[['', 'Any kind'], ['chain', 'On chains'], ['webhook', 'Webhooks']]} />
    <//>
    ${shown && html`<${ActionDialog} key=${shown} actionId=${shown} known=${pages.rows?.find(({ _id }) => _id === shown)} onClose=${() => setShown('')} onChanged=${pages.reload} />`}
  `;
}

/**
 * One action: how it stands, its transaction's hash once it has one, and what it carries.
 * @param {{ actionId: string, known: Action | undefined, onClose: () => void, onChanged: () => void }} props
 */
function ActionDialog({ actionId, known, onClose, onChanged }) {
  const admin = useAdmin();
  const { answer, reload } = useAnswer(() => admin.call('getAction', { actionId }), [actionId]);
  const action = answer?.action ?? known;
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
            <${ConfirmButton} label="Cancel it" title="Cancel this action?" confirm="Cancel action" act=${() => admin.call('cancelAction', { actionId })} done="The action is cancelled" onDone=${changed}>
              <p>It is taken out of the queue before it is sent. The player's launcher is told. It can be tried again later.</p>
            <//>
          `
        }
        ${
          (state === 'failed' || state === 'cancelled' || state === 'queued') &&
          html`
            <${ConfirmButton} label="Try again" title="Try this action again?" confirm="Try again" act=${() => admin.call('retryAction', { actionId })} done="The action is due at once" onDone=${changed}>
              <p>It is due at once, with its tries counted anew. What it costs on a chain counts against the game's spending of today.</p>
            <//>
          `
        }
        <${Button} onClick=${onClose}>Close<//>
      `}
    >
      <dl class="facts">
        <div><dt>State</dt><dd><span class="badge ${stateTones[state]}">${state}</span></dd></div>
        ${error && html`<div><dt>Error</dt><dd class="wrap">${error}</dd></div>`}
        ${transactionHash && html`<div><dt>Transaction</dt><dd class="mono id-line"><span class="truncate">${transactionHash}</span><${CopyButton} text=${transactionHash} label="Copy the transaction's hash" /></dd></div>`}
        ${normalizedAddress && html`<div><dt>Player</dt><dd><${PlayerCell} wallet=${normalizedAddress} /></dd></div>`}
        <div><dt>Kind</dt><dd>${kind}${lane ? html` <span class="quiet mono small">${lane}</span>` : ''}</dd></div>
        <div><dt>Written</dt><dd><${TimeCell} at=${createdAt} /></dd></div>
        <div><dt>Changed</dt><dd><${TimeCell} at=${updatedAt} /></dd></div>
        <div><dt>Tries</dt><dd>${attempts}${state === 'queued' ? html`, due <${TimeCell} at=${dueAt} />` : ''}</dd></div>
        <div><dt>Id</dt><dd class="mono id-line"><span class="truncate">${actionId}</span><${CopyButton} text=${actionId} label="Copy the action's id" /></dd></div>
      </dl>
      <h3>What it carries</h3>
      <${JsonView} value=${payload} label="What the action carries" />
    <//>
  `;
}
