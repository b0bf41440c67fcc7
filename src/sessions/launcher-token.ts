import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { GantryError } from '../errors.ts';
import type { TokenKeys } from './token-keys.ts';

const issuer = 'gantry';
const audience = 'gantry:launcher';
/**
 * What clients of basement.fun expect. That no other token passes for a launcher token is the audience's to say; there
 * is no other kind of token.
 */
const type = 'JWT';
/** The second is that of tokens issued before; they are good until their sessions end. */
const types: readonly unknown[] = [type, 'launcher+jwt'];
/** Longer than any token we make; a longer text is not looked at. */
const maxLength = 4096;
const rememberedTokens = 50_000;
/**
 * A token is good in one spelling only: no padding, no white space, and the two bits that the last character
 * of a 64-byte signature leaves unused are zero. Otherwise one token would pass under many texts.
 */
const onlyForm = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;

/** What a launcher token says beside the registered claims; what public clients decode of it. */
export interface LauncherClaims {
  /** The channel session, the token's `jti`. */
  sessionId: string;
  /** In the token as `id`, too. */
  userId: string;
  gameId: string;
  address: string;
  /** Left out: the player never chose one, and clients show their own stand-in. */
  username?: string | undefined;
  avatar: string;
  /** Unix milliseconds; the token carries seconds. */
  issuedAt: number;
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
 * Issues and verifies launcher tokens: EdDSA JWTs (RFC 8725) signed with the newest of the keys. Only EdDSA is accepted, so a token "signed" HS256 with the public key fails.
 */
export class LauncherTokens {
  readonly #keys: TokenKeys;
  /**
   * Tokens that were verified: a token's signature never changes, so it is checked once. By size, not by number, so that
   * room is made as tokens come, and not for all of them at the start.
   */
  readonly #verified = new LRUCache<string, VerifiedToken>({
    maxSize: rememberedTokens,
    sizeCalculation: () => 1,
  });

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  async issue(claims: LauncherClaims): Promise<string> {
    const { sessionId, issuedAt, expiresAt, userId, ...shown } = claims;
    const { kid, privateKey } = await this.#keys.signingKey();
    return new SignJWT({ id: userId, userId, ...shown })
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setJti(sessionId)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(privateKey);
  }

  /**
   * What `read` answers of the channel session that a token is for; whether that session still lives is for it to say. It is
   * read while the token's key is looked up, so that both share a round trip where keys are in the database.
   * @throws GantryError `token_invalid`, `token_expired`
   */
  async verify<Session>(token: string, read: (sessionId: string) => Promise<Session>): Promise<Session> {
    if (token.length > maxLength) throw invalid();
    const { kid, sessionId, expiresAt } = this.#verified.get(token) ?? (await this.#check(token));
    // The key may have been rotated out since the token was first seen.
    const [isGoodKey, session] = await Promise.all([this.#keys.verifies(kid), read(sessionId)]);
    if (!isGoodKey) throw invalid();
    if (expiresAt <= Date.now()) throw expired();
    return session;
  }

  /** The key that a verified token is signed with. */
  keyOf(token: string): string | undefined {
    return this.#verified.get(token)?.kid ?? decodeProtectedHeader(token).kid;
  }

  /** Whether tokens signed with this key are good still. */
  isGoodKey(kid: string | undefined): Promise<boolean> {
    return this.#keys.verifies(kid);
  }

  async #check(token: string): Promise<VerifiedToken> {
    if (!onlyForm.test(token)) throw invalid();
    try {
      const verified = await jwtVerify(token, (header) => this.#keys.publicKey(header.kid), {
        algorithms: ['EdDSA'],
        issuer,
        audience,
        requiredClaims: ['jti', 'sub', 'exp', 'iat'],
      });
      if (!types.includes(verified.protectedHeader.typ)) throw invalid();
      const { jti, exp } = payload.parse(verified.payload);
      const known = { sessionId: jti, expiresAt: exp * 1000, kid: verified.protectedHeader.kid };
      this.#verified.set(token, known);
      return known;
    } catch (error) {
      if (error instanceof GantryError) throw error; // the keys could not be read
      throw error instanceof errors.JWTExpired ? expired() : invalid();
    }
  }
}

function invalid(): GantryError {
  return new GantryError('token_invalid', 'launcherJwt is not a token of this service; sign in again');
}

function expired(): GantryError {
  return new GantryError('token_expired', 'launcherJwt has expired; sign in again');
}
