import { timingSafeEqual } from 'node:crypto';
import { GantryError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { md5Hex, type SecretBox } from './game-secret.ts';

/** The signing headers of a request; INTERFACE.md section 5. */
export interface RequestSignature {
  nonce: string | undefined;
  signature: string | undefined;
}

const maximumNonceLength = 200;

/** What `X-Request-Signature` must be: hex MD5(nonce + hex MD5(secret)). */
export function signatureFor(nonce: string, secretMd5: string): string {
  return md5Hex(nonce + secretMd5);
}

/**
 * Checks a request's signature against every secret of the game that still works, then marks its nonce as
 * seen, durably. The scheme carries no time, so a nonce stays seen until the secrets it could be signed
 * with are gone.
 * @throws GantryError `signature_incomplete`, `signature_invalid`, `nonce_replayed`
 */
export async function checkRequestSignature(
  { nonce, signature }: RequestSignature,
  gameId: string,
  store: Store,
  box: SecretBox,
): Promise<void> {
  if (!nonce || !signature) {
    throw new GantryError(
      'signature_incomplete',
      'X-Request-Nonce and X-Request-Signature go together: send both, or neither',
    );
  }
  const sealed = await store.games.sealedMd5s(gameId);
  const right =
    nonce.length <= maximumNonceLength &&
    sealed.some((one) => isSame(signature.toLowerCase(), signatureFor(nonce, box.open(one))));
  if (!right) {
    throw new GantryError(
      'signature_invalid',
      "X-Request-Signature must be hex MD5(X-Request-Nonce + hex MD5(secret)), with the game's current secret",
    );
  }
  await store.games.consumeNonce(gameId, nonce);
}

/** `timingSafeEqual` for texts, which throws on unequal lengths; the length is no secret here. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
