import type { Database } from '../core/storage/database.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import type { SecretBox } from '../games/game-secret.ts';
import { keepServerKey, replaceServerKey, serverKey } from './server-keys.ts';
import { keysAsText, newKey, parseKeys, type TokenKey, type TokenKeyStore } from './token-keys.ts';

/**
 * The key pairs in the database, encrypted. For nodes that share nothing else: each sees a rotation with its next call,
 * because what it remembers of the database is looked at then.
 */
export class DatabaseTokenKeys implements TokenKeyStore {
  readonly unnoticedMs = 0;
  readonly #db: Database;
  readonly #box: SecretBox;
  /** Decrypted once for as long as they stay. */
  #known: { sealed: string; keys: readonly TokenKey[] } | null = null;

  private constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** Makes the first key pair where there is none. @throws DatabaseUnusableError where they are encrypted under another key */
  static async open(db: Database, box: SecretBox): Promise<DatabaseTokenKeys> {
    const opened = new DatabaseTokenKeys(db, box);
    if ((await opened.read()).length === 0) {
      await db.write(keepServerKey, 'token-keys', box.seal(keysAsText([newKey()])));
      await opened.read(); // another node may have been first, with another key
    }
    return opened;
  }

  async read(): Promise<readonly TokenKey[]> {
    const row = await this.#db.read(serverKey, 'token-keys');
    return row ? this.#open(row.sealed) : [];
  }

  async replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void> {
    for (;;) {
      const row = await this.#db.read(serverKey, 'token-keys');
      const sealed = this.#box.seal(keysAsText(change(row ? this.#open(row.sealed) : [])));
      if (await this.#db.write(replaceServerKey, 'token-keys', row?.sealed ?? null, sealed)) return;
    }
  }

  #open(sealed: string): readonly TokenKey[] {
    if (this.#known?.sealed !== sealed) this.#known = { sealed, keys: parseKeys(this.#decrypt(sealed)) };
    return this.#known.keys;
  }

  #decrypt(sealed: string): string {
    try {
      return this.#box.open(sealed);
    } catch (cause) {
      throw new DatabaseUnusableError(
        'GANTRY_SECRET_KEY is not the key that the keys in the database were encrypted under. Set it to the one that ' +
          'the other nodes have.',
        { cause },
      );
    }
  }
}
