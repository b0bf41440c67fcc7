import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { OpenedBy } from '../../core/schemas/opened-by.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { forEach } from '../../core/storage/steps.ts';
import type { Game } from '../games/game.ts';
import { toGame } from '../games/stored-game.ts';
import { games } from '../games/tables.ts';
import { attributeNewPlayers, lockProfile } from '../players/commands.ts';
import { refuseFormerGuest, requireGuest } from '../players/guests.ts';
import { toPlayer } from '../players/player.ts';
import { playerBanned } from '../players/player-banned.ts';
import { bans, guests } from '../players/tables.ts';
import { addLocked, lockGameStorage, releaseRows, rowOverheadBytes } from '../storage-quota/game-storage.ts';
import {
  byServer,
  type EndReason,
  type SessionDetails,
  sessionEnded,
  tokenExpired,
} from './channel-session.ts';
import { byPlayer, requireCheckedAccess } from './checked-access.ts';
import { gameChannelPatched } from './events.ts';
import { toSession } from './stored-session.ts';
import { announcedPresent, openedGames, type SessionRow, sessions } from './tables.ts';

/** How many live sessions of a player are read per page. */
const pageSize = 100;
/** What a session by a server counts in the game's storage quota: the row, and the event of its end. */
const sessionBytes = 2 * rowOverheadBytes;
/** How many sessions `trimSessions` deletes. */
const trimmedPerCall = 500;
/** Maximum live sessions of a player, over all games. */
export const maxLiveSessions = 200;

/**
 * Opens a session. If the game allows only one session per player, the previous one is ended. The lock on the wallet's
 * player serializes this with bans and with other sessions of the player. A game's server must have storage left for
 * the session and, if the wallet is new, for its player.
 * @throws GantryError `game_unknown`, `player_banned`; of a guest `guests_forbidden`, `player_unknown`,
 * `guest_upgraded`; of a game's server `storage_full`; as `requireCheckedAccess`
 */
export const startSession = command(
  'startSession',
  function* (
    tx,
    { gameId, wallet }: Owner,
    lifetimeMs: number,
    openedBy: OpenedBy = 'administrator',
    checkedAccess: string | null = null,
  ): Steps<SessionDetails> {
    yield* requireGuest(tx, wallet, { toName: true });
    const isByServer = byServer.includes(openedBy);
    const [player, gameRow, bannedHere, bannedEverywhere, opened] = yield* tx.all(
      lockProfile(tx, wallet),
      tx.get(games, gameId),
      tx.get(bans, wallet, gameId),
      tx.get(bans, wallet, ''),
      tx.get(openedGames, wallet, gameId),
      ...(isByServer ? [lockGameStorage(tx, gameId)] : []),
    );
    if (!gameRow) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    if (bannedHere || bannedEverywhere) throw playerBanned(wallet, bannedEverywhere !== undefined);
    const game = toGame(gameRow);
    if (isGuestAddress(wallet)) refuseGuests(game, openedBy);
    requireCheckedAccess(game, wallet, openedBy, checkedAccess);
    if (game.policies.oneSessionPerPlayer) yield* endSessionsOf(tx, wallet, gameId, 'replaced');
    else yield* enforceLiveLimit(tx, { gameId, wallet });
    const row: SessionRow = {
      id: tx.newId(),
      gameId,
      wallet,
      openedAt: tx.now,
      expiresAt: tx.now + lifetimeMs,
      endedAt: null,
      endReason: null,
      // A launcher's own session is present only by its own socket.
      followsLauncher: byPlayer.includes(openedBy) && game.kind === 'game' ? 1 : 0,
      openedBy,
      storedBytes: isByServer ? sessionBytes : 0,
    };
    tx.insert(sessions, row);
    if (!opened && openedBy !== 'game-server') recordOpened(tx, row);
    if (isByServer) {
      const bytes = attributeNewPlayers(tx, gameId, [player]) + row.storedBytes;
      yield* addLocked(tx, yield* lockGameStorage(tx, gameId), bytes, gameRow);
    }
    return { session: toSession(row), player: toPlayer(player), game };
  },
);

/**
 * Ends a session of this player; ending one that has ended changes nothing.
 * @throws GantryError `session_unknown` when there is none, or it is another player's
 */
export const endSession = command(
  'endSession',
  function* (tx, wallet: string, sessionId: string): Steps<void> {
    const row = yield* tx.get(sessions, sessionId);
    if (row?.wallet !== wallet) {
      throw new GantryError('session_unknown', 'This player has no such channel session');
    }
    yield* end(tx, row, 'ended');
  },
);

/** How long a session may live. */
export interface SessionLifetime {
  /** From its opening or latest renewal. */
  readonly lifetimeMs: number;
  /** From its opening, with all renewals. */
  readonly renewalMs: number;
}

/**
 * Extends a session to a full lifetime from now, as far as renewals may; never shortens it. The locks are those of
 * `startSession` and of the session's end.
 * @throws GantryError `session_ended`, `token_expired`, `player_banned`; of a guest `player_unknown`, `guest_upgraded`;
 * as `requireCheckedAccess`
 */
export const renewSession = command(
  'renewSession',
  function* (
    tx,
    sessionId: string,
    { lifetimeMs, renewalMs }: SessionLifetime,
    checkedAccess: string | null = null,
  ): Steps<SessionDetails> {
    const found = yield* tx.get(sessions, sessionId);
    if (!found) throw sessionEnded('erased');
    const { wallet, gameId } = found;
    yield* requireGuest(tx, wallet, { toName: true });
    const [player, gameRow, bannedHere, bannedEverywhere, opened] = yield* tx.all(
      lockProfile(tx, wallet),
      tx.get(games, gameId),
      tx.get(bans, wallet, gameId),
      tx.get(bans, wallet, ''),
      tx.get(openedGames, wallet, gameId),
    );
    const [, row] = yield* lockSession(tx, found);
    if (!row || !gameRow || row.endedAt !== null) throw sessionEnded(row?.endReason ?? 'erased');
    if (row.expiresAt <= tx.now) throw tokenExpired();
    if (bannedHere || bannedEverywhere) throw playerBanned(wallet, bannedEverywhere !== undefined);
    const game = toGame(gameRow);
    requireCheckedAccess(game, wallet, toSession(row).openedBy, checkedAccess);
    const until = Math.min(tx.now + lifetimeMs, row.openedAt + renewalMs);
    const renewed = { ...row, expiresAt: Math.max(row.expiresAt, until) };
    if (renewed.expiresAt > row.expiresAt) tx.put(sessions, renewed);
    // Nodes of an earlier version may have opened it.
    if (!opened && row.openedBy !== 'game-server') recordOpened(tx, row);
    return { session: toSession(renewed), player: toPlayer(player), game };
  },
);

/**
 * Ends a session that has expired, so that its listeners are notified; any other is left unchanged, also one that is
 * being renewed.
 */
export const expireSession = command('expireSession', function* (tx, sessionId: string): Steps<void> {
  const found = yield* tx.get(sessions, sessionId);
  if (!found) return;
  const [, row] = yield* lockSession(tx, found);
  if (row && row.expiresAt <= tx.now) yield* end(tx, row, 'expired');
});

/** Ends any player's session. @throws GantryError `session_unknown` */
export const revokeSessionById = command('revokeSessionById', function* (tx, sessionId: string): Steps<void> {
  const row = yield* tx.get(sessions, sessionId);
  if (!row) throw new GantryError('session_unknown', 'There is no such channel session');
  yield* end(tx, row, 'revoked');
});

/**
 * Ends a player's live sessions in a game, or only the given one; returns how many were ended. A given session that has
 * ended already counts as 0.
 * @throws GantryError `session_unknown` when the given session is not this player's in this game; `guest_upgraded`
 */
export const revokeSessionsInGame = command(
  'revokeSessionsInGame',
  function* (tx, owner: Owner, sessionId?: string): Steps<number> {
    const [, guest] = yield* tx.all(lockPlayer(tx, owner), tx.get(guests, owner.wallet));
    if (guest) refuseFormerGuest(guest, { toName: true });
    if (sessionId === undefined) return yield* endSessionsOf(tx, owner.wallet, owner.gameId, 'revoked');
    const row = yield* tx.get(sessions, sessionId);
    if (row?.gameId !== owner.gameId || row.wallet !== owner.wallet) {
      throw new GantryError('session_unknown', 'This player has no such channel session in the game');
    }
    return row.expiresAt > tx.now && (yield* end(tx, row, 'revoked')) ? 1 : 0;
  },
);

/** Ends sessions whose tokens are invalid because their signing key was retired; unknown sessions are ignored. */
export const retireSessions = command(
  'retireSessions',
  function* (tx, sessionIds: readonly string[]): Steps<void> {
    const rows = yield* tx.all(...sessionIds.map((sessionId) => tx.get(sessions, sessionId)));
    const found = rows.filter((row) => row !== undefined);
    yield* forEach(tx, found, (row) => end(tx, row, 'key_retired'));
  },
);

/** Ends a player's live sessions in a game, or (null) in every game, except `exceptId`; returns how many were ended. */
export const endSessionsOf = command(
  'endSessionsOf',
  function* (tx, wallet: string, gameId: string | null, reason: EndReason, exceptId?: string): Steps<number> {
    const live = yield* liveSessionsOf(tx, wallet, gameId);
    const ended = yield* forEach(
      tx,
      live.filter(({ id }) => id !== exceptId),
      (row) => end(tx, row, reason),
    );
    return ended.filter(Boolean).length;
  },
);

/** Notifies the player's launchers whether this session is present, if that differs from what was last announced. */
export const recordPresence = command(
  'recordPresence',
  function* (tx, sessionId: string, present: boolean): Steps<void> {
    const found = yield* tx.get(sessions, sessionId);
    if (!found || found.endedAt !== null) return;
    const [, row, announced] = yield* lockSession(tx, found);
    // The end of a session has been announced already, and is final.
    if (!row || row.endedAt !== null || present === (announced !== undefined)) return;
    if (announced) tx.remove(announcedPresent, announced);
    else tx.insert(announcedPresent, { sessionId });
    announce(tx, row, { exists: true, present, endReason: null });
  },
);

/**
 * Deletes sessions that expired more than `maxAgeMs` ago, in a bounded batch; true when there may be more. Their tokens
 * have expired too, and are refused as before. One that ended early is kept as long, so that its token is refused with
 * the reason.
 */
export const trimSessions = command('trimSessions', function* (tx: Tx, maxAgeMs: number): Steps<boolean> {
  const oldest = yield* tx.list(sessions.byExpiry, [], { limit: trimmedPerCall });
  const old = oldest.filter(({ expiresAt }) => expiresAt <= tx.now - maxAgeMs);
  const announced = yield* tx.all(...old.map(({ id }) => tx.get(announcedPresent, id)));
  for (const one of announced) if (one) tx.remove(announcedPresent, one);
  for (const row of old) tx.remove(sessions, row);
  yield* releaseRows(
    tx,
    old.map(({ gameId, storedBytes }) => ({ gameId, bytes: storedBytes })),
  );
  return old.length === trimmedPerCall;
});

/** @throws GantryError `guests_forbidden` */
function refuseGuests({ name, policies }: Game, openedBy: OpenedBy): void {
  if (policies.guests === 'allowed' || (policies.guests === 'server' && !byPlayer.includes(openedBy))) return;
  throw new GantryError('guests_forbidden', `${name} does not accept guests: sign in with a wallet`);
}

/** Ends a session; returns false if it had ended already. */
function* end(tx: Tx, found: SessionRow, reason: EndReason): Steps<boolean> {
  const [, row, announced] = yield* lockSession(tx, found);
  if (!row || row.endedAt !== null) return false;
  tx.put(sessions, { ...row, endedAt: tx.now, endReason: reason });
  if (announced) tx.remove(announcedPresent, announced);
  announce(tx, row, { exists: false, present: false, endReason: reason });
  return true;
}

/**
 * Ends a session if the player has `maxLiveSessions` live sessions already: the one that would expire first, but
 * those that servers opened before all others, and those of this game's server before those. Otherwise any game's
 * server could end the player's sessions in launchers and other games.
 */
function* enforceLiveLimit(tx: Tx, { gameId, wallet }: Owner): Steps<void> {
  const latest = yield* tx.list(sessions.live, [wallet], { limit: maxLiveSessions, last: true });
  const first = latest[maxLiveSessions - 1];
  if (!first || first.expiresAt <= tx.now) return;
  const opened = latest.filter((row) => byServer.includes(toSession(row).openedBy));
  const replaced = opened.findLast((row) => row.gameId === gameId) ?? opened.at(-1) ?? first;
  yield* end(tx, replaced, 'replaced');
}

/** Records that the player has opened the game, for the first time; under the lock on the wallet's player. */
function recordOpened(tx: Tx, { gameId, wallet }: Owner): void {
  tx.insert(openedGames, { wallet, gameId, openedAt: tx.now });
}

/** Locks a session through its player's stream in the game, and reads it again. */
function lockSession(tx: Tx, found: SessionRow) {
  return tx.all(lockPlayer(tx, found), tx.get(sessions, found.id), tx.get(announcedPresent, found.id));
}

/** Sessions that have neither ended nor expired, oldest first. */
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

function announce(
  tx: Tx,
  { id, gameId, wallet, openedAt }: SessionRow,
  status: { exists: boolean; present: boolean; endReason: EndReason | null },
): void {
  tx.emit(
    streamOf.player(gameId, wallet),
    gameChannelPatched,
    { _id: id, gameId, wallet, ...status, openedAt },
    { kind: 'players', gameId, wallets: [wallet] },
  );
}
