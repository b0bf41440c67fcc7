import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type CryptoKey, errors, importJWK, type JSONWebKeySet } from 'jose';
import { z } from 'zod';
import { newId } from '../domain/ids.ts';
import { KeyFileError, readOrCreateKeyFile, replaceKeyFile } from './key-file.ts';

/** How often a running server looks whether the command line has rotated the keys. */
const lookEveryMs = 1_000;

const storedKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string(),
  x: z.string(),
  d: z.string(),
  /** After that, tokens signed with this key are no longer accepted; only keys that were rotated out have it. */
  retiresAt: z.int().optional(),
});
type StoredKey = z.infer<typeof storedKey>;
const keyFile = z.object({ keys: z.array(storedKey).min(1) });

/**
 * The key pairs launcher tokens are signed with, kept in the data directory, the newest first. The first is
 * made on first start; `rotate` adds one, and the earlier ones go on verifying until their tokens are over.
 */
export class TokenKeys {
  readonly #file: string;
  #keys: readonly StoredKey[];
  #readAt = 0;
  #modifiedAt = 0;

  constructor(file: string) {
    this.#file = file;
    readOrCreateKeyFile(file, () => JSON.stringify({ keys: [newKey()] }));
    this.#keys = this.#read();
  }

  /** The public keys, as served at `/.well-known/jwks.json` (RFC 7517). */
  get publicKeys(): JSONWebKeySet {
    return {
      keys: this.#current().map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x, alg: 'EdDSA', use: 'sig' })),
    };
  }

  async signingKey(): Promise<{ kid: string; privateKey: CryptoKey }> {
    const [newest] = this.#current();
    if (!newest) throw new Error(`${this.#file} holds no key`);
    const { retiresAt: _, ...jwk } = newest;
    return { kid: newest.kid, privateKey: await asCryptoKey(jwk) };
  }

  /** Whether tokens signed with this key are good: it is the newest, or its overlap is not over. */
  verifies(kid: string | undefined): boolean {
    return this.#current().some((one) => one.kid === kid);
  }

  /** @throws JWKSNoMatchingKey */
  async publicKey(kid: string | undefined): Promise<CryptoKey> {
    const key = this.#current().find((one) => one.kid === kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return asCryptoKey({ kty: key.kty, crv: key.crv, kid: key.kid, x: key.x });
  }

  /**
   * Adds a new key, to sign with from now on; the others go on verifying for `overlapMs` at most, and for the
   * moment in which a running server does not know of the new one yet. With 0 they are gone at once: what such
   * a server signs in that moment is void.
   */
  rotate(overlapMs: number): { kid: string } {
    const now = Date.now();
    const key = newKey();
    const retiresAt = overlapMs === 0 ? now : Math.ceil(now + overlapMs) + lookEveryMs;
    const earlier = this.#read()
      .map((one) => ({ ...one, retiresAt: Math.min(one.retiresAt ?? retiresAt, retiresAt) }))
      .filter((one) => one.retiresAt > now);
    replaceKeyFile(this.#file, JSON.stringify({ keys: [key, ...earlier] }));
    this.#keys = this.#read();
    return { kid: key.kid };
  }

  #current(): StoredKey[] {
    const now = Date.now();
    if (now - this.#readAt >= lookEveryMs) {
      this.#readAt = now;
      this.#readAgain();
    }
    return this.#keys.filter((one) => one.retiresAt === undefined || one.retiresAt > now);
  }

  /** A file that is gone, or cannot be read just now, takes nothing away: what is known goes on. */
  #readAgain(): void {
    try {
      if (statSync(this.#file).mtimeMs !== this.#modifiedAt) this.#keys = this.#read();
    } catch {
      this.#modifiedAt = 0; // looked at again the next time
    }
  }

  #read(): readonly StoredKey[] {
    this.#modifiedAt = statSync(this.#file).mtimeMs;
    const text = readFileSync(this.#file, 'utf8');
    try {
      return keyFile.parse(JSON.parse(text)).keys;
    } catch {
      throw new KeyFileError(
        `${this.#file} does not hold the keys that tokens are signed with. Put it back from a backup; if there is ` +
          'none, remove it and run `gantry key rotate`: players then sign in again.',
      );
    }
  }
}

async function asCryptoKey(jwk: Omit<StoredKey, 'd' | 'retiresAt'>): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'EdDSA');
  if (key instanceof Uint8Array) throw new Error('an Ed25519 key was read as a secret');
  return key;
}

function newKey(): StoredKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return storedKey.parse({ ...privateKey.export({ format: 'jwk' }), kid: newId() });
}
