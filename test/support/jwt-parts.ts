import { type KeyObject, sign } from 'node:crypto';

export type JwtObject = Record<string, unknown>;

/** A token's claims, read without verifying anything. */
export function readJwt(token: string): { header: JwtObject; payload: JwtObject; signature: string } {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return { header: decoded(header), payload: decoded(payload), signature };
}

/** A token assembled by hand (RFC 7515 compact form), for tokens that no library would make. */
export function makeJwt(
  header: JwtObject,
  payload: JwtObject,
  signWith: (signingInput: string) => Buffer,
): string {
  const signingInput = `${encoded(header)}.${encoded(payload)}`;
  return `${signingInput}.${signWith(signingInput).toString('base64url')}`;
}

/** Signs like `alg: EdDSA`. */
export function ed25519(key: KeyObject): (signingInput: string) => Buffer {
  return (signingInput) => sign(null, Buffer.from(signingInput), key);
}

export function encoded(value: JwtObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(segment: string): JwtObject {
  return JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
}
