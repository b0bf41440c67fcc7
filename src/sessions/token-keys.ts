import { generateKeyPairSync } from 'node:crypto';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import * as errors from 'jose/errors';
import { importJWK } from 'jose/key/import';
import { z } from 'zod';
import { newId } from '../core/schemas/ids.ts';

const tokenKey = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string(),
  x: z.string(),
  d: z.string(),
  /** After that, tokens signed with this key are no longer accepted; only keys that were rotated out have it. */
  retiresAt: z.int().optional(),
});
/** A key pair, as it is kept. */
export type TokenKey = z.infer<typeof tokenKey>;
const keptKeys = z.object({ keys: z.array(tokenKey).min(1) });

/** The keys of a text that is kept. @throws what zod or JSON says of a text that holds none */
export function parseKeys(text: string): readonly TokenKey[] {
  return keptKeys.parse(JSON.parse(text)).keys;
}

/** As it is kept. */
export function keysAsText(keys: readonly TokenKey[]): string {
  return JSON.stringify({ keys });
}

/** Where the key pairs are kept. */
export interface TokenKeyStore {
  /** For so long, in milliseconds, a process may not know of a rotation that another one has made. */
  readonly unnoticedMs: number;
  /** The newest first; those that are retired may be among them. */
  read(): Promise<readonly TokenKey[]>;
  /** Puts in their place what `change` makes of them, which may be called again. */
  replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void>;
}

/**
 * The key pairs launcher tokens are signed with. `rotate` adds one, and the earlier ones go on verifying until their
 * tokens are over.
 */
export class TokenKeys {
  readonly #store: TokenKeyStore;

  constructor(store: TokenKeyStore) {
    this.#store = store;
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
    return { kid, privateKey: await imported(privateKeys, newest, ({ retiresAt: _, ...jwk }) => jwk) };
  }

  /** Whether tokens signed with this key are good: it is the newest, or its overlap is not over. */
  async verifies(kid: string | undefined): Promise<boolean> {
    const now = Date.now();
    return (await this.#store.read()).some((one) => one.kid === kid && isGood(one, now));
  }

  /** @throws JWKSNoMatchingKey */
  async publicKey(kid: string | undefined): Promise<CryptoKey> {
    const key = (await this.#current()).find((one) => one.kid === kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return imported(publicKeys, key, ({ kty, crv, kid: id, x }) => ({ kty, crv, kid: id, x }));
  }

  /**
   * Adds a new key, to sign with from now on; the others go on verifying for `overlapMs` at most, and for the moment in
   * which a running server does not know of the new one yet. With 0 they are gone at once: what such a server signs in
   * that moment is void.
   */
  async rotate(overlapMs: number): Promise<{ kid: string }> {
    const now = Date.now();
    const key = newKey();
    const retiresAt = overlapMs === 0 ? now : Math.ceil(now + overlapMs) + this.#store.unnoticedMs;
    await this.#store.replace((keys) => {
      const earlier = keys.map((one) => ({
        ...one,
        retiresAt: Math.min(one.retiresAt ?? retiresAt, retiresAt),
      }));
      return [key, ...earlier.filter((one) => one.retiresAt > now)];
    });
    return { kid: key.kid };
  }

  async #current(): Promise<TokenKey[]> {
    const now = Date.now();
    return (await this.#store.read()).filter((one) => isGood(one, now));
  }
}

function isGood({ retiresAt }: TokenKey, now: number): boolean {
  return retiresAt === undefined || retiresAt > now;
}

/** To import a key takes as long as to sign with it. Held for as long as the store holds the key it was imported from. */
const privateKeys = new WeakMap<TokenKey, Promise<CryptoKey>>();
const publicKeys = new WeakMap<TokenKey, Promise<CryptoKey>>();

function imported(
  keys: WeakMap<TokenKey, Promise<CryptoKey>>,
  key: TokenKey,
  jwkOf: (key: TokenKey) => JWK,
): Promise<CryptoKey> {
  let importing = keys.get(key);
  if (!importing) {
    importing = asCryptoKey(jwkOf(key));
    keys.set(key, importing);
  }
  return importing;
}

async function asCryptoKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'EdDSA');
  if (key instanceof Uint8Array) throw new Error('an Ed25519 key was read as a secret');
  return key;
}

/** A new key pair. */
export function newKey(): TokenKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return tokenKey.parse({ ...privateKey.export({ format: 'jwk' }), kid: newId() });
}
