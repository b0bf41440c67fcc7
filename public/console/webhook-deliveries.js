import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Empty } from '../shared/states.js';
import { isActionState, stateTones } from './action-states.js';
import { useAdmin } from './admin.js';
import { isoTime, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { DataTable } from './data-table.js';
import { SelectField } from './fields.js';
import { JsonView } from './json-view.js';
import { usePages } from './queries.js';

/** @typedef {import('./admin.js').Output<'listWebhookDeliveries'>['data'][number]} Delivery */

/**
 * The deliveries to a game's webhooks.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function WebhookDeliveries({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [state, setState] = useState('');
  const [shown, setShown] = useState(/** @type {Delivery | null} */ (null));
  const pages = usePages(
    (page) =>
      admin.call('listWebhookDeliveries', {
        gameId,
        ...page,
        ...(isActionState(state) && { state }),
      }),
    (/** @type {Delivery} */ { deliveryId }) => deliveryId,
    [gameId, state],
  );
  /** @type {import('./virtual-table.js').Column<Delivery>[]} */
  const columns = [
    {
      title: 'Event',
      wide: true,
      cell: ({ event, error }) =>
        html`<span class="truncate"><strong>${event}</strong>${error ? html` <span class="quiet small">${error}</span>` : ''}</span>`,
      value: ({ event }) => event,
    },
    {
      title: 'State',
      narrow: 'bare',
      cell: ({ state: now }) => html`<span class="badge ${stateTones[now]}">${now}</span>`,
      value: ({ state: now }) => now,
    },
    { title: 'Attempts', number: true, cell: ({ attempts }) => attempts, value: ({ attempts }) => attempts },
    {
      title: 'Created',
      cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />`,
      value: ({ createdAt }) => isoTime(createdAt),
    },
    { title: 'ID', exportOnly: true, cell: () => null, value: ({ deliveryId }) => deliveryId },
    { title: 'Error', exportOnly: true, cell: () => null, value: ({ error }) => error },
    {
      title: 'Show',
      hidden: true,
      cell: (one) =>
        html`<${Button} size="small" aria-label="Show delivery of ${one.event}" onClick=${() => setShown(one)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="Deliveries of ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {Delivery} */ { deliveryId }) => deliveryId}
      fileName="${game.slug}-deliveries"
      empty=${html`<${Empty} icon="send" title="No deliveries"><p>Deliveries are created by events in the game.</p><//>`}
    >
      <${SelectField} label="Delivery state" hideLabel value=${state} onValue=${setState} options=${[['', 'All states'], ...Object.keys(stateTones).map((one) => [one, one])]} />
    <//>
    ${
      shown &&
      html`
        <${Dialog}
          title=${shown.event}
          onClose=${() => setShown(null)}
          actions=${html`
            <${ConfirmButton} needs="replayWebhookDelivery" label="Redeliver" title="Redeliver this event?" confirm="Redeliver" act=${() => admin.call('replayWebhookDelivery', { deliveryId: shown.deliveryId })} done="Redelivery scheduled" onDone=${() => {
              setShown(null);
              pages.reload();
            }}>
              <p>The event is sent immediately with the same webhook-id, so that the receiver can detect the duplicate.</p>
            <//>
            <${Button} onClick=${() => setShown(null)}>Close<//>
          `}
        >
          <dl class="facts">
            <div><dt>State</dt><dd><span class="badge ${stateTones[shown.state]}">${shown.state}</span></dd></div>
            ${shown.error && html`<div><dt>Error</dt><dd class="wrap">${shown.error}</dd></div>`}
            <div><dt>Attempts</dt><dd>${shown.attempts}${shown.state === 'queued' ? html`, next attempt <${TimeCell} at=${shown.dueAt} />` : ''}</dd></div>
            <div><dt>ID</dt><dd class="mono wrap">${shown.deliveryId}</dd></div>
          </dl>
          <h3>Payload</h3>
          <${JsonView} value=${shown.payload} label="Payload" />
        <//>
      `
    }
  `;
}
