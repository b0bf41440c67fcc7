import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { draftOf, keepDraft } from './drafts.js';

/**
 * Edits the player's display name for all games; without one, the default name is shown.
 * @param {{ launcher: import('./launcher.js').Launcher }} props
 */
export function NameForm({ launcher }) {
  const { wallet, players } = launcher;
  const id = useId();
  const shown = players.name(wallet);
  const known = shown === defaultName(wallet) ? '' : shown;
  const [name, setName] = useState(() => draftOf(wallet, 'name') || null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const typed = name ?? known;
  const changed = typed.trim() !== known;
  useLayoutEffect(() => keepDraft(wallet, 'name', changed ? typed : ''));
  /** @param {Event} event */
  const save = async (event) => {
    event.preventDefault();
    if (!changed) return;
    setBusy(true);
    setProblem('');
    try {
      await launcher.rename(typed.trim());
      setName(null);
      toast('Name saved', 'success');
    } catch (error) {
      setProblem(messageOf(error).replace(/^username: ./, (start) => start.slice(-1).toUpperCase()));
    }
    setBusy(false);
  };
  return html`
    <form class="field" onSubmit=${save}>
      <label for=${id}>Display name</label>
      <div class="field-row">
        <input
          id=${id}
          class="input"
          type="text"
          maxlength="40"
          autocomplete="nickname"
          placeholder=${shown}
          value=${typed}
          aria-invalid=${problem ? 'true' : undefined}
          aria-describedby=${`${id}-more`}
          onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
        />
        <${Button} type="submit" busy=${busy} disabled=${!changed}>Save<//>
      </div>
      ${problem ? html`<p id=${`${id}-more`} class="problem" role="alert">${problem}</p>` : html`<p id=${`${id}-more`} class="hint">Shown to other players in every game.</p>`}
    </form>
  `;
}
