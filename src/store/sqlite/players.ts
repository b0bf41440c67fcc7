import type { Database } from 'better-sqlite3';
import { newId } from '../../domain/ids.ts';
import type { Player } from '../../domain/player.ts';
import type { PlayerStore } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';

interface PlayerRow {
  wallet: string;
  user_id: string;
  username: string;
  avatar: string;
}

export class SqlitePlayers implements PlayerStore {
  readonly #group: GroupCommit;
  readonly #statements;
  readonly #changed: () => void;

  /** `changed` is called when a profile changes, for whoever remembers profiles. */
  constructor(db: Database, group: GroupCommit, changed: () => void) {
    this.#group = group;
    this.#changed = changed;
    this.#statements = {
      find: db.prepare<[string], PlayerRow>('SELECT * FROM players WHERE wallet = ?'),
      insert: db.prepare(
        'INSERT INTO players (wallet, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      ),
      update: db.prepare(
        'UPDATE players SET username = coalesce(@username, username), avatar = coalesce(@avatar, avatar) WHERE wallet = @wallet',
      ),
    };
  }

  setProfile(wallet: string, profile: { username?: string; avatar?: string }): Promise<Player> {
    return this.#group.write((tx) => {
      this.ensure(wallet, tx.now);
      this.#statements.update.run({
        wallet,
        username: profile.username ?? null,
        avatar: profile.avatar ?? null,
      });
      this.#changed();
      return this.get(wallet);
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
    return { userId: row.user_id, wallet: row.wallet, username: row.username, avatar: row.avatar };
  }
}
