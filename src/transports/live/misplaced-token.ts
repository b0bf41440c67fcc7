import { GantryError } from '../../core/errors.ts';

/** A JSON Web Token, possibly as in an `Authorization` header. */
const token = /^(?:Bearer +)?eyJ[\w-]+\.[\w-]+\.[\w-]+$/i;

/** The field of a handshake's `auth` that holds what looks like a token; undefined when none does. */
export function placeOfToken(auth: Readonly<Record<string, unknown>>): string | undefined {
  const field = Object.keys(auth).find((name) => isToken(auth[name]));
  return field && `as auth.${field}`;
}

export function isToken(value: unknown): boolean {
  return typeof value === 'string' && token.test(value);
}

/**
 * A socket without a token receives no events and no error: one whose client sent its token in another place is told.
 * @throws GantryError `token_missing` unless the place is undefined
 */
export function refuseMisplacedToken(place: string | undefined): void {
  if (place === undefined) return;
  throw new GantryError('token_missing', `The token was sent ${place}: send it as auth.launcherJwt`);
}
