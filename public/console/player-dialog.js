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
import { pageSize, useAnswer } from './answers.js';
import { BanBadge } from './ban-badge.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { problemAt, TextField } from './fields.js';
import { asCount } from './numbers.js';

/** @typedef {import('./admin.js').Output<'listSessions'>['data'][number]} Session */

/** The most of a player's sessions that live ones are looked for among. */
const sessionsLookedAt = 5_000;

/**
 * What can be done about a player.
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
          <div><dt>User id</dt><dd class="mono id-line"><span class="truncate">${userId}</span><${CopyButton} text=${userId} label="Copy the user id" /></dd></div>
          <div><dt>Banned</dt><dd><${BanBadge} bannedFrom=${bannedFrom} gameId=${game?.gameId} /></dd></div>
        </dl>
      </div>
      <${Rename} player=${player} onChanged=${onChanged} />
      <${Sessions} wallet=${wallet} game=${game} />
      <${Bans} player=${player} game=${game} onChanged=${onChanged} />
      <section class="danger-zone" aria-labelledby="erase">
        <h3 id="erase">Erase</h3>
        <p class="quiet small">Removes everything of this player's, everywhere, for good.</p>
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
      toast(name.trim() ? `Now called ${name.trim()}` : 'The name is taken away', 'success');
      onChanged();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  const problem = problemAt(error, 'username') ?? (error === null ? '' : messageOf(error));
  return html`
    <form class="with-button" onSubmit=${rename}>
      <${TextField} label="Name" maxlength=${40} value=${name} onValue=${setName} placeholder="The short form of the wallet" problem=${problem} />
      <${Button} type="submit" busy=${busy} disabled=${name.trim() === player.username}>Rename<//>
    </form>
  `;
}

/** @param {{ wallet: string, game: import('./game-view.js').Game | undefined }} props */
function Sessions({ wallet, game }) {
  const admin = useAdmin();
  const { answer, error, reload } = useAnswer(async () => {
    const [{ live, complete }, { games }] = await Promise.all([
      liveSessions(admin, { wallet, ...(game && { gameId: game.gameId }) }),
      admin.call('listGames', {}),
    ]);
    const names = new Map(games.map(({ gameId, name }) => [gameId, name]));
    return { names, live, complete };
  }, [wallet, game?.gameId]);
  /** @type {import('../shared/table.js').Column<Session>[]} */
  const columns = [
    { title: 'Game', cell: ({ gameId }) => answer?.names.get(gameId) ?? gameId },
    { title: 'Opened', cell: ({ openedAt }) => html`<${TimeCell} at=${openedAt} />` },
    {
      title: 'There',
      cell: ({ present }) =>
        present ? html`<span class="badge good">present</span>` : html`<span class="quiet">away</span>`,
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
          done="The session is ended"
          onDone=${reload}
        >
          <p>The player is signed out of ${answer?.names.get(gameId) ?? 'the game'} at once, and told that an administrator ended it. Signing in again is possible.</p>
        <//>
      `,
    },
  ];
  return html`
    <section aria-labelledby="sessions">
      <h3 id="sessions">Live sessions</h3>
      <${Table}
        caption="Live sessions of the player"
        columns=${columns}
        rows=${answer?.live}
        keyOf=${(/** @type {Session} */ session) => session.sessionId}
        error=${error}
        onRetry=${reload}
        empty=${html`<p class="quiet small none">None.</p>`}
      />
      ${answer?.complete === false && html`<p class="quiet small">Only the newest ${asCount(sessionsLookedAt)} sessions were looked at: an older one may live too.</p>`}
    </section>
  `;
}

/**
 * The live sessions among all of a player's, newest first, as far as they are looked at. The server lists
 * those that have ended among them.
 * @param {import('./admin.js').Admin} admin
 * @param {{ wallet: string, gameId?: string }} filter
 */
async function liveSessions(admin, filter) {
  /** @type {Map<string, Session>} by id: one opened meanwhile moves others onto the page that comes next */
  const live = new Map();
  for (let skip = 0; skip < sessionsLookedAt; skip += pageSize) {
    const { data, total } = await admin.call('listSessions', { ...filter, limit: pageSize, skip });
    for (const session of data) {
      if (session.endedAt === null && session.expiresAt > Date.now()) live.set(session.sessionId, session);
    }
    if (skip + pageSize >= total) return { live: [...live.values()], complete: true };
  }
  return { live: [...live.values()], complete: false };
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
    { gameId: '', name: 'every game' },
  ];
  // Also from games that are not this one, so that a ban can be found and lifted.
  const others = bannedFrom
    .filter((id) => !places.some(({ gameId }) => gameId === id))
    .map((id) => ({ gameId: id, name: `the game ${id}` }));
  const open = places.filter(({ gameId }) => !bannedFrom.includes(gameId));
  const closed = [...places, ...others].filter(({ gameId }) => bannedFrom.includes(gameId));
  return html`
    <section class="danger-zone" aria-labelledby="ban">
      <h3 id="ban">Ban</h3>
      ${open.length > 0 && html`<${TextField} label="Reason, for the record" maxlength=${500} value=${reason} onValue=${setReason} />`}
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
              <p>The player's sessions there end at once, the launcher says so, and no new one can be opened. What the player has done stays.</p>
            <//>
          `,
        )}
        ${closed.map(
          ({ gameId, name }) => html`
            <${ConfirmButton}
              key=${`unban ${gameId}`}
              label="Let in again to ${name}"
              title="Let this player in again to ${name}?"
              confirm="Let in"
              act=${() => admin.call('unbanPlayer', { wallet, ...(gameId && { gameId }) })}
              done="Let in again"
              onDone=${onChanged}
            >
              <p>The player can sign in there again.</p>
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
      label="Erase this player"
      kind="danger"
      title="Erase ${player.username || 'this player'} for good?"
      confirm="Erase for good"
      act=${async () => {
        if (typed.trim().toLowerCase() !== asked)
          throw new Error(`Type the wallet's last four characters, ${asked}, to go on.`);
        await admin.call('erasePlayer', { wallet: player.wallet });
      }}
      done="The player is erased"
      onDone=${onErased}
    >
      <p>Profile, scores, states, play sessions, activities, notifications, messages, sessions and bans are removed from the database file. Nothing brings them back but a backup.</p>
      <${TextField} label="Type the last four characters of the wallet: ${asked}" maxlength=${10} mono value=${typed} onValue=${setTyped} />
    <//>
  `;
}
