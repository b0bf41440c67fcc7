import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../core/storage/database.ts';
import type { SecretBox } from '../games/game-secret.ts';
import { KeyFileError, readOrCreateKeyFile } from '../runtime/key-file.ts';
import { keepServerKey, serverKey } from '../sessions/server-keys.ts';

/** Where the hash of the admin token is kept: 64 hex digits. */
export interface AdminTokenStore {
  /** Keeps this hash unless there is one; answers what is kept. */
  keep(hash: string): Promise<string>;
  /** Null where there is none any more. */
  read(): Promise<string | null>;
}

/** In a file of the data directory, which is read at the start. Deleting it makes a new token at the next start. */
export class FileAdminToken implements AdminTokenStore {
  readonly #file: string;
  #hash: string | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws KeyFileError */
  async keep(hash: string): Promise<string> {
    const kept = readOrCreateKeyFile(this.#file, () => hash);
    if (!/^[0-9a-f]{64}$/.test(kept)) {
      throw new KeyFileError(
        `${this.#file} does not hold the hash of an admin token. Restore it from a backup, or remove it: the next ` +
          'start makes a new token and prints it.',
      );
    }
    this.#hash = kept;
    return kept;
  }

  async read(): Promise<string | null> {
    return this.#hash;
  }
}

/** In the database, encrypted, where every node reads it. Deleting the row makes a new token at the next start. */
export class DatabaseAdminToken implements AdminTokenStore {
  readonly #db: Database;
  readonly #box: SecretBox;

  constructor(db: Database, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  async keep(hash: string): Promise<string> {
    return (
      (await this.read()) ??
      this.#box.open(await this.#db.write(keepServerKey, 'admin-token', this.#box.seal(hash)))
    );
  }

  async read(): Promise<string | null> {
    const row = await this.#db.read(serverKey, 'admin-token');
    return row && this.#box.open(row.sealed);
  }
}

/** The admin token, whose holder is an owner. As configured or, left out, made on first use: only its hash is kept, so it can be shown just then. */
export class AdminToken {
  readonly #read: () => Promise<string | null>;
  /** The token itself, when this process has just made it. */
  readonly made: string | null;

  private constructor(read: () => Promise<string | null>, made: string | null) {
    this.#read = read;
    this.made = made;
  }

  /** @throws KeyFileError */
  static async open(store: AdminTokenStore, configured: string | undefined): Promise<AdminToken> {
    if (configured !== undefined) {
      const hash = sha256(configured);
      return new AdminToken(async () => hash, null);
    }
    const token = `gat_${randomBytes(32).toString('base64url')}`;
    const kept = await store.keep(sha256(token));
    return new AdminToken(() => store.read(), isSame(kept, sha256(token)) ? token : null);
  }

  /** Whether this is the token. */
  async is(token: string): Promise<boolean> {
    const hash = await this.#read();
    return hash !== null && isSame(sha256(token), hash);
  }
}

/** The token that an `Authorization` header shows, right or wrong; null: it shows none, which is no guess at it. */
export function shownAdminToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S{1,512})$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** In hex. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** In the same time, wherever they differ. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}
