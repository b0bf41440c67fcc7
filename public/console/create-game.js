import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { useAdmin } from './admin.js';
import { draftKey, useFormDraft } from './drafts.js';
import { FormProblem, linesOf, problemAt, SelectField, TextField } from './fields.js';
import { OriginsField } from './origins-field.js';
import { SecretOnce } from './secret-once.js';

/** @typedef {import('./admin.js').Output<'createGame'>} Created */

/**
 * The form for a new game; then its secret.
 * @param {{ onClose: () => void, onCreated: () => void, onOpen: (slug: string) => void }} props
 */
export function CreateGame({ onClose, onCreated, onOpen }) {
  const admin = useAdmin();
  const { typed, edit, isChanged, clear, close } = useFormDraft(
    draftKey('', 'games', 'new'),
    { name: '', slug: '', kind: 'game', url: '', origins: '' },
    onClose,
  );
  const { name, slug, kind, url, origins } = typed;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [created, setCreated] = useState(/** @type {Created | null} */ (null));
  /** @param {Event} event */
  const create = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const result = await admin.call('createGame', {
        name,
        kind: kind === 'launcher' ? 'launcher' : 'game',
        ...(slug.trim() && { slug: slug.trim() }),
        ...(url.trim() && { url: url.trim() }),
        allowedOrigins: linesOf(origins),
      });
      setCreated(result);
      clear();
      onCreated();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  if (created) {
    return html`
      <${Dialog}
        title="${created.game.name} created"
        stays
        onClose=${onClose}
        actions=${html`<${Button} onClick=${onClose}>Close<//><${Button} kind="primary" onClick=${() => onOpen(created.game.slug)}>Open game<//>`}
      >
        <dl class="facts">
          <div><dt>ID</dt><dd class="mono id-line">${created.gameId}<${CopyButton} text=${created.gameId} label="Copy ID" /></dd></div>
        </dl>
        <h3>Secret</h3>
        <${SecretOnce} secret=${created.gameSecret} />
      <//>
    `;
  }
  return html`
    <${Dialog}
      title="New game"
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form="new-game" busy=${busy}>Create<//>`}
    >
      <form id="new-game" class="form" onSubmit=${create}>
        <${TextField} label="Name" required maxlength=${100} value=${name} onValue=${edit('name')} problem=${problemAt(error, 'name')} />
        <${TextField} label="Slug" maxlength=${60} value=${slug} onValue=${edit('slug')} problem=${problemAt(error, 'slug')} hint="Used in URLs: lowercase letters, digits and hyphens. Derived from the name when empty." />
        <${SelectField} label="Kind" value=${kind} onValue=${edit('kind')} options=${[['game', 'Game'], ['launcher', 'Launcher (its sessions can open sessions in other games)']]} />
        <${TextField} label="URL" inputmode="url" maxlength=${2000} value=${url} onValue=${edit('url')} problem=${problemAt(error, 'url')} hint="Where the game is hosted: https://… or a path on this server. Optional." />
        <${OriginsField} value=${origins} onValue=${edit('origins')} url=${url} error=${error} />
        <${FormProblem} error=${error} fields=${['name', 'slug', 'url', 'allowedOrigins']} />
      </form>
    <//>
  `;
}
