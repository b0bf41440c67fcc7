import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import type { Store } from '../../core/storage/store.ts';
import type { SecretBox } from '../games/game-secret.ts';
import { keepServerKey, replaceServerKey, serverKey } from './server-keys.ts';
import { generateKey, parseKeys, serializeKeys, type TokenKey, type TokenKeyStore } from './token-keys.ts';

export const otherKeyOfNodes =
  'GANTRY_SECRET_KEY is not the key that the keys in the database were encrypted with. Set it to the value that the ' +
  'other nodes use.';

/**
 * Stores the key pairs in the database, encrypted. For nodes that share nothing but the database: each sees a rotation
 * with its next call, because cached database reads are revalidated then.
 */
export class DatabaseTokenKeys implements TokenKeyStore {
  readonly maxStalenessMs = 0;
  readonly #db: Store;
  readonly #box: SecretBox;
  /** The decrypted keys, cached until the stored ones change. */
  #cached: { sealed: string; keys: readonly TokenKey[] } | null = null;

  private constructor(db: Store, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /**
   * Generates the first key pair if there is none.
   * @throws DatabaseUnusableError when they are encrypted with another key
   */
  static async open(db: Store, box: SecretBox): Promise<DatabaseTokenKeys> {
    const store = new DatabaseTokenKeys(db, box);
    if ((await store.read()).length === 0) {
      await db.write(keepServerKey, 'token-keys', box.seal(serializeKeys([generateKey()])));
      await store.read(); // another node may have been first, with another encryption key
    }
    return store;
  }

  async read(): Promise<readonly TokenKey[]> {
    const row = await this.#db.read(serverKey, 'token-keys');
    return row ? this.#open(row.sealed) : [];
  }

  async replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void> {
    for (;;) {
      const row = await this.#db.read(serverKey, 'token-keys');
      const sealed = this.#box.seal(serializeKeys(change(row ? this.#open(row.sealed) : [])));
      if (await this.#db.write(replaceServerKey, 'token-keys', row?.sealed ?? null, sealed)) return;
    }
  }

  #open(sealed: string): readonly TokenKey[] {
    if (this.#cached?.sealed !== sealed) this.#cached = { sealed, keys: parseKeys(this.#decrypt(sealed)) };
    return this.#cached.keys;
  }

  #decrypt(sealed: string): string {
    try {
      return this.#box.open(sealed);
    } catch (cause) {
      throw new DatabaseUnusableError(otherKeyOfNodes, { cause });
    }
  }
}
