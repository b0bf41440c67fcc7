import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty, messageOf } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { ConfirmButton } from './confirm-button.js';
import { draftKey, useFormDraft } from './drafts.js';
import { FormProblem, problemAt, SelectField, TextField } from './fields.js';
import { useQuery } from './queries.js';
import { SecretOnce } from './secret-once.js';
import { WebhookDeliveries } from './webhook-deliveries.js';

/** @typedef {import('./admin.js').Output<'listWebhooks'>['webhooks'][number]} Webhook */

/**
 * The timeout of a ping, in milliseconds: the server waits up to 15 s for the receiver (http-webhook-sender.ts)
 * before it responds.
 */
const pingTimeoutMs = 25_000;

/** @type {readonly (readonly [value: Webhook['filter'], label: string])[]} */
const filters = [
  ['all', 'All events'],
  ['event-callbacks', 'Game events only'],
  ['rules-engine-all-callbacks', 'Rule actions'],
  ['rules-engine-errors', 'Rule errors'],
];

/**
 * A game's webhooks and their deliveries.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function WebhooksView({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.call('listWebhooks', { gameId }), [gameId]);
  const [creating, setCreating] = useState(false);
  const [pinged, setPinged] = useState(/** @type {readonly string[]} */ ([]));
  /** @param {Webhook} webhook */
  const ping = async ({ webhookId }) => {
    setPinged((before) => [...before, webhookId]);
    try {
      const {
        delivered,
        status,
        error: why,
        durationMs,
      } = await admin.call('testWebhook', { webhookId }, { timeoutMs: pingTimeoutMs });
      if (delivered) toast(`The receiver responded with ${status} in ${durationMs} ms`, 'success');
      else toast(`Not delivered: ${why}`, 'error');
    } catch (failed) {
      toast(messageOf(failed), 'error');
    }
    setPinged((before) => before.filter((one) => one !== webhookId));
  };
  /** @type {import('../shared/table.js').Column<Webhook>[]} */
  const columns = [
    { title: 'URL', cell: ({ url }) => html`<span class="mono wrap">${url}</span>` },
    {
      title: 'Filter',
      narrow: 'bare',
      cell: ({ filter }) => filters.find(([value]) => value === filter)?.[1] ?? filter,
    },
    {
      title: 'State',
      narrow: 'bare',
      cell: ({ enabled, disabledReason }) =>
        enabled
          ? html`<span class="badge good">enabled</span>`
          : html`<span class="badge ${disabledReason ? 'bad' : ''}" title=${disabledReason ?? undefined}>disabled</span>`,
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (webhook) => html`
        <span class="row-buttons">
          <${Allowed} to="testWebhook"><${Button} size="small" aria-label="Ping ${webhook.url}" busy=${pinged.includes(webhook.webhookId)} onClick=${() => ping(webhook)}>Ping<//><//>
          <${ConfirmButton}
            needs="updateWebhook"
            label=${webhook.enabled ? 'Disable' : 'Enable'}
            title="${webhook.enabled ? 'Disable' : 'Enable'} this webhook?"
            confirm=${webhook.enabled ? 'Disable' : 'Enable'}
            act=${() => admin.call('updateWebhook', { webhookId: webhook.webhookId, enabled: !webhook.enabled })}
            done=${webhook.enabled ? 'Webhook disabled' : 'Webhook enabled'}
            reload=${reload}
          >
            <p>${
              webhook.enabled
                ? 'Nothing is delivered until it is enabled again. Pending deliveries fail, and can be redelivered then; events in the meantime are not delivered.'
                : 'Events from now on are delivered. Failed deliveries can be redelivered.'
            }</p>
          <//>
          <${ConfirmButton}
            needs="removeWebhook"
            label="Remove webhook ${webhook.url}"
            icon="trash"
            iconOnly
            kind="plain"
            title="Remove this webhook?"
            confirm="Remove"
            act=${() => admin.call('removeWebhook', { webhookId: webhook.webhookId })}
            done="Webhook removed"
            reload=${reload}
          >
            <p>${webhook.url} receives no further events, and pending deliveries are discarded.</p>
          <//>
        </span>
      `,
    },
  ];
  return html`
    <div class="webhooks">
      <section class="card" aria-labelledby="webhooks">
        <div class="card-head">
          <h2 id="webhooks">Webhooks</h2>
          <${Allowed} to="createWebhook"><${Button} size="small" onClick=${() => setCreating(true)}><${Icon} name="plus" />New webhook<//><//>
        </div>
        <${Table}
          caption="Webhooks of ${game.name}"
          columns=${columns}
          rows=${result?.webhooks}
          keyOf=${(/** @type {Webhook} */ one) => one.webhookId}
          error=${error}
          onRetry=${reload}
          empty=${html`<${Empty} icon="send" title="No webhooks"><p>A webhook sends the game's events to your server.</p><//>`}
        />
      </section>
      <${WebhookDeliveries} game=${game} />
      ${creating && html`<${CreateWebhook} gameId=${gameId} onClose=${() => setCreating(false)} onCreated=${reload} />`}
    </div>
  `;
}

/** @param {{ gameId: string, onClose: () => void, onCreated: () => void }} props */
function CreateWebhook({ gameId, onClose, onCreated }) {
  const admin = useAdmin();
  const { typed, edit, isChanged, clear, close } = useFormDraft(
    draftKey(gameId, 'webhooks', 'new'),
    { url: '', filter: 'all' },
    onClose,
  );
  const { url, filter } = typed;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [secret, setSecret] = useState('');
  /** @param {Event} event */
  const create = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const result = await admin.call('createWebhook', {
        gameId,
        url: url.trim(),
        filter: /** @type {Webhook['filter']} */ (filter),
      });
      setSecret(result.secret);
      clear();
      onCreated();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  if (secret) {
    return html`
      <${Dialog} title="Webhook secret" stays onClose=${onClose} actions=${html`<${Button} kind="primary" onClick=${onClose}>Done<//>`}>
        <p>Deliveries are signed with this secret; verify them with it.</p>
        <${SecretOnce} secret=${secret} />
      <//>
    `;
  }
  return html`
    <${Dialog}
      title="New webhook"
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form="new-webhook" busy=${busy}>Create<//>`}
    >
      <form id="new-webhook" class="form" onSubmit=${create}>
        <${TextField} label="URL" required inputmode="url" maxlength=${2000} placeholder="https://game.example/hooks" value=${url} onValue=${edit('url')} problem=${problemAt(error, 'url')} />
        <${SelectField} label="Filter" value=${filter} onValue=${edit('filter')} options=${filters} />
        <${FormProblem} error=${error} fields=${['url', 'filter']} />
      </form>
    <//>
  `;
}
