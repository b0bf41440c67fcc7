import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { GantryError } from '../errors.ts';
import { KeyFileError, readOrCreateKeyFile } from './key-file.ts';

/**
 * The administrators' token. As configured or, left out, made on first use: the data directory keeps its
 * hash only, so it can be shown just then. Deleting the file makes a new one at the next start.
 */
export class AdminToken {
  readonly #hash: Buffer;
  /** The token itself, when this process has just made it. */
  readonly made: string | null = null;

  constructor(hashFilePath: string, configured: string | undefined) {
    if (configured !== undefined) {
      this.#hash = sha256(configured);
      return;
    }
    const token = `gat_${randomBytes(32).toString('base64url')}`;
    const kept = readOrCreateKeyFile(hashFilePath, () => sha256(token).toString('hex'));
    if (!/^[0-9a-f]{64}$/.test(kept)) {
      throw new KeyFileError(
        `${hashFilePath} does not hold the hash of an admin token. Put it back from a backup, or remove it: the next ` +
          'start makes a new token and prints it.',
      );
    }
    this.#hash = Buffer.from(kept, 'hex');
    if (timingSafeEqual(this.#hash, sha256(token))) this.made = token;
  }

  /** @throws GantryError `admin_token_invalid` unless the header is `Bearer <admin token>` */
  check(authorization: string | undefined): void {
    const token = /^Bearer +(\S{1,512})$/i.exec(authorization ?? '')?.[1];
    if (token !== undefined && timingSafeEqual(sha256(token), this.#hash)) return;
    throw new GantryError('admin_token_invalid', 'This takes the admin token: Authorization: Bearer <token>');
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
