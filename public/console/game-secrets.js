import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { problemOf, SelectField } from './fields.js';
import { useQuery } from './queries.js';
import { SecretOnce } from './secret-once.js';

/** @typedef {import('./admin.js').Output<'listGameSecrets'>['secrets'][number]} Secret */

/**
 * A game's secrets: rotated with a grace period, or revoked immediately.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function GameSecrets({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.call('listGameSecrets', { gameId }), [gameId]);
  const [rotating, setRotating] = useState(false);
  /** @type {import('../shared/table.js').Column<Secret>[]} */
  const columns = [
    { title: 'Fingerprint', cell: ({ fingerprint }) => html`<code>${fingerprint}</code>` },
    { title: 'Created', cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />` },
    {
      title: 'Expires',
      cell: ({ expiresAt }) =>
        expiresAt === null
          ? html`<span class="nowrap">on rotation</span>`
          : html`until <${TimeCell} at=${expiresAt} />`,
    },
    {
      title: 'Revoke',
      hidden: true,
      cell: ({ fingerprint }) => html`
        <${ConfirmButton}
          needs="revokeGameSecret"
          label="Revoke"
          title="Revoke secret ${fingerprint}?"
          confirm="Revoke"
          act=${() => admin.call('revokeGameSecret', { gameId, fingerprint })}
          done="Secret revoked"
          reload=${reload}
        >
          <p>Requests of ${game.name} with this secret are rejected immediately. This cannot be undone.</p>
        <//>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="secrets">
      <div class="card-head">
        <h2 id="secrets">Secrets</h2>
        <${Allowed} to="rotateGameSecret"><${Button} size="small" onClick=${() => setRotating(true)}><${Icon} name="refresh" />Rotate<//><//>
      </div>
      <${Table}
        caption="Active secrets of ${game.name}"
        columns=${columns}
        rows=${result?.secrets}
        keyOf=${(/** @type {Secret} */ secret) => secret.fingerprint}
        error=${error}
        onRetry=${reload}
        empty=${html`<${Empty} icon="key" title="No active secrets"><p>Rotate to create one.</p><//>`}
      />
      ${rotating && html`<${Rotate} game=${game} onClose=${() => setRotating(false)} onRotated=${reload} />`}
    </section>
  `;
}

/** @param {{ game: import('./game-view.js').Game, onClose: () => void, onRotated: () => void }} props */
function Rotate({ game, onClose, onRotated }) {
  const admin = useAdmin();
  const [grace, setGrace] = useState('3600');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [secret, setSecret] = useState('');
  const rotate = async () => {
    setBusy(true);
    setProblem('');
    try {
      const result = await admin.call('rotateGameSecret', {
        gameId: game.gameId,
        graceSeconds: Number(grace),
      });
      setSecret(result.gameSecret);
      onRotated();
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  if (secret) {
    return html`
      <${Dialog} title="New secret" stays onClose=${onClose} actions=${html`<${Button} kind="primary" onClick=${onClose}>Done<//>`}>
        <${SecretOnce} secret=${secret} />
      <//>
    `;
  }
  return html`
    <${Dialog}
      title="Rotate secret of ${game.name}"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" busy=${busy} onClick=${rotate}>Rotate<//>`}
    >
      <p>Creates a new secret. Old secrets stay valid for the grace period, so that the game can switch without downtime.</p>
      <${SelectField}
        label="Keep old secrets valid for"
        value=${grace}
        onValue=${setGrace}
        options=${[['0', '0 minutes (revoke now)'], ['600', '10 minutes'], ['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week']]}
      />
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
  `;
}
