import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty, messageOf } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { useAnswer } from './answers.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { SelectField } from './fields.js';
import { SecretOnce } from './secret-once.js';

/** @typedef {import('./admin.js').Output<'listGameSecrets'>['secrets'][number]} Secret */

/**
 * A game's secrets: rotated with a time in which both work, or revoked at once.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function GameSecrets({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { answer, error, reload } = useAnswer(() => admin.call('listGameSecrets', { gameId }), [gameId]);
  const [rotating, setRotating] = useState(false);
  /** @type {import('../shared/table.js').Column<Secret>[]} */
  const columns = [
    { title: 'Fingerprint', cell: ({ fingerprint }) => html`<code>${fingerprint}</code>` },
    { title: 'Made', cell: ({ createdAt }) => html`<${TimeCell} at=${createdAt} />` },
    {
      title: 'Works',
      cell: ({ expiresAt }) =>
        expiresAt === null ? 'until it is rotated' : html`until <${TimeCell} at=${expiresAt} />`,
    },
    {
      title: 'Revoke',
      hidden: true,
      cell: ({ fingerprint }) => html`
        <${ConfirmButton}
          label="Revoke"
          title="Revoke the secret ${fingerprint}?"
          confirm="Revoke"
          act=${() => admin.call('revokeGameSecret', { gameId, fingerprint })}
          done="The secret no longer works"
          onDone=${reload}
        >
          <p>Calls of ${game.name} with it are refused from this moment on. It cannot be made to work again.</p>
        <//>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="secrets">
      <div class="card-head">
        <h2 id="secrets">Secrets</h2>
        <${Button} size="small" onClick=${() => setRotating(true)}><${Icon} name="refresh" />Rotate<//>
      </div>
      <${Table}
        caption="Secrets of ${game.name} that work"
        columns=${columns}
        rows=${answer?.secrets}
        keyOf=${(/** @type {Secret} */ secret) => secret.fingerprint}
        error=${error}
        onRetry=${reload}
        empty=${html`<${Empty} icon="key" title="No secret works"><p>Rotate to get a new one.</p><//>`}
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
      const answer = await admin.call('rotateGameSecret', {
        gameId: game.gameId,
        graceSeconds: Number(grace),
      });
      setSecret(answer.gameSecret);
      onRotated();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  if (secret) {
    return html`
      <${Dialog} title="The new secret" onClose=${onClose} actions=${html`<${Button} kind="primary" onClick=${onClose}>Done<//>`}>
        <${SecretOnce} secret=${secret} />
      <//>
    `;
  }
  return html`
    <${Dialog}
      title="Rotate the secret of ${game.name}"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" busy=${busy} onClick=${rotate}>Rotate<//>`}
    >
      <p>A new secret is made. The earlier ones go on working for a while, so that the game can be changed over without a gap.</p>
      <${SelectField}
        label="The earlier ones work for another"
        value=${grace}
        onValue=${setGrace}
        options=${[['0', 'Not at all: they stop now'], ['600', '10 minutes'], ['3600', 'Hour'], ['86400', 'Day'], ['604800', 'Week']]}
      />
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
  `;
}
