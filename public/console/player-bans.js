import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Table } from '../shared/table.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { SelectField, TextField } from './fields.js';
import { nameIn } from './game-names.js';

/** @typedef {import('./player-page.js').PlayerDetails} PlayerDetails */
/** @typedef {import('./game-view.js').Game} Game */
/** @typedef {PlayerDetails['bans'][number]} Ban */

/**
 * The bans of a player, with their reasons, and a form for banning the player.
 * @param {{ player: PlayerDetails, games: readonly Game[], game: Game | undefined, onChanged: () => void }} props
 */
export function PlayerBans({ player, games, game, onChanged }) {
  const admin = useAdmin();
  const { wallet, bans } = player;
  const [reason, setReason] = useState('');
  const [chosen, setChosen] = useState(game?.gameId ?? '');
  const nameOf = (/** @type {string} */ gameId) => (gameId === '' ? 'all games' : nameIn(games)(gameId));
  const scopes = ['', ...games.map(({ gameId }) => gameId)].filter(
    (scope) => !bans.some(({ gameId }) => gameId === scope),
  );
  const scope = scopes.includes(chosen) ? chosen : scopes[0];
  /** @type {import('../shared/table.js').Column<Ban>[]} */
  const columns = [
    {
      title: 'Banned from',
      wide: true,
      // With the reason in a column of its own, the button would be beyond the edge of the card.
      cell: ({ gameId, reason: given }) => html`
        <span class="truncate">${nameOf(gameId)}</span>
        ${given && html`<p class="quiet small wrap">${given}</p>`}
      `,
    },
    { title: 'Since', cell: ({ at }) => html`<${TimeCell} at=${at} />` },
    {
      title: 'Unban',
      hidden: true,
      cell: ({ gameId }) => html`
        <${ConfirmButton}
          needs="unbanPlayer"
          confirmKind="primary"
          label="Unban from ${nameOf(gameId)}"
          text="Unban"
          title="Unban this player from ${nameOf(gameId)}?"
          confirm="Unban"
          act=${() => admin.call('unbanPlayer', { wallet, ...(gameId && { gameId }) })}
          done="Unbanned from ${nameOf(gameId)}"
          reload=${onChanged}
        >
          <p>The player can sign in again.</p>
        <//>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="bans">
      <div class="card-head"><h2 id="bans">Bans</h2></div>
      ${
        bans.length > 0 &&
        html`<${Table} caption="Bans of the player" columns=${columns} rows=${bans} keyOf=${(/** @type {Ban} */ { gameId }) => gameId} />`
      }
      ${
        scope !== undefined &&
        (admin.may('banPlayer') || reason !== '') &&
        html`
          <div class="card-body form">
            <div class="form-row">
              <${SelectField} label="Ban from" value=${scope} onValue=${setChosen} options=${scopes.map((id) => [id, id === '' ? 'All games' : nameOf(id)])} />
              <${TextField} label="Reason (for moderators)" maxlength=${500} value=${reason} onValue=${setReason} />
            </div>
            <${Allowed} to="banPlayer" instead=${html`<p class="quiet small">Your role cannot ban players.</p>`} />
            <div class="button-row">
              <${ConfirmButton}
                needs="banPlayer"
                label="Ban from ${nameOf(scope)}"
                kind="danger"
                title="Ban this player from ${nameOf(scope)}?"
                confirm="Ban"
                act=${() => admin.call('banPlayer', { wallet, reason, ...(scope && { gameId: scope }) })}
                done="Banned from ${nameOf(scope)}"
                reload=${onChanged}
              >
                <p>The player's sessions there end immediately, with a notice in the launcher, and no new ones can be opened. Existing data is kept.</p>
              <//>
            </div>
          </div>
        `
      }
    </section>
  `;
}
