import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { tokenExpired } from './channel-session.ts';
import type { TokenKeys } from './token-keys.ts';

const issuer = 'gantry';
const audience = 'gantry:launcher';
/**
 * The `typ` that clients of basement.fun expect. It does not distinguish kinds of tokens: the audience does, and there
 * is only one kind.
 */
const type = 'JWT';
/** The second was used by earlier versions; those tokens are valid until their sessions end. */
const acceptedTypes: readonly unknown[] = [type, 'launcher+jwt'];
/** Longer than any issued token; a longer text is rejected without parsing. */
const maxLength = 4096;
const maxCachedTokens = 50_000;
/**
 * The only accepted encoding of a token: no padding, no white space, and the two bits that the last character of a
 * 64-byte signature leaves unused are zero. Otherwise one token would be valid in several encodings.
 */
const canonicalForm = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/** A launcher token's claims besides the registered ones, which public clients decode. */
export interface LauncherClaims {
  /** The channel session, the token's `jti`. */
  sessionId: string;
  /** Also in the token as `id`. */
  userId: string;
  gameId: string;
  address: string;
  /** Omitted when the player never chose one; clients then show a default name. */
  username?: string | undefined;
  avatar: string;
  /** Unix milliseconds; seconds in the token. */
  issuedAt: number;
  /** The same, rounded up: until then, whether the session has expired is checked with every call. */
  expiresAt: number;
}

interface VerifiedToken {
  sessionId: string;
  expiresAt: number;
  /** The key it is signed with. */
  kid: string | undefined;
}

const payload = z.object({ jti: z.string(), exp: z.number() });

/**
 * Issues and verifies launcher tokens: EdDSA JWTs (RFC 8725) signed with the newest key. Only EdDSA is accepted, so a
 * token "signed" with HS256 and the public key is rejected.
 */
export class LauncherTokens {
  readonly #keys: TokenKeys;
  readonly #clock: () => number;
  /**
   * Verified tokens: a token's signature never changes, so it is checked once. Bounded by size rather than `max`, so
   * that memory is allocated as tokens arrive, not up front.
   */
  readonly #verified = new LRUCache<string, VerifiedToken>({
    maxSize: maxCachedTokens,
    sizeCalculation: () => 1,
  });

  /** `clock`: the one that sessions expire by, in Unix milliseconds. */
  constructor(keys: TokenKeys, clock: () => number) {
    this.#keys = keys;
    this.#clock = clock;
  }

  async issue(claims: LauncherClaims): Promise<string> {
    const { sessionId, issuedAt, expiresAt, userId, ...publicClaims } = claims;
    const { kid, privateKey } = await this.#keys.signingKey();
    return new SignJWT({ id: userId, userId, ...publicClaims })
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setJti(sessionId)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.ceil(expiresAt / 1000))
      .sign(privateKey);
  }

  /**
   * Returns what `read` returns for the token's channel session; `read` decides whether that session is still live. It
   * runs while the token's key is looked up, so that both share a round trip when keys are in the database.
   * @throws GantryError `token_invalid`, `token_expired`
   */
  async verify<Session>(token: string, read: (sessionId: string) => Promise<Session>): Promise<Session> {
    if (token.length > maxLength) throw invalid();
    const { kid, sessionId, expiresAt } = this.#verified.get(token) ?? (await this.#check(token));
    // The key may have been rotated out since the token was first seen.
    const [isValidKey, session] = await Promise.all([this.#keys.verifies(kid), read(sessionId)]);
    if (!isValidKey) throw invalid();
    if (expiresAt <= this.#clock()) throw tokenExpired();
    return session;
  }

  /** The key that a verified token is signed with. */
  keyOf(token: string): string | undefined {
    return this.#verified.get(token)?.kid ?? decodeProtectedHeader(token).kid;
  }

  /** Whether tokens signed with this key are still valid. */
  isGoodKey(kid: string | undefined): Promise<boolean> {
    return this.#keys.verifies(kid);
  }

  async #check(token: string): Promise<VerifiedToken> {
    if (!canonicalForm.test(token)) throw invalid();
    try {
      const verified = await jwtVerify(token, (header) => this.#keys.publicKey(header.kid), {
        algorithms: ['EdDSA'],
        issuer,
        audience,
        currentDate: new Date(this.#clock()),
        requiredClaims: ['jti', 'sub', 'exp', 'iat'],
      });
      if (!acceptedTypes.includes(verified.protectedHeader.typ)) throw invalid();
      const { jti, exp } = payload.parse(verified.payload);
      const result = { sessionId: jti, expiresAt: exp * 1000, kid: verified.protectedHeader.kid };
      this.#verified.set(token, result);
      return result;
    } catch (error) {
      if (error instanceof GantryError) throw error; // the keys could not be read
      throw error instanceof errors.JWTExpired ? tokenExpired() : invalid();
    }
  }
}

function invalid(): GantryError {
  return new GantryError('token_invalid', 'launcherJwt is not a token of this service; sign in again');
}
