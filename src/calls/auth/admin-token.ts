import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store } from '../../core/storage/store.ts';
import type { SecretBox } from '../../features/games/game-secret.ts';
import { keepServerKey, serverKey } from '../../features/sessions/server-keys.ts';
import { KeyFileError, readOrCreateKeyFile } from '../../runtime/key-file.ts';

/** Stores the hash of the admin token, as 64 hex digits. */
export interface AdminTokenStore {
  /** Stores this hash unless there is one already; returns the stored one. */
  keep(hash: string): Promise<string>;
  /** Null when it has been deleted. */
  read(): Promise<string | null>;
}

/**
 * Stores it in a file of the data directory, which is read at startup. If the file is deleted, the next start creates a
 * new token.
 */
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
        `${this.#file} does not contain the hash of an admin token. Restore it from a backup, or remove it: the next ` +
          'start creates a new token and prints it.',
      );
    }
    this.#hash = kept;
    return kept;
  }

  async read(): Promise<string | null> {
    return this.#hash;
  }
}

/**
 * Stores it encrypted in the database, shared by all nodes. If the row is deleted, the next start creates a new token.
 */
export class DatabaseAdminToken implements AdminTokenStore {
  readonly #db: Store;
  readonly #box: SecretBox;

  constructor(db: Store, box: SecretBox) {
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

/**
 * The admin token, whose holder has the role owner. It is configured, or created on first use; then only its hash is
 * stored, so it can be shown only once.
 */
export class AdminToken {
  readonly #read: () => Promise<string | null>;
  /** The token itself, if this process has just created it. */
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

/**
 * The bearer token of an `Authorization` header, valid or not; null when there is none, which does not count as a
 * guess.
 */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S{1,512})$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** The digest in hex. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}
