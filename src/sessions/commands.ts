import { streamOf } from '../core/events/stream.ts';
import { lockPlayer } from '../core/events/stream-locks.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { Owner } from '../core/schemas/owner.ts';
import { command, forEach, type Steps, type Tx } from '../core/storage/command.ts';
import { GantryError } from '../errors.ts';
import type { Game } from '../games/game.ts';
import { toGame } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { lockProfile } from '../players/commands.ts';
import { requireGuest } from '../players/guests.ts';
import { toPlayer } from '../players/stored-player.ts';
import { bans } from '../players/tables.ts';
import type { EndReason, SessionDetails } from './channel-session.ts';
import { gameChannelPatched } from './events.ts';
import { toSession } from './stored-session.ts';
import { announcedPresent, type SessionRow, sessions } from './tables.ts';

/** How many live sessions of a player are read at a time. */
const pageSize = 100;
/** The most sessions of a player that live at once, in all games together. */
export const maxLive = 200;

/**
 * Opens a session: by a launcher or a signature of the player's, or by an administrator. Where a game allows one a player, the one before is ended. The lock on the wallet's player keeps it apart
 * from a ban and from another session of the player.
 * @throws GantryError `game_unknown`, `player_banned`; of a guest `guests_forbidden`, `player_unknown`, `guest_upgraded`
 */
export const startSession = command(
  'startSession',
  function* (
    tx: Tx,
    { gameId, wallet }: Owner,
    lifetimeMs: number,
    openedBy: 'player' | 'administrator' = 'administrator',
  ): Steps<SessionDetails> {
    yield* requireGuest(tx, wallet);
    const [player, gameRow, bannedHere, bannedEverywhere] = yield* tx.all(
      lockProfile(tx, wallet),
      tx.get(games, gameId),
      tx.get(bans, wallet, gameId),
      tx.get(bans, wallet, ''),
    );
    if (!gameRow) throw new GantryError('game_unknown', 'There is no game with this id');
    if (bannedHere || bannedEverywhere) {
      throw new GantryError('player_banned', 'This player has been banned here');
    }
    const game = toGame(gameRow);
    if (isGuestAddress(wallet)) refuseGuests(game, openedBy);
    if (game.policies.oneSessionPerPlayer) yield* endSessionsOf(tx, wallet, gameId, 'replaced');
    else yield* makeRoom(tx, wallet);
    const row: SessionRow = {
      id: tx.newId(),
      gameId,
      wallet,
      openedAt: tx.now,
      expiresAt: tx.now + lifetimeMs,
      endedAt: null,
      endReason: null,
      // A launcher's own is there when its socket is, and for no other's sake.
      followsLauncher: openedBy === 'player' && game.kind === 'game' ? 1 : 0,
    };
    tx.insert(sessions, row);
    return { session: toSession(row), player: toPlayer(player), game };
  },
);

/**
 * Ends a session of this player; ending one that has ended changes nothing.
 * @throws GantryError `session_unknown` when there is none, or it is another player's
 */
export const endSession = command(
  'endSession',
  function* (tx: Tx, wallet: string, sessionId: string): Steps<void> {
    const row = yield* tx.get(sessions, sessionId);
    if (row?.wallet !== wallet) {
      throw new GantryError('session_unknown', 'There is no such channel session of this player');
    }
    yield* end(tx, row, 'ended');
  },
);

/** Ends a session whose time is over, so that whoever listens in it is told; another one is left alone. */
export const expireSession = command('expireSession', function* (tx: Tx, sessionId: string): Steps<void> {
  const row = yield* tx.get(sessions, sessionId);
  if (row && row.expiresAt <= tx.now) yield* end(tx, row, 'expired');
});

/** Ends any player's session. @throws GantryError `session_unknown` */
export const revokeSessionById = command(
  'revokeSessionById',
  function* (tx: Tx, sessionId: string): Steps<void> {
    const row = yield* tx.get(sessions, sessionId);
    if (!row) throw new GantryError('session_unknown', 'There is no such channel session');
    yield* end(tx, row, 'revoked');
  },
);

/**
 * Ends a player's live sessions in a game, or the one that is named, and tells how many that were.
 * @throws GantryError `session_unknown` when the one named is not of this player in this game; one that has
 * ended is, and counts for none
 */
export const revokeSessionsInGame = command(
  'revokeSessionsInGame',
  function* (tx: Tx, owner: Owner, sessionId?: string): Steps<number> {
    yield* lockPlayer(tx, owner);
    if (sessionId === undefined) return yield* endSessionsOf(tx, owner.wallet, owner.gameId, 'revoked');
    const row = yield* tx.get(sessions, sessionId);
    if (row?.gameId !== owner.gameId || row.wallet !== owner.wallet) {
      throw new GantryError('session_unknown', 'There is no such channel session of this player in the game');
    }
    return row.expiresAt > tx.now && (yield* end(tx, row, 'revoked')) ? 1 : 0;
  },
);

/** Ends sessions whose tokens are void because the key they were signed with was retired; unknown ones are left out. */
export const retireSessions = command(
  'retireSessions',
  function* (tx: Tx, sessionIds: readonly string[]): Steps<void> {
    const rows = yield* tx.all(...sessionIds.map((sessionId) => tx.get(sessions, sessionId)));
    const found = rows.filter((row) => row !== undefined);
    yield* forEach(tx, found, (row) => end(tx, row, 'key_retired'));
  },
);

/** Ends a player's live sessions in a game, or (null) in every game, save `but`; how many that were. */
export const endSessionsOf = command(
  'endSessionsOf',
  function* (tx: Tx, wallet: string, gameId: string | null, reason: EndReason, but?: string): Steps<number> {
    const live = yield* liveSessionsOf(tx, wallet, gameId);
    const ended = yield* forEach(
      tx,
      live.filter(({ id }) => id !== but),
      (row) => end(tx, row, reason),
    );
    return ended.filter(Boolean).length;
  },
);

/** Tells the player's launchers that someone is online in this session, or no longer, if it is not what they were told last. */
export const recordPresence = command(
  'recordPresence',
  function* (tx: Tx, sessionId: string, present: boolean): Steps<void> {
    const found = yield* tx.get(sessions, sessionId);
    if (!found || found.endedAt !== null) return;
    const [, row, announced] = yield* lockSession(tx, found);
    // What has ended has been told already, and stays told.
    if (!row || row.endedAt !== null || present === (announced !== undefined)) return;
    if (announced) tx.remove(announcedPresent, announced);
    else tx.insert(announcedPresent, { sessionId });
    tell(tx, row, { exists: true, present, endReason: null });
  },
);

/** @throws GantryError `guests_forbidden` */
function refuseGuests({ name, policies }: Game, by: 'player' | 'administrator'): void {
  if (policies.guests === 'allowed' || (policies.guests === 'server' && by === 'administrator')) return;
  throw new GantryError('guests_forbidden', `${name} is played with a wallet: sign in with one`);
}

/** Ends a session unless it has ended; whether it had not. */
function* end(tx: Tx, found: SessionRow, reason: EndReason): Steps<boolean> {
  const [, row, announced] = yield* lockSession(tx, found);
  if (!row || row.endedAt !== null) return false;
  tx.put(sessions, { ...row, endedAt: tx.now, endReason: reason });
  if (announced) tx.remove(announcedPresent, announced);
  tell(tx, row, { exists: false, present: false, endReason: reason });
  return true;
}

/** Ends the session that would expire first where a player has as many as may live at once, in all games together. */
function* makeRoom(tx: Tx, wallet: string): Steps<void> {
  const latest = yield* tx.list(sessions.live, [wallet], { limit: maxLive, last: true });
  const first = latest[maxLive - 1];
  if (first && first.expiresAt > tx.now) yield* end(tx, first, 'replaced');
}

/** What is written of a session is guarded by its player's stream in the game: what was read before is read again. */
function lockSession(tx: Tx, found: SessionRow) {
  return tx.all(lockPlayer(tx, found), tx.get(sessions, found.id), tx.get(announcedPresent, found.id));
}

/** Those that have neither ended nor expired, oldest first. */
function* liveSessionsOf(tx: Tx, wallet: string, gameId: string | null): Steps<SessionRow[]> {
  const live: SessionRow[] = [];
  for (let after: SessionRow | undefined; ; ) {
    const page: readonly SessionRow[] = yield* tx.list(sessions.live, [wallet], {
      limit: pageSize,
      last: true,
      ...(after && { after }),
    });
    const unexpired = page.filter(({ expiresAt }) => expiresAt > tx.now);
    live.push(...unexpired.filter((row) => gameId === null || row.gameId === gameId));
    after = page.at(-1);
    if (unexpired.length < pageSize) break;
  }
  return live.sort((one, other) => one.openedAt - other.openedAt || (one.id < other.id ? -1 : 1));
}

function tell(
  tx: Tx,
  { id, gameId, wallet, openedAt }: SessionRow,
  now: { exists: boolean; present: boolean; endReason: EndReason | null },
): void {
  tx.emit(
    streamOf.player(gameId, wallet),
    gameChannelPatched,
    { _id: id, gameId, wallet, ...now, openedAt },
    { kind: 'players', gameId, wallets: [wallet] },
  );
}
