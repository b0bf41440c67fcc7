import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { ConfirmButton } from './confirm-button.js';
import { TextField } from './fields.js';
import { goTo } from './route.js';

/** Removing a large game takes the server a while. */
const deletingWithinMs = 10 * 60_000;

/**
 * Archives a game, opens it again, or deletes it once its slug has been typed.
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
          <p class="quiet">${isArchived ? 'Nobody can play it. Everything in it is kept.' : 'Ends all sessions and refuses players and the game server until it is listed again. Everything is kept.'}</p>
        </div>
        ${
          isArchived
            ? html`
                <${ConfirmButton} needs="updateGame" label="List again" title="List ${game.name} again?" confirm="List again" act=${() => admin.call('updateGame', { gameId, listing: 'listed' })} done="${game.name} is listed again" onDone=${onChanged}>
                  <p>Players see it in the launcher and can open new sessions.</p>
                <//>
              `
            : html`
                <${ConfirmButton} needs="updateGame" label="Archive game" title="Archive ${game.name}?" confirm="Archive" act=${() => admin.call('updateGame', { gameId, listing: 'archived' })} done="${game.name} archived" onDone=${onChanged}>
                  <p>All sessions end now, and nobody can play it until you list it again. Scores, states and messages are kept; the leaderboard stays public.</p>
                <//>
              `
        }
        <${Allowed} to="deleteGame">
          <div>
            <h3>Delete</h3>
            <p class="quiet">Removes the game and all scores, states, messages and other data in it, for good.</p>
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
  const isRight = typed.trim() === game.slug;
  /** @param {Event} event */
  const remove = async (event) => {
    event.preventDefault();
    if (!isRight || busy) return;
    setBusy(true);
    setProblem('');
    try {
      const input = { gameId: game.gameId, confirm: typed.trim() };
      await admin.call('deleteGame', input, { timeoutMs: deletingWithinMs });
      toast(`${game.name} deleted`, 'success');
      goTo('games');
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return html`
    <${Dialog}
      title="Delete ${game.name}?"
      onClose=${() => !busy && onClose()}
      actions=${html`
        <${Button} onClick=${onClose} disabled=${busy}>Cancel<//>
        <${Button} kind="danger" type="submit" form="delete-game" busy=${busy} disabled=${!isRight}>Delete game<//>
      `}
    >
      <form id="delete-game" class="form" onSubmit=${remove}>
        <p>This removes the game with all scores, states, play sessions, activities, messages, sessions, webhooks and secrets in it. It cannot be undone. Players keep their profiles and what they have in other games.</p>
        <p class="quiet small">To keep a copy, run <code>gantry export ${game.slug} ${game.slug}.ndjson</code> first.</p>
        <${TextField} label="Type ${game.slug} to confirm" value=${typed} onValue=${setTyped} autocomplete="off" spellcheck=${false} mono autofocus />
        ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      </form>
    <//>
  `;
}
