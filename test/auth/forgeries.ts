import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import type { Reason } from '../../src/core/errors.ts';
import { ed25519, encoded, type JwtObject, makeJwt, readJwt } from '../support/jwt-parts.ts';

/** What a forger of tokens has, or wishes to have. */
export interface Loot {
  /** A valid token. */
  token: string;
  /** The server's public key, from `/.well-known/jwks.json`. */
  publicKey: JsonWebKey & { kid: string; x: string };
  /** The server's private key: for tokens it would never issue, though the signature on them is right. */
  privateKey: KeyObject;
  gameSecret: string;
  /** A token of another Gantry server. */
  foreignToken: string;
  /** A key that was rotated out and whose overlap is over, and a token that was signed with it and used. */
  retired: { kid: string; privateKey: KeyObject; token: string };
  /** Well-formed tokens of sessions that are over, and why. */
  over: { ended: string; revoked: string; replaced: string; banned: string; erased: string };
}

export interface Forgery {
  title: string;
  /** Anything: what is sent as `launcherJwt` need not be a string. */
  make(loot: Loot): unknown;
  /** Omitted: `token_invalid`. */
  reason?: Reason;
  /** With `session_ended`: why. */
  endReason?: string;
  /**
   * The token itself is valid and only its session has ended: its holder may still query the session's status, which
   * INTERFACE.md's `exists` is for.
   */
  mayAskForStatus?: true;
  /** False for non-strings, and for tokens longer than a request's headers may be (16 KB). */
  fitsQuery?: false;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);
const noSignature = () => Buffer.alloc(0);

/** The valid token with some claims replaced; those that are `undefined` are omitted. */
function altered(
  { token }: Loot,
  { header = {}, payload = {} }: { header?: JwtObject; payload?: JwtObject },
  signWith: (signingInput: string) => Buffer,
): string {
  const original = readJwt(token);
  return makeJwt({ ...original.header, ...header }, { ...original.payload, ...payload }, signWith);
}

function hs256(secret: string | Buffer): (signingInput: string) => Buffer {
  return (signingInput) => createHmac('sha256', secret).update(signingInput).digest();
}

function ownEd25519() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { signWith: ed25519(privateKey), jwk: publicKey.export({ format: 'jwk' }) };
}

/** Changed claims, signed with the server's own key. */
function signedWithServerKey(title: string, payload: JwtObject, reason?: Reason): Forgery {
  return {
    title,
    make: (loot) => altered(loot, { payload }, ed25519(loot.privateKey)),
    ...(reason && { reason }),
  };
}

/** A changed header, signed with the server's own key. */
function withServerSignedHeader(title: string, header: JwtObject): Forgery {
  return { title, make: (loot) => altered(loot, { header }, ed25519(loot.privateKey)) };
}

function publicPem({ publicKey }: Loot): string {
  return createPublicKey({ key: publicKey, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
}

function segments({ token }: Loot): [header: string, payload: string, signature: string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}

/** The signature with one bit flipped. */
function withFlippedBit(signature: string, byte: number): string {
  const bytes = Buffer.from(signature, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(byte) ^ 1, byte);
  return bytes.toString('base64url');
}

/**
 * The same signature in another encoding: the last letter of 64 bytes in base64url carries two bits of them, and four
 * padding bits that must be 0 (RFC 4648 section 3.5).
 */
function withUnusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) + 1]}`;
}

const withInvalidSignature: readonly Forgery[] = [
  {
    title: 'alg none, not signed',
    make: (loot) => altered(loot, { header: { alg: 'none' } }, noSignature),
  },
  {
    title: 'alg NonE, not signed',
    make: (loot) => altered(loot, { header: { alg: 'NonE' } }, noSignature),
  },
  {
    title: 'alg none with the right signature',
    make: (loot) => {
      const [, payload, signature] = segments(loot);
      return `${encoded({ ...readJwt(loot.token).header, alg: 'none' })}.${payload}.${signature}`;
    },
  },
  { title: 'alg EdDSA, not signed', make: (loot) => altered(loot, {}, noSignature) },
  {
    title: 'HS256 with the public key in bytes',
    make: (loot) =>
      altered(loot, { header: { alg: 'HS256' } }, hs256(Buffer.from(loot.publicKey.x, 'base64url'))),
  },
  {
    title: 'HS256 with the public key in PEM',
    make: (loot) => altered(loot, { header: { alg: 'HS256' } }, hs256(publicPem(loot))),
  },
  {
    title: 'HS256 with the public key as JWK',
    make: (loot) => altered(loot, { header: { alg: 'HS256' } }, hs256(JSON.stringify(loot.publicKey))),
  },
  {
    title: 'HS256 with the game secret',
    make: (loot) => altered(loot, { header: { alg: 'HS256' } }, hs256(loot.gameSecret)),
  },
  {
    title: 'HS256 with no secret, under a kid that names a file',
    make: (loot) => altered(loot, { header: { alg: 'HS256', kid: '../../../../dev/null' } }, hs256('')),
  },
  {
    title: 'another Ed25519 key under the same kid',
    make: (loot) => altered(loot, {}, ownEd25519().signWith),
  },
  {
    title: 'another Ed25519 key under a different kid',
    make: (loot) => altered(loot, { header: { kid: randomUUID() } }, ownEd25519().signWith),
  },
  {
    title: 'another Ed25519 key without a kid',
    make: (loot) => altered(loot, { header: { kid: undefined } }, ownEd25519().signWith),
  },
  {
    title: 'another Ed25519 key, embedded in the header',
    make: (loot) => {
      const { jwk, signWith } = ownEd25519();
      return altered(loot, { header: { jwk } }, signWith);
    },
  },
  {
    title: 'another Ed25519 key, referenced by a URL in the header',
    make: (loot) => altered(loot, { header: { jku: 'http://127.0.0.1:9/jwks.json' } }, ownEd25519().signWith),
  },
  {
    title: 'ES256',
    make: (loot) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return altered(loot, { header: { alg: 'ES256' } }, (input) =>
        sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
      );
    },
  },
  {
    title: 'RS256',
    make: (loot) => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      return altered(loot, { header: { alg: 'RS256' } }, (input) =>
        sign('sha256', Buffer.from(input), privateKey),
      );
    },
  },
  { title: 'a token of another Gantry server', make: ({ foreignToken }) => foreignToken },
  {
    title: 'the first bit of the signature flipped',
    make: (loot) => {
      const [header, payload, signature] = segments(loot);
      return `${header}.${payload}.${withFlippedBit(signature, 0)}`;
    },
  },
  {
    title: 'the last bit of the signature flipped',
    make: (loot) => {
      const [header, payload, signature] = segments(loot);
      return `${header}.${payload}.${withFlippedBit(signature, 63)}`;
    },
  },
  {
    title: 'another session in the payload, the signature kept',
    make: (loot) => {
      const [header, , signature] = segments(loot);
      return `${header}.${encoded({ ...readJwt(loot.token).payload, jti: randomUUID() })}.${signature}`;
    },
  },
  {
    title: 'a later expiry in the payload, the signature kept',
    make: (loot) => {
      const [header, , signature] = segments(loot);
      return `${header}.${encoded({ ...readJwt(loot.token).payload, exp: nowSeconds() * 2 })}.${signature}`;
    },
  },
];

const validlySignedButStale: readonly Forgery[] = [
  signedWithServerKey('expired a second ago', { exp: nowSeconds() - 1 }, 'token_expired'),
  signedWithServerKey('expired since 1970', { exp: 0 }, 'token_expired'),
  signedWithServerKey('not valid before tomorrow', { nbf: nowSeconds() + 86_400 }),
  signedWithServerKey('for another audience', { aud: 'gantry:console' }),
  signedWithServerKey('for no audience', { aud: undefined }),
  signedWithServerKey('from another issuer', { iss: 'https://elsewhere.example' }),
  signedWithServerKey('from no issuer', { iss: undefined }),
  signedWithServerKey('without jti', { jti: undefined }),
  signedWithServerKey('without exp', { exp: undefined }),
  signedWithServerKey('without sub', { sub: undefined }),
  signedWithServerKey('without iat', { iat: undefined }),
  signedWithServerKey('with a jti that is not a string', { jti: 7 }),
  signedWithServerKey('with an exp that is not a number', { exp: 'never' }),
  signedWithServerKey('of a session that never was', { jti: randomUUID() }),
  signedWithServerKey('of a session called __proto__', { jti: '__proto__' }),
  withServerSignedHeader('of another type', { typ: 'at+jwt' }),
  withServerSignedHeader('of no type', { typ: undefined }),
  withServerSignedHeader('under an unknown kid', { kid: randomUUID() }),
  withServerSignedHeader('with an unknown critical extension', { crit: ['gantry'], gantry: true }),
];

/** Valid tokens whose session has since ended. */
function ofEndedSession(title: string, endReason: Exclude<keyof Loot['over'], 'erased'>): Forgery {
  const make = ({ over }: Loot) => over[endReason];
  return { title, make, reason: 'session_ended', endReason, mayAskForStatus: true };
}

const overtaken: readonly Forgery[] = [
  { title: 'a token signed with a key since rotated out', make: ({ retired }) => retired.token },
  {
    title: 'a new token signed with the key that was rotated out',
    make: (loot) => altered(loot, { header: { kid: loot.retired.kid } }, ed25519(loot.retired.privateKey)),
  },
  {
    title: 'a new token signed with the key that was rotated out, under the kid of the current one',
    make: (loot) => altered(loot, {}, ed25519(loot.retired.privateKey)),
  },
  ofEndedSession('the token of a session its player ended', 'ended'),
  ofEndedSession('the token of a session that was revoked', 'revoked'),
  ofEndedSession('the token of a session that another one replaced', 'replaced'),
  ofEndedSession('the token of a banned player', 'banned'),
  { title: 'the token of an erased player', make: ({ over }) => over.erased },
];

const nonTokens: readonly Forgery[] = [
  { title: 'the token cut short', make: ({ token }) => token.slice(0, -10) },
  { title: 'the token without its first character', make: ({ token }) => token.slice(1) },
  { title: 'the token without its signature', make: (loot) => segments(loot).slice(0, 2).join('.') },
  { title: 'the token twice', make: ({ token }) => `${token}${token}` },
  { title: 'the token with a fourth part', make: ({ token }) => `${token}.${token.split('.')[2]}` },
  { title: 'the token with its dots doubled', make: ({ token }) => token.replaceAll('.', '..') },
  { title: 'the token with a trailing dot', make: ({ token }) => `${token}.` },
  { title: 'only dots', make: () => '..' },
  { title: 'the token with a space before it', make: ({ token }) => ` ${token}` },
  { title: 'the token with a trailing line break', make: ({ token }) => `${token}\n` },
  { title: 'the token with spaces around its dots', make: ({ token }) => token.replaceAll('.', ' . ') },
  { title: 'the token with padding', make: ({ token }) => `${token}==` },
  {
    title: 'the token with unused bits set',
    make: ({ token }) => withUnusedBits(token),
  },
  { title: 'the token with a trailing NUL', make: ({ token }) => `${token}\u0000` },
  { title: 'the token as a bearer', make: ({ token }) => `Bearer ${token}` },
  { title: 'the token in capitals', make: ({ token }) => token.toUpperCase() },
  {
    title: 'the token followed by 100 KB',
    make: ({ token }) => `${token}${'A'.repeat(100_000)}`,
    fitsQuery: false,
  },
  {
    title: 'a correctly signed token of 100 KB',
    make: (loot) => altered(loot, { payload: { padding: 'x'.repeat(100_000) } }, ed25519(loot.privateKey)),
    fitsQuery: false,
  },
  { title: 'the game secret', make: ({ gameSecret }) => gameSecret },
  { title: 'nothing', make: () => '', reason: 'token_missing' },
  { title: 'null', make: () => null, reason: 'token_missing', fitsQuery: false },
  { title: 'a space', make: () => ' ' },
  { title: 'white space', make: () => '\t\r\n\u00a0\u2003' },
  { title: 'a number', make: () => 42, fitsQuery: false },
  { title: 'true', make: () => true, fitsQuery: false },
  { title: 'the token in a list', make: ({ token }) => [token], fitsQuery: false },
  { title: 'the token in an object', make: ({ token }) => ({ token }), fitsQuery: false },
  {
    title: 'an object that imitates a string',
    make: ({ token }) => ({ toString: token, length: 3 }),
    fitsQuery: false,
  },
];

/** A valid token made by hand with the right key, as the forgeries above are. */
export function handMade(loot: Loot, payload: JwtObject = { username: 'Somebody else' }): string {
  return altered(loot, { payload }, ed25519(loot.privateKey));
}

/** Tokens that must grant nothing, and the error for each. */
export const forgeries: readonly Forgery[] = [
  ...withInvalidSignature,
  ...validlySignedButStale,
  ...overtaken,
  ...nonTokens,
];
