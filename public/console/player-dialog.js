import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Address } from '../shared/address.js';
import { Avatar } from '../shared/avatar.js';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { messageOf } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { BanBadge } from './ban-badge.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { problemAt, TextField } from './fields.js';
import { asCount } from './numbers.js';
import { pageSize, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listSessions'>['data'][number]} Session */

/** How many of a player's sessions are searched for active ones. */
const maxSessionsSearched = 5_000;

/**
 * Administration of one player.
 * @param {{
 *   player: import('./players.js').Player,
 *   game: import('./game-view.js').Game | undefined,
 *   onClose: () => void,
 *   onChanged: () => void,
 * }} props
 */
export function PlayerDialog({ player, game, onClose, onChanged }) {
  const { wallet, username, avatar, userId, bannedFrom } = player;
  return html`
    <${Dialog} title=${username || 'Player'} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Done<//>`}>
      <div class="player-head">
        <${Avatar} wallet=${wallet} url=${avatar || undefined} />
        <dl class="facts">
          <div><dt>Wallet</dt><dd><${Address} wallet=${wallet} /></dd></div>
          <div><dt>User ID</dt><dd class="mono id-line"><span class="truncate">${userId}</span><${CopyButton} text=${userId} label="Copy user ID" /></dd></div>
          <div><dt>Banned</dt><dd><${BanBadge} bannedFrom=${bannedFrom} gameId=${game?.gameId} /></dd></div>
        </dl>
      </div>
      <${Rename} player=${player} onChanged=${onChanged} />
      <${Sessions} wallet=${wallet} game=${game} />
      <${Bans} player=${player} game=${game} onChanged=${onChanged} />
      <section class="danger-zone" aria-labelledby="erase">
        <h3 id="erase">Erase</h3>
        <p class="quiet small">Permanently deletes all data of this player in all games.</p>
        <${EraseButton} player=${player} onErased=${() => {
          onClose();
          onChanged();
        }} />
      </section>
    <//>
  `;
}

/** @param {{ player: import('./players.js').Player, onChanged: () => void }} props */
function Rename({ player, onChanged }) {
  const admin = useAdmin();
  const [name, setName] = useState(player.username);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /** @param {Event} event */
  const rename = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await admin.call('updatePlayer', { wallet: player.wallet, username: name.trim() });
      toast(name.trim() ? `Renamed to ${name.trim()}` : 'Name removed', 'success');
      onChanged();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  const problem = problemAt(error, 'username') ?? (error === null ? '' : messageOf(error));
  return html`
    <form class="with-button" onSubmit=${rename}>
      <${TextField} label="Name" maxlength=${40} value=${name} onValue=${setName} placeholder="Defaults to the shortened wallet" problem=${problem} />
      <${Button} type="submit" busy=${busy} disabled=${name.trim() === player.username}>Rename<//>
    </form>
  `;
}

/** @param {{ wallet: string, game: import('./game-view.js').Game | undefined }} props */
function Sessions({ wallet, game }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(async () => {
    const [{ active, complete }, { games }] = await Promise.all([
      activeSessions(admin, { wallet, ...(game && { gameId: game.gameId }) }),
      admin.call('listGames', {}),
    ]);
    const names = new Map(games.map(({ gameId, name }) => [gameId, name]));
    return { names, active, complete };
  }, [wallet, game?.gameId]);
  /** @type {import('../shared/table.js').Column<Session>[]} */
  const columns = [
    { title: 'Game', cell: ({ gameId }) => result?.names.get(gameId) ?? gameId },
    { title: 'Opened', cell: ({ openedAt }) => html`<${TimeCell} at=${openedAt} />` },
    {
      title: 'Status',
      cell: ({ present }) =>
        present ? html`<span class="badge good">online</span>` : html`<span class="quiet">offline</span>`,
    },
    {
      title: 'End',
      hidden: true,
      cell: ({ sessionId, gameId }) => html`
        <${ConfirmButton}
          label="End"
          title="End this session?"
          confirm="End session"
          act=${() => admin.call('revokeSession', { sessionId })}
          done="Session ended"
          onDone=${reload}
        >
          <p>The player is signed out of ${result?.names.get(gameId) ?? 'the game'} immediately and notified that an administrator ended the session. The player can sign in again.</p>
        <//>
      `,
    },
  ];
  return html`
    <section aria-labelledby="sessions">
      <h3 id="sessions">Active sessions</h3>
      <${Table}
        caption="Active sessions of the player"
        columns=${columns}
        rows=${result?.active}
        keyOf=${(/** @type {Session} */ session) => session.sessionId}
        error=${error}
        onRetry=${reload}
        empty=${html`<p class="quiet small none">None.</p>`}
      />
      ${result?.complete === false && html`<p class="quiet small">Only the newest ${asCount(maxSessionsSearched)} sessions were searched; older active sessions are not listed.</p>`}
    </section>
  `;
}

/**
 * The active sessions among the newest of a player, newest first. The server lists
 * ended ones as well.
 * @param {import('./admin.js').Admin} admin
 * @param {{ wallet: string, gameId?: string }} filter
 */
async function activeSessions(admin, filter) {
  /** @type {Map<string, Session>} by id: one opened meanwhile moves others onto the page that comes next */
  const active = new Map();
  for (let skip = 0; skip < maxSessionsSearched; skip += pageSize) {
    const { data, total } = await admin.call('listSessions', { ...filter, limit: pageSize, skip });
    for (const session of data) {
      if (session.endedAt === null && session.expiresAt > Date.now()) active.set(session.sessionId, session);
    }
    if (skip + pageSize >= total) return { active: [...active.values()], complete: true };
  }
  return { active: [...active.values()], complete: false };
}

/**
 * @param {{
 *   player: import('./players.js').Player,
 *   game: import('./game-view.js').Game | undefined,
 *   onChanged: () => void,
 * }} props
 */
function Bans({ player, game, onChanged }) {
  const admin = useAdmin();
  const [reason, setReason] = useState('');
  const { wallet, bannedFrom } = player;
  const places = [
    ...(game ? [{ gameId: game.gameId, name: game.name }] : []),
    { gameId: '', name: 'all games' },
  ];
  // Other games as well, so that every ban can be found and lifted.
  const others = bannedFrom
    .filter((id) => !places.some(({ gameId }) => gameId === id))
    .map((id) => ({ gameId: id, name: `the game ${id}` }));
  const open = places.filter(({ gameId }) => !bannedFrom.includes(gameId));
  const closed = [...places, ...others].filter(({ gameId }) => bannedFrom.includes(gameId));
  return html`
    <section class="danger-zone" aria-labelledby="ban">
      <h3 id="ban">Ban</h3>
      ${open.length > 0 && html`<${TextField} label="Reason (for the audit log)" maxlength=${500} value=${reason} onValue=${setReason} />`}
      <div class="button-row">
        ${open.map(
          ({ gameId, name }) => html`
            <${ConfirmButton}
              key=${`ban ${gameId}`}
              label="Ban from ${name}"
              kind="danger"
              title="Ban this player from ${name}?"
              confirm="Ban"
              act=${() => admin.call('banPlayer', { wallet, reason, ...(gameId && { gameId }) })}
              done="Banned from ${name}"
              onDone=${onChanged}
            >
              <p>The player's sessions there end immediately, with a notice in the launcher, and no new ones can be opened. Existing data is kept.</p>
            <//>
          `,
        )}
        ${closed.map(
          ({ gameId, name }) => html`
            <${ConfirmButton}
              key=${`unban ${gameId}`}
              label="Unban from ${name}"
              title="Unban this player from ${name}?"
              confirm="Unban"
              act=${() => admin.call('unbanPlayer', { wallet, ...(gameId && { gameId }) })}
              done="Unbanned from ${name}"
              onDone=${onChanged}
            >
              <p>The player can sign in again.</p>
            <//>
          `,
        )}
      </div>
    </section>
  `;
}

/** @param {{ player: import('./players.js').Player, onErased: () => void }} props */
function EraseButton({ player, onErased }) {
  const admin = useAdmin();
  const [typed, setTyped] = useState('');
  const asked = player.wallet.slice(-4);
  return html`
    <${ConfirmButton}
      label="Erase player"
      kind="danger"
      title="Permanently erase ${player.username || 'this player'}?"
      confirm="Erase permanently"
      act=${async () => {
        if (typed.trim().toLowerCase() !== asked)
          throw new Error(`Type the last four characters of the wallet (${asked}) to confirm.`);
        await admin.call('erasePlayer', { wallet: player.wallet });
      }}
      done="Player erased"
      onDone=${onErased}
    >
      <p>Profile, scores, states, play sessions, activities, notifications, messages, sessions and bans are deleted from the database file. They can only be recovered from a backup.</p>
      <${TextField} label="Type the last four characters of the wallet to confirm: ${asked}" maxlength=${10} mono value=${typed} onValue=${setTyped} />
    <//>
  `;
}
