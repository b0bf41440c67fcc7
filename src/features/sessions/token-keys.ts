import { generateKeyPairSync } from 'node:crypto';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import * as errors from 'jose/errors';
import { importJWK } from 'jose/key/import';
import { z } from 'zod';
import { newId } from '../../core/schemas/ids.ts';

const tokenKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string(),
  x: z.string(),
  d: z.string(),
  /** When tokens signed with this key stop being accepted; only on keys that were rotated out. */
  retiresAt: z.int().optional(),
});
/** A key pair as stored. */
export type TokenKey = z.infer<typeof tokenKey>;
const storedKeys = z.object({ keys: z.array(tokenKey).min(1) });

/** Parses stored keys. @throws ZodError or SyntaxError when the text does not contain any */
export function parseKeys(text: string): readonly TokenKey[] {
  return storedKeys.parse(JSON.parse(text)).keys;
}

/** The stored form of keys. */
export function serializeKeys(keys: readonly TokenKey[]): string {
  return JSON.stringify({ keys });
}

/** Stores the key pairs. */
export interface TokenKeyStore {
  /** How long a process may use stale keys after another one has rotated them, in milliseconds. */
  readonly maxStalenessMs: number;
  /** The keys, newest first; may include retired ones. */
  read(): Promise<readonly TokenKey[]>;
  /** Replaces the keys with what `change` returns; `change` may be called again on a conflict. */
  replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void>;
}

/**
 * The key pairs that launcher tokens are signed with. `rotate` adds one; earlier ones keep verifying tokens until their
 * overlap ends.
 */
export class TokenKeys {
  readonly #store: TokenKeyStore;
  readonly #clock: () => number;

  /** `clock`: one that all processes which use the keys share, in Unix milliseconds. */
  constructor(store: TokenKeyStore, clock: () => number = Date.now) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The public keys, as served at `/.well-known/jwks.json` (RFC 7517). */
  async publicKeys(): Promise<JSONWebKeySet> {
    const keys = await this.#current();
    return { keys: keys.map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x, alg: 'EdDSA', use: 'sig' })) };
  }

  async signingKey(): Promise<{ kid: string; privateKey: CryptoKey }> {
    const [newest] = await this.#current();
    if (!newest) throw new Error('there is no key to sign tokens with; run `gantry key rotate`');
    const { kid } = newest;
    return { kid, privateKey: await importedKey(privateKeys, newest, ({ retiresAt: _, ...jwk }) => jwk) };
  }

  /** Whether tokens signed with this key are accepted: it is the newest, or its overlap has not ended. */
  async verifies(kid: string | undefined): Promise<boolean> {
    const now = this.#clock();
    return (await this.#store.read()).some((key) => key.kid === kid && isActive(key, now));
  }

  /** @throws JWKSNoMatchingKey */
  async publicKey(kid: string | undefined): Promise<CryptoKey> {
    const key = (await this.#current()).find((candidate) => candidate.kid === kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return importedKey(publicKeys, key, ({ kty, crv, kid: id, x }) => ({ kty, crv, kid: id, x }));
  }

  /**
   * Adds a new signing key. The others keep verifying for at most `overlapMs`, plus the time in which a running server
   * may still use stale keys. With 0 they are removed immediately: what such a server signs during that time is
   * invalid.
   */
  async rotate(overlapMs: number): Promise<{ kid: string }> {
    const now = this.#clock();
    const key = generateKey();
    const retiresAt = overlapMs === 0 ? now : Math.ceil(now + overlapMs) + this.#store.maxStalenessMs;
    await this.#store.replace((keys) => {
      const earlier = keys.map((previous) => ({
        ...previous,
        retiresAt: Math.min(previous.retiresAt ?? retiresAt, retiresAt),
      }));
      return [key, ...earlier.filter((previous) => previous.retiresAt > now)];
    });
    return { kid: key.kid };
  }

  async #current(): Promise<TokenKey[]> {
    const now = this.#clock();
    return (await this.#store.read()).filter((key) => isActive(key, now));
  }
}

function isActive({ retiresAt }: TokenKey, now: number): boolean {
  return retiresAt === undefined || retiresAt > now;
}

/**
 * Importing a key takes as long as signing with it. Imported keys are cached for as long as the store keeps their
 * source.
 */
const privateKeys = new WeakMap<TokenKey, Promise<CryptoKey>>();
const publicKeys = new WeakMap<TokenKey, Promise<CryptoKey>>();

function importedKey(
  keys: WeakMap<TokenKey, Promise<CryptoKey>>,
  key: TokenKey,
  jwkOf: (key: TokenKey) => JWK,
): Promise<CryptoKey> {
  let importing = keys.get(key);
  if (!importing) {
    importing = importKey(jwkOf(key));
    keys.set(key, importing);
  }
  return importing;
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'EdDSA');
  if (key instanceof Uint8Array) throw new Error('an Ed25519 key was imported as a symmetric key');
  return key;
}

/** Generates a key pair. */
export function generateKey(): TokenKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return tokenKey.parse({ ...privateKey.export({ format: 'jwk' }), kid: newId() });
}
