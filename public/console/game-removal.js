import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { ConfirmButton } from './confirm-button.js';
import { problemOf, TextField } from './fields.js';
import { goTo } from './route.js';

/** Deleting a large game takes a while. */
const deleteTimeoutMs = 10 * 60_000;

/**
 * Archives a game, lists it again, or deletes it after its slug was typed.
 * @param {{ game: import('./game-view.js').Game, onChanged: () => void }} props
 */
export function GameRemoval({ game, onChanged }) {
  const admin = useAdmin();
  const [deleting, setDeleting] = useState(false);
  const { gameId, listing } = game;
  const isArchived = listing === 'archived';
  return html`
    <section class="card" aria-labelledby="removal">
      <div class="card-head"><h2 id="removal">Archive or delete</h2></div>
      <div class="card-body removal">
        <div>
          <h3>${isArchived ? 'This game is archived' : 'Archive'}</h3>
          <p class="quiet">${isArchived ? 'The game cannot be played. All data is kept.' : 'Ends all sessions and rejects players and the game server until it is listed again. All data is kept.'}</p>
        </div>
        ${
          isArchived
            ? html`
                <${ConfirmButton} needs="updateGame" confirmKind="primary" label="List again" title="List ${game.name} again?" confirm="List again" act=${() => admin.call('updateGame', { gameId, listing: 'listed' })} done="${game.name} is listed again" reload=${onChanged}>
                  <p>Players see it in the launcher and can open new sessions.</p>
                <//>
              `
            : html`
                <${ConfirmButton} needs="updateGame" label="Archive game" title="Archive ${game.name}?" confirm="Archive" act=${() => admin.call('updateGame', { gameId, listing: 'archived' })} done="${game.name} archived" reload=${onChanged}>
                  <p>All sessions end now, and the game cannot be played until you list it again. Scores, states and messages are kept; the leaderboard stays public.</p>
                <//>
              `
        }
        <${Allowed} to="deleteGame">
          <div>
            <h3>Delete</h3>
            <p class="quiet">Permanently removes the game with all scores, states, messages and other data.</p>
          </div>
          <${Button} kind="danger" size="small" onClick=${() => setDeleting(true)}>Delete game<//>
        <//>
      </div>
      ${deleting && html`<${DeleteDialog} game=${game} onClose=${() => setDeleting(false)} />`}
    </section>
  `;
}

/** @param {{ game: import('./game-view.js').Game, onClose: () => void }} props */
function DeleteDialog({ game, onClose }) {
  const admin = useAdmin();
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const isConfirmed = typed.trim() === game.slug;
  /** @param {Event} event */
  const remove = async (event) => {
    event.preventDefault();
    if (!isConfirmed || busy) return;
    setBusy(true);
    setProblem('');
    try {
      const input = { gameId: game.gameId, confirm: typed.trim() };
      await admin.call('deleteGame', input, { timeoutMs: deleteTimeoutMs });
      toast(`${game.name} deleted`, 'success');
      goTo('games');
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return html`
    <${Dialog}
      title="Delete ${game.name}?"
      onClose=${() => !busy && onClose()}
      actions=${html`
        <${Button} onClick=${onClose} disabled=${busy}>Cancel<//>
        <${Button} kind="danger" type="submit" form="delete-game" busy=${busy} disabled=${!isConfirmed}>Delete game<//>
      `}
    >
      <form id="delete-game" class="form" onSubmit=${remove}>
        <p>This removes the game with all scores, states, play sessions, activities, messages, sessions, webhooks and secrets in it. It cannot be undone. Players keep their profiles and their data in other games.</p>
        <p class="quiet small">To keep a copy, run <code>gantry export ${game.slug} ${game.slug}.ndjson</code> first.</p>
        <${TextField} label="Type ${game.slug} to confirm" value=${typed} onValue=${setTyped} autocomplete="off" spellcheck=${false} mono />
        ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      </form>
    <//>
  `;
}
