import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Empty, messageOf } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { PresenceBadge, TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { save } from './export-buttons.js';
import { problemAt, problemOf, TextField } from './fields.js';
import { nameIn } from './game-names.js';
import { asCount } from './numbers.js';
import { PlayerBans } from './player-bans.js';
import { PlayerMutes } from './player-mutes.js';
import { pageSize, useQuery } from './queries.js';
import { linkTo } from './route.js';

/** @typedef {import('./admin.js').Output<'listSessions'>['data'][number]} Session */

/** How many of a player's sessions are searched for active ones. */
const maxSessionsSearched = 5_000;
/** Erasing a player with much data takes a while. */
const eraseTimeoutMs = 10 * 60_000;

/** @typedef {import('./player-page.js').PlayerDetails} PlayerDetails */
/** @typedef {import('./game-view.js').Game} Game */

/**
 * A player's name, active sessions, bans and mutes; the player can also be erased here.
 * @param {{
 *   player: PlayerDetails,
 *   games: readonly Game[],
 *   game: Game | undefined,
 *   onChanged: () => void,
 *   onErased: () => void,
 * }} props `game`: the selected game
 */
export function PlayerProfile({ player, games, game, onChanged, onErased }) {
  return html`
    <div class="player-sections">
      <div>
        <section class="card" aria-labelledby="profile">
          <div class="card-head"><h2 id="profile">Profile</h2></div>
          <div class="card-body form">
            <dl class="facts">
              <div><dt>Wallet</dt><dd class="mono id-line"><span class="truncate">${player.wallet}</span><${CopyButton} text=${player.wallet} label="Copy wallet" /></dd></div>
              <div><dt>User ID</dt><dd class="mono id-line"><span class="truncate">${player.userId}</span><${CopyButton} text=${player.userId} label="Copy user ID" /></dd></div>
              <div><dt>First seen</dt><dd><${TimeCell} at=${player.createdAt} /></dd></div>
            </dl>
            <${Rename} player=${player} onChanged=${onChanged} />
          </div>
        </section>
        <${Sessions} wallet=${player.wallet} games=${games} game=${game} onChanged=${onChanged} />
        <${Allowed} to="exportPlayer">
          <section class="card" aria-labelledby="export">
            <div class="card-head"><h2 id="export">Export</h2></div>
            <div class="card-body form">
              <p class="quiet">All data of this player in all games, as a JSON file.</p>
              <div class="button-row"><${ExportButton} wallet=${player.wallet} /></div>
            </div>
          </section>
        <//>
        <${Allowed} to="erasePlayer">
          <section class="card" aria-labelledby="erase">
            <div class="card-head"><h2 id="erase">Erase</h2></div>
            <div class="card-body form">
              <p class="quiet">Permanently deletes all data of this player in all games.</p>
              <div class="button-row"><${EraseButton} player=${player} onErased=${onErased} /></div>
            </div>
          </section>
        <//>
      </div>
      <div>
        <${Games} player=${player} games=${games} />
        <${PlayerBans} player=${player} games=${games} game=${game} onChanged=${onChanged} />
        <${PlayerMutes} wallet=${player.wallet} games=${games} game=${game} />
      </div>
    </div>
  `;
}

/**
 * The games a player was in.
 * @param {{ player: PlayerDetails, games: readonly Game[] }} props
 */
function Games({ player, games }) {
  /** @type {import('../shared/table.js').Column<PlayerDetails['games'][number]>[]} */
  const columns = [
    {
      title: 'Game',
      wide: true,
      cell: ({ gameId }) => {
        const found = games.find((one) => one.gameId === gameId);
        return found
          ? html`<a href=${linkTo('games', found.slug)}>${found.name}</a>`
          : html`<code class="truncate">${gameId}</code>`;
      },
    },
    { title: 'Sessions', number: true, cell: ({ sessions }) => asCount(sessions) },
    {
      title: 'Last seen',
      cell: ({ lastSeenAt }) => html`<${TimeCell} at=${lastSeenAt} none="long ago or never" />`,
    },
    { title: 'Status', narrow: 'bare', cell: ({ present }) => html`<${PresenceBadge} present=${present} />` },
  ];
  return html`
    <section class="card" aria-labelledby="games-played">
      <div class="card-head"><h2 id="games-played">Games</h2></div>
      <${Table}
        caption="Games of the player"
        columns=${columns}
        rows=${player.games}
        keyOf=${(/** @type {PlayerDetails['games'][number]} */ { gameId }) => gameId}
        empty=${html`<${Empty} icon="game" title="No game yet"><p>No session was opened for this wallet.</p><//>`}
      />
    </section>
  `;
}

/**
 * What was typed stays when the role is lowered.
 * @param {{ player: PlayerDetails, onChanged: () => void }} props
 */
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
  const changed = name.trim() !== player.username;
  if (!changed && !admin.may('updatePlayer')) return null;
  const problem = problemAt(error, 'username') ?? (error === null ? '' : problemOf(error));
  return html`
    <form class="with-button" onSubmit=${rename}>
      <${TextField} label="Name" maxlength=${40} value=${name} onValue=${setName} placeholder=${`Defaults to ${defaultName(player.wallet)}`} problem=${problem} />
      <${Allowed} to="updatePlayer" instead=${html`<p class="quiet small">Your role cannot rename players.</p>`}><${Button} type="submit" busy=${busy} disabled=${!changed}>Rename<//><//>
    </form>
  `;
}

/** @param {{ wallet: string, games: readonly Game[], game: Game | undefined, onChanged: () => void }} props */
function Sessions({ wallet, games, game, onChanged }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(
    () => activeSessions(admin, { wallet, ...(game && { gameId: game.gameId }) }),
    [wallet, game?.gameId],
  );
  const ended = () => {
    reload();
    onChanged();
  };
  const nameOf = nameIn(games);
  /** @type {import('../shared/table.js').Column<Session>[]} */
  const columns = [
    {
      title: 'Game',
      wide: true,
      cell: ({ gameId }) => html`<span class="truncate">${nameOf(gameId)}</span>`,
    },
    { title: 'Opened', cell: ({ openedAt }) => html`<${TimeCell} at=${openedAt} />` },
    { title: 'Status', narrow: 'bare', cell: ({ present }) => html`<${PresenceBadge} present=${present} />` },
    {
      title: 'End',
      hidden: true,
      cell: ({ sessionId, gameId }) => html`
        <${ConfirmButton}
          needs="revokeSession"
          label="End"
          title="End this session?"
          confirm="End session"
          act=${() => admin.call('revokeSession', { sessionId })}
          done="Session ended"
          reload=${ended}
        >
          <p>The player is signed out of ${nameOf(gameId)} immediately and notified that an administrator ended the session. The player can sign in again.</p>
        <//>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="sessions">
      <div class="card-head"><h2 id="sessions">Active sessions</h2></div>
      <${Table}
        caption="Active sessions of the player"
        columns=${columns}
        rows=${result?.active}
        keyOf=${(/** @type {Session} */ session) => session.sessionId}
        error=${error}
        onRetry=${reload}
        empty=${html`<p class="quiet none">None.</p>`}
      />
      ${result?.complete === false && html`<p class="quiet small none">Only the newest ${asCount(maxSessionsSearched)} sessions were searched; older active sessions are not listed.</p>`}
    </section>
  `;
}

/**
 * The active sessions among a player's newest ones, newest first. The server also lists ended ones.
 * @param {import('./admin.js').Admin} admin
 * @param {{ wallet: string, gameId?: string }} filter
 */
async function activeSessions(admin, filter) {
  /** @type {Map<string, Session>} by id: a session opened meanwhile moves others onto the next page */
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

/** @param {{ wallet: string }} props */
function ExportButton({ wallet }) {
  const admin = useAdmin();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const records = [];
      for (let cursor = /** @type {string | null} */ (''); cursor !== null; ) {
        const page = await admin.call('exportPlayer', { wallet, cursor });
        records.push(...page.records);
        cursor = page.nextCursor;
      }
      save(`player-${wallet}.json`, `${JSON.stringify(records, null, 2)}\n`, 'application/json');
      toast(`Saved ${asCount(records.length)} records`, 'success');
    } catch (error) {
      toast(`Export failed: ${messageOf(error)}`, 'error');
    }
    setBusy(false);
  };
  return html`<${Button} size="small" busy=${busy} onClick=${run}>Export data<//>`;
}

/** @param {{ player: PlayerDetails, onErased: () => void }} props */
function EraseButton({ player, onErased }) {
  const admin = useAdmin();
  const [typed, setTyped] = useState('');
  const expected = player.wallet.slice(-4);
  return html`
    <${ConfirmButton}
      needs="erasePlayer"
      label="Erase player"
      kind="danger"
      title="Permanently erase ${player.username || defaultName(player.wallet)}?"
      confirm="Erase permanently"
      act=${async () => {
        if (typed.trim().toLowerCase() !== expected)
          throw new Error(`Type the last four characters of the wallet (${expected}) to confirm.`);
        await admin.call('erasePlayer', { wallet: player.wallet }, { timeoutMs: eraseTimeoutMs });
      }}
      done="Player erased"
      onDone=${onErased}
    >
      <p>Profile, scores, states, play sessions, activities, notifications, messages, friends, sessions and bans are deleted from the database file. They can only be recovered from a backup.</p>
      <${TextField} label="Type the last four characters of the wallet to confirm: ${expected}" maxlength=${10} mono value=${typed} onValue=${setTyped} />
    <//>
  `;
}
