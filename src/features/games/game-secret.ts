import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { GantryError } from '../../core/errors.ts';
import { KeyFileError, readOrCreateKeyFile } from '../../runtime/key-file.ts';

const prefix = 'gsk_';

/** Upper bound of a game's secrets, which are read in one query. */
export const maxSecrets = 10_000;

/** A game's secret as it is stored: never the secret itself. */
export interface SealedSecret {
  /** Hex SHA-256 of the secret. */
  hash: string;
  /** Hex MD5 of the secret, from which the contract's request signature is computed, encrypted. */
  sealedMd5: string;
  /** The secret, the key of the HMAC request signature, encrypted. */
  sealedSecret: string;
}

/** The displayable part of a secret. Times in Unix milliseconds. */
export interface SecretSummary {
  /** The first 12 hex digits of its SHA-256. */
  fingerprint: string;
  createdAt: number;
  /** When it expires; null: not until it is rotated or revoked. */
  expiresAt: number | null;
}

export function fingerprintOf({ hash }: { hash: string }): string {
  return hash.slice(0, 12);
}

export function isSecretValid({ expiresAt }: { expiresAt: number | null }, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

/** Generates a game secret: 256 random bits. It is shown once; only its `SealedSecret` is stored. */
export function newGameSecret(): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** The hash by which a game secret is looked up. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function md5Hex(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/**
 * Reads `Authorization: Bearer <secret>` (RFC 6750).
 * @throws GantryError `secret_invalid` when the header has another form
 */
export function bearerSecret(authorization: string): string {
  const secret = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];
  if (!secret) throw new GantryError('secret_invalid', 'Authorization must be "Bearer <game secret>"');
  return secret;
}

/**
 * Encrypts what must be readable again: AES-256-GCM with a key that is stored in the data directory beside the
 * database, not in it, so that a copy of the database alone reveals nothing.
 */
export class SecretBox {
  readonly #key: Buffer;

  /**
   * The key: the configured 64 hex digits, or those in the key file, which is created if missing.
   * @throws KeyFileError
   */
  constructor(keyFilePath: string, configuredKey?: string) {
    const hex = configuredKey ?? readOrCreateKeyFile(keyFilePath, () => randomBytes(32).toString('hex'));
    if (!/^[0-9a-f]{64}$/i.test(hex)) {
      throw new KeyFileError(
        `${keyFilePath} does not hold a key (64 hex digits). Restore it from a backup, or set GANTRY_SECRET_KEY to ` +
          'its previous value.',
      );
    }
    this.#key = Buffer.from(hex, 'hex');
  }

  /** The stored form of a game secret. */
  sealSecret(secret: string): SealedSecret {
    return {
      hash: hashOfSecret(secret),
      sealedMd5: this.seal(md5Hex(secret)),
      sealedSecret: this.seal(secret),
    };
  }

  seal(text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** @throws Error when the text was encrypted with another key or has been tampered with */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }
}
