import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, errors, importJWK, type JSONWebKeySet, type JWK, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { newId } from '../domain/ids.ts';
import { GantryError } from '../errors.ts';
import { readOrCreateKeyFile } from './key-file.ts';

const issuer = 'gantry';
const audience = 'gantry:launcher';
/** Explicit typing (RFC 8725 section 3.11), so that no other token of ours passes for a launcher token. */
const type = 'launcher+jwt';
/** Longer than any token we make; a longer text is not looked at. */
const maximumLength = 4096;
const rememberedTokens = 50_000;

const keyFile = z.object({
  keys: z
    .array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        kid: z.string(),
        x: z.string(),
        d: z.string(),
      }),
    )
    .min(1),
});

/** What a launcher token says beside the registered claims; what public clients decode of it. */
export interface LauncherClaims {
  /** The channel session, the token's `jti`. */
  sessionId: string;
  userId: string;
  gameId: string;
  address: string;
  username: string;
  avatar: string;
  /** Unix milliseconds; the token carries seconds. */
  issuedAt: number;
  expiresAt: number;
}

const payload = z.object({ jti: z.string(), exp: z.number() });

/**
 * Issues and verifies launcher tokens: EdDSA JWTs signed with a key pair made on first start and kept in
 * the data directory. Only EdDSA is accepted, so a token "signed" HS256 with the public key fails.
 */
export class LauncherTokens {
  readonly #signingKey: JWK & { kid: string };
  readonly #publicKeys: JSONWebKeySet;
  readonly #findKey: ReturnType<typeof createLocalJWKSet>;
  /** Tokens that were verified: a token's signature never changes, so it is checked once. */
  readonly #verified = new LRUCache<string, { sessionId: string; expiresAt: number }>({
    max: rememberedTokens,
  });

  constructor(keyFilePath: string) {
    const { keys } = keyFile.parse(JSON.parse(readOrCreateKeyFile(keyFilePath, newKeyFile)));
    const [newest] = keys;
    if (!newest) throw new Error(`${keyFilePath} holds no key`);
    this.#signingKey = newest;
    this.#publicKeys = {
      keys: keys.map(({ kty, crv, kid, x }) => ({ kty, crv, kid, x, alg: 'EdDSA', use: 'sig' })),
    };
    this.#findKey = createLocalJWKSet(this.#publicKeys);
  }

  /** The public keys, as served at `/.well-known/jwks.json` (RFC 7517). */
  get publicKeys(): JSONWebKeySet {
    return this.#publicKeys;
  }

  async issue(claims: LauncherClaims): Promise<string> {
    const { sessionId, issuedAt, expiresAt, ...shown } = claims;
    return new SignJWT(shown)
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: this.#signingKey.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(claims.userId)
      .setJti(sessionId)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(await importJWK(this.#signingKey, 'EdDSA'));
  }

  /**
   * The channel session a token is for. Whether that session still lives is for the store to say.
   * @throws GantryError `token_invalid`, `token_expired`
   */
  async verify(token: string): Promise<string> {
    if (token.length > maximumLength) throw invalid();
    const known = this.#verified.get(token) ?? (await this.#check(token));
    if (known.expiresAt <= Date.now()) throw expired();
    return known.sessionId;
  }

  async #check(token: string): Promise<{ sessionId: string; expiresAt: number }> {
    try {
      const verified = await jwtVerify(token, this.#findKey, {
        algorithms: ['EdDSA'],
        issuer,
        audience,
        typ: type,
        requiredClaims: ['jti', 'sub', 'exp', 'iat'],
      });
      const { jti, exp } = payload.parse(verified.payload);
      const known = { sessionId: jti, expiresAt: exp * 1000 };
      this.#verified.set(token, known);
      return known;
    } catch (error) {
      throw error instanceof errors.JWTExpired ? expired() : invalid();
    }
  }
}

function newKeyFile(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: newId() }] });
}

function invalid(): GantryError {
  return new GantryError('token_invalid', 'launcherJwt is not a token of this service; sign in again');
}

function expired(): GantryError {
  return new GantryError('token_expired', 'launcherJwt has expired; sign in again');
}
