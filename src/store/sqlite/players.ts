import { setTimeout } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { EndReason } from '../../domain/channel-session.ts';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import type { Player } from '../../domain/player.ts';
import { GantryError } from '../../errors.ts';
import type { PlayerFilter, PlayerProfile, PlayerStore, PlayerSummary } from '../store.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';

/**
 * How long lies between the end of a player's sessions and the erasing, in milliseconds: calls that were let in
 * before are over by then, and every process has told and cut the player's sockets.
 */
const settleMs = 2_000;

interface PlayerRow {
  wallet: string;
  user_id: string;
  username: string;
  avatar: string;
  created_at: number;
}

/** What happens to a player beyond this table; set by the store, which knows all parts. */
export interface PlayerHooks {
  /** A profile has changed, for whoever remembers profiles. */
  changed(): void;
  endSessions(tx: Transaction, wallet: string, gameId: string | null, reason: EndReason): void;
  erase(tx: Transaction, wallet: string): void;
}

const matching = `
  (@gameId IS NULL OR EXISTS (
    SELECT 1 FROM channel_sessions AS c WHERE c.wallet = p.wallet AND c.game_id = @gameId))
  AND (@search IS NULL OR p.wallet LIKE @search ESCAPE '\\' OR p.username LIKE @search ESCAPE '\\')`;

interface Filter {
  gameId: string | null;
  search: string | null;
}

export class SqlitePlayers implements PlayerStore {
  readonly #group: GroupCommit;
  readonly #hooks: PlayerHooks;
  readonly #statements;

  constructor(db: Database, group: GroupCommit, hooks: PlayerHooks) {
    this.#group = group;
    this.#hooks = hooks;
    this.#statements = {
      find: db.prepare<[string], PlayerRow>('SELECT * FROM players WHERE wallet = ?'),
      insert: db.prepare(
        'INSERT INTO players (wallet, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      ),
      update: db.prepare(
        `UPDATE players SET username = coalesce(@username, username), avatar = coalesce(@avatar, avatar)
         WHERE wallet = @wallet`,
      ),
      list: db.prepare<[Filter & Page], PlayerRow>(
        `SELECT * FROM players AS p WHERE ${matching} ORDER BY created_at DESC, wallet LIMIT @limit OFFSET @skip`,
      ),
      count: db.prepare<[Filter], number>(`SELECT count(*) FROM players AS p WHERE ${matching}`).pluck(),
      bannedFrom: db.prepare<[string], string>('SELECT game_id FROM bans WHERE wallet = ?').pluck(),
      ban: db.prepare(
        `INSERT INTO bans (wallet, game_id, reason, at) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET reason = excluded.reason`,
      ),
      unban: db.prepare('DELETE FROM bans WHERE wallet = ? AND game_id = ?'),
    };
  }

  setProfile(wallet: string, profile: PlayerProfile): Promise<Player> {
    return this.#group.write((tx) => {
      this.ensure(wallet, tx.now);
      const { username = null, avatar = null } = profile;
      this.#statements.update.run({ wallet, username, avatar });
      this.#hooks.changed();
      return this.get(wallet);
    });
  }

  async list({ gameId, search }: PlayerFilter, page: Page): Promise<Paged<PlayerSummary>> {
    const begins = search === undefined ? null : `${search.replace(/[\\%_]/g, '\\$&')}%`;
    const filter: Filter = { gameId: gameId ?? null, search: begins };
    return {
      total: this.#statements.count.get(filter) ?? 0,
      rows: this.#statements.list.all({ ...page, ...filter }).map((row) => ({
        ...toPlayer(row),
        createdAt: row.created_at,
        bannedFrom: this.#statements.bannedFrom.all(row.wallet),
      })),
    };
  }

  ban(wallet: string, gameId: string | null, reason: string): Promise<void> {
    return this.#group.write((tx) => {
      this.#require(wallet);
      this.#statements.ban.run(wallet, gameId ?? '', reason, tx.now);
      this.#hooks.endSessions(tx, wallet, gameId, 'banned');
    });
  }

  unban(wallet: string, gameId: string | null): Promise<void> {
    return this.#group.write(() => {
      const { changes } = this.#statements.unban.run(wallet, gameId ?? '');
      if (changes === 0) throw new GantryError('player_not_banned', 'This player is not banned there');
    });
  }

  async erase(wallet: string): Promise<void> {
    await this.#group.write((tx) => {
      this.#require(wallet);
      this.#hooks.endSessions(tx, wallet, null, 'erased');
    });
    await setTimeout(settleMs);
    await this.#group.write((tx) => {
      this.#hooks.erase(tx, wallet);
      this.#hooks.changed();
      tx.scrub();
    });
  }

  /** Inside a transaction: the wallet's player, made when it was never seen before. */
  ensure(wallet: string, now: number): Player {
    this.#statements.insert.run(wallet, newId(), now);
    return this.get(wallet);
  }

  /** The player of a wallet that is known to have one. */
  get(wallet: string): Player {
    const row = this.#statements.find.get(wallet);
    if (!row) throw new Error(`wallet ${wallet} has no player`);
    return toPlayer(row);
  }

  #require(wallet: string): void {
    if (!this.#statements.find.get(wallet)) {
      throw new GantryError('player_unknown', 'There is no player with this wallet');
    }
  }
}

function toPlayer(row: PlayerRow): Player {
  return { userId: row.user_id, wallet: row.wallet, username: row.username, avatar: row.avatar };
}
