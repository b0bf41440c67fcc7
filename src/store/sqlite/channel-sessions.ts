import type { Database } from 'better-sqlite3';
import {
  type ChannelSession,
  type EndReason,
  endReason,
  type UnverifiedChannel,
} from '../../domain/channel-session.ts';
import type { Game } from '../../domain/game.ts';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import { GantryError } from '../../errors.ts';
import { streamOf } from '../../events/stream.ts';
import type { ChannelSessionStore, Owner, SessionDetails } from '../store.ts';
import type { SqliteGames } from './games.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import type { SqlitePlayers } from './players.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

const maximumAttempts = 5;
/** A sign-in is kept this long past its expiry, so that a late caller is told "expired", not "unknown". */
const keepExpiredMs = 24 * 60 * 60 * 1000;

interface SessionRow {
  id: string;
  game_id: string;
  wallet: string;
  opened_at: number;
  expires_at: number;
  ended_at: number | null;
  end_reason: string | null;
}

/** Null: any. */
interface Filter {
  wallet: string | null;
  gameId: string | null;
}

const matching = '(@wallet IS NULL OR wallet = @wallet) AND (@gameId IS NULL OR game_id = @gameId)';

interface SignInRow {
  id: string;
  game_id: string;
  wallet: string;
  sign_request: string;
  attempts: number;
  expires_at: number;
  used_at: number | null;
}

export class SqliteChannelSessions implements ChannelSessionStore {
  readonly #group: GroupCommit;
  readonly #games: SqliteGames;
  readonly #players: SqlitePlayers;
  readonly #clock: () => number;
  readonly #version: DataVersion;
  readonly #known: VersionCache<SessionDetails>;
  readonly #statements;

  constructor(
    db: Database,
    version: DataVersion,
    group: GroupCommit,
    games: SqliteGames,
    players: SqlitePlayers,
    clock: () => number,
  ) {
    this.#group = group;
    this.#games = games;
    this.#players = players;
    this.#clock = clock;
    this.#version = version;
    this.#known = new VersionCache(version, 50_000);
    this.#statements = {
      insertSignIn: db.prepare(
        `INSERT INTO sign_ins (id, game_id, wallet, sign_request, expires_at)
         VALUES (@id, @gameId, @wallet, @signRequest, @expiresAt)`,
      ),
      forgetSignIns: db.prepare(
        'DELETE FROM sign_ins WHERE id IN (SELECT id FROM sign_ins WHERE expires_at < ? LIMIT 10)',
      ),
      signIn: db.prepare<[string], SignInRow>('SELECT * FROM sign_ins WHERE id = ?'),
      countAttempt: db.prepare('UPDATE sign_ins SET attempts = attempts + 1 WHERE id = ?'),
      uncountAttempt: db.prepare('UPDATE sign_ins SET attempts = attempts - 1 WHERE id = ? AND attempts > 0'),
      useSignIn: db.prepare('UPDATE sign_ins SET used_at = ? WHERE id = ?'),
      insert: db.prepare(
        'INSERT INTO channel_sessions (id, game_id, wallet, opened_at, expires_at) VALUES (?, ?, ?, ?, ?)',
      ),
      find: db.prepare<[string], SessionRow>('SELECT * FROM channel_sessions WHERE id = ?'),
      live: db.prepare<[string, number], SessionRow>(
        `SELECT * FROM channel_sessions WHERE wallet = ? AND ended_at IS NULL AND expires_at > ?
         ORDER BY opened_at DESC, id DESC`,
      ),
      end: db.prepare('UPDATE channel_sessions SET ended_at = ?, end_reason = ? WHERE id = ?'),
      liveIn: db.prepare<[{ wallet: string; gameId: string | null; now: number }], SessionRow>(
        `SELECT * FROM channel_sessions WHERE wallet = @wallet AND (@gameId IS NULL OR game_id = @gameId)
           AND ended_at IS NULL AND expires_at > @now`,
      ),
      list: db.prepare<[Filter & Page], SessionRow>(
        `SELECT * FROM channel_sessions WHERE ${matching} ORDER BY opened_at DESC, id DESC LIMIT @limit OFFSET @skip`,
      ),
      count: db.prepare<[Filter], number>(`SELECT count(*) FROM channel_sessions WHERE ${matching}`).pluck(),
      lastExpiry: db
        .prepare<[], number | null>('SELECT max(expires_at) FROM channel_sessions WHERE ended_at IS NULL')
        .pluck(),
      addPresent: db.prepare('INSERT OR IGNORE INTO told_present (session_id) VALUES (?)'),
      removePresent: db.prepare('DELETE FROM told_present WHERE session_id = ?'),
      present: db
        .prepare<[string, number], string>(
          'SELECT session_id FROM told_present WHERE session_id > ? ORDER BY session_id LIMIT ?',
        )
        .pluck(),
      ban: db.prepare<[string, string], { reason: string }>(
        "SELECT reason FROM bans WHERE wallet = ? AND game_id IN ('', ?)",
      ),
    };
  }

  requestSignIn(signIn: UnverifiedChannel): Promise<void> {
    return this.#group.write((tx) => {
      this.#statements.forgetSignIns.run(tx.now - keepExpiredMs);
      this.#statements.insertSignIn.run(signIn);
    });
  }

  async gameOfSignIn(signInId: string): Promise<Game | null> {
    const signIn = this.#statements.signIn.get(signInId);
    return signIn ? this.#games.findNow(signIn.game_id) : null;
  }

  beginAttempt(signInId: string): Promise<UnverifiedChannel> {
    return this.#group.write((tx) => {
      const signIn = this.#openSignIn(signInId, tx.now);
      if (signIn.attempts >= maximumAttempts) {
        throw new GantryError(
          'sign_in_attempts_exhausted',
          `This channel was tried ${maximumAttempts} times; create a new unverified channel`,
        );
      }
      this.#statements.countAttempt.run(signInId);
      return {
        id: signIn.id,
        gameId: signIn.game_id,
        wallet: signIn.wallet,
        signRequest: signIn.sign_request,
        expiresAt: signIn.expires_at,
      };
    });
  }

  giveBackAttempt(signInId: string): Promise<void> {
    return this.#group.write(() => {
      this.#statements.uncountAttempt.run(signInId);
    });
  }

  completeSignIn(signInId: string, lifetimeMs: number): Promise<SessionDetails> {
    return this.#group.write((tx) => {
      const signIn = this.#openSignIn(signInId, tx.now);
      this.#statements.useSignIn.run(tx.now, signInId);
      return this.#open(tx, { gameId: signIn.game_id, wallet: signIn.wallet }, lifetimeMs);
    });
  }

  open(owner: Owner, lifetimeMs: number): Promise<SessionDetails> {
    return this.#group.write((tx) => this.#open(tx, owner, lifetimeMs));
  }

  async find(sessionId: string): Promise<SessionDetails | null> {
    return this.#known.get(sessionId, () => {
      const row = this.#statements.find.get(sessionId);
      return row ? this.#details(row) : null;
    });
  }

  async listLive(wallet: string): Promise<SessionDetails[]> {
    return this.#statements.live.all(wallet, this.#clock()).map((row) => this.#details(row));
  }

  end(wallet: string, sessionId: string): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(sessionId);
      if (row?.wallet !== wallet) {
        throw new GantryError('session_unknown', 'There is no such channel session of this player');
      }
      this.#end(tx, row, 'ended');
    });
  }

  expire(sessionId: string): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(sessionId);
      if (row && row.expires_at <= tx.now) this.#end(tx, row, 'expired');
    });
  }

  revoke(sessionId: string): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(sessionId);
      if (!row) throw new GantryError('session_unknown', 'There is no such channel session');
      this.#end(tx, row, 'revoked');
    });
  }

  revokeInGame({ gameId, wallet }: Owner, sessionId?: string): Promise<number> {
    return this.#group.write((tx) => {
      const live = this.#statements.liveIn.all({ wallet, gameId, now: tx.now });
      const named = live.filter(({ id }) => sessionId === undefined || id === sessionId);
      if (sessionId !== undefined && named.length === 0) {
        const row = this.#statements.find.get(sessionId);
        if (row?.game_id !== gameId || row.wallet !== wallet) {
          throw new GantryError(
            'session_unknown',
            'There is no such channel session of this player in the game',
          );
        }
      }
      for (const row of named) this.#end(tx, row, 'revoked');
      return named.length;
    });
  }

  retire(sessionIds: readonly string[]): Promise<void> {
    return this.#group.write((tx) => {
      for (const sessionId of sessionIds) {
        const row = this.#statements.find.get(sessionId);
        if (row) this.#end(tx, row, 'key_retired');
      }
    });
  }

  async list(
    filter: { wallet?: string | undefined; gameId?: string | undefined },
    page: Page,
  ): Promise<Paged<SessionDetails>> {
    const by: Filter = { wallet: filter.wallet ?? null, gameId: filter.gameId ?? null };
    return {
      total: this.#statements.count.get(by) ?? 0,
      rows: this.#statements.list.all({ ...page, ...by }).map((row) => this.#details(row)),
    };
  }

  async lastExpiry(): Promise<number | null> {
    return this.#statements.lastExpiry.get() ?? null;
  }

  /** Inside a transaction: ends a player's live sessions in a game, or (null) in every game. */
  endAllWithin(tx: Transaction, wallet: string, gameId: string | null, reason: EndReason): void {
    for (const row of this.#statements.liveIn.all({ wallet, gameId, now: tx.now }))
      this.#end(tx, row, reason);
  }

  recordPresence(sessionId: string, present: boolean): Promise<void> {
    return this.#group.write((tx) => {
      const row = this.#statements.find.get(sessionId);
      // What has ended has been told already, and stays told.
      if (!row || row.ended_at !== null) return;
      const { changes } = present
        ? this.#statements.addPresent.run(sessionId)
        : this.#statements.removePresent.run(sessionId);
      if (changes > 0) this.#tell(tx, row, { exists: true, present, endReason: null });
    });
  }

  async toldPresent(after: string, limit: number): Promise<string[]> {
    return this.#statements.present.all(after, limit);
  }

  #end(tx: Transaction, row: SessionRow, reason: EndReason): void {
    if (row.ended_at !== null) return;
    this.#statements.end.run(tx.now, reason, row.id);
    this.#statements.removePresent.run(row.id);
    this.#version.changed();
    this.#tell(tx, row, { exists: false, present: false, endReason: reason });
  }

  #tell(
    tx: Transaction,
    row: SessionRow,
    now: { exists: boolean; present: boolean; endReason: EndReason | null },
  ): void {
    const { game_id: gameId, wallet } = row;
    tx.emit({
      stream: streamOf.player(gameId, wallet),
      name: 'game-channels patched',
      record: { _id: row.id, gameId, wallet, ...now, openedAt: row.opened_at },
      audience: { kind: 'players', gameId, wallets: [wallet] },
    });
  }

  #openSignIn(signInId: string, now: number): SignInRow {
    const signIn = this.#statements.signIn.get(signInId);
    if (!signIn)
      throw new GantryError('sign_in_unknown', 'There is no unverified channel with this channelId');
    if (signIn.used_at !== null) {
      throw new GantryError(
        'sign_in_used',
        'This channel has been verified already; create a new one to sign in again',
      );
    }
    if (signIn.expires_at <= now) {
      throw new GantryError('sign_in_expired', 'This channel has expired; create a new unverified channel');
    }
    return signIn;
  }

  #open(tx: Transaction, { gameId, wallet }: Owner, lifetimeMs: number): SessionDetails {
    const game = this.#games.findNow(gameId);
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id');
    if (this.#statements.ban.get(wallet, gameId)) {
      throw new GantryError('player_banned', 'This player has been banned here');
    }
    if (game.policies.oneSessionPerPlayer) this.endAllWithin(tx, wallet, gameId, 'replaced');
    const player = this.#players.ensure(wallet, tx.now);
    const session: ChannelSession = {
      id: newId(),
      gameId,
      wallet,
      openedAt: tx.now,
      expiresAt: tx.now + lifetimeMs,
      endedAt: null,
      endReason: null,
    };
    this.#statements.insert.run(session.id, gameId, wallet, session.openedAt, session.expiresAt);
    return { session, player, game };
  }

  #details(row: SessionRow): SessionDetails {
    const game = this.#games.findNow(row.game_id);
    if (!game) throw new Error(`session ${row.id} is of a game that is not there`);
    return {
      session: {
        id: row.id,
        gameId: row.game_id,
        wallet: row.wallet,
        openedAt: row.opened_at,
        expiresAt: row.expires_at,
        endedAt: row.ended_at,
        endReason: row.end_reason === null ? null : endReason.parse(row.end_reason),
      },
      player: this.#players.get(row.wallet),
      game,
    };
  }
}
