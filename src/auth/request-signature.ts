import { createHmac, timingSafeEqual } from 'node:crypto';
import type { GamePolicies } from '../domain/game.ts';
import { GantryError } from '../errors.ts';
import type { SealedSecret, Store } from '../store/store.ts';
import { md5Hex, type SecretBox } from './game-secret.ts';

/** The signing headers of a request, and what they sign; INTERFACE.md section 5. */
export interface RequestSignature {
  nonce: string | undefined;
  signature: string | undefined;
  /** `X-Request-Timestamp`, of the HMAC scheme only: Unix time in milliseconds, or in seconds. */
  timestamp: string | undefined;
  /** The body's bytes as they arrived. */
  body: Buffer;
}

const maximumNonceLength = 200;
/** How far a signed request's time may be from ours. */
const windowMs = 5 * 60 * 1000;
/** Unix times below this are in seconds: as milliseconds they would lie in 1973. */
const secondsBelow = 100_000_000_000;

const hmacForm = /^sha256=([0-9a-f]{64})$/i;

/** The contract's scheme: hex MD5(nonce + hex MD5(secret)). */
export function md5Signature(nonce: string, secretMd5: string): string {
  return md5Hex(nonce + secretMd5);
}

/** The strong scheme: hex HMAC-SHA256(secret, timestamp + "." + nonce + "." + body). */
export function hmacSignature(secret: string, timestamp: string, nonce: string, body: Buffer): string {
  return createHmac('sha256', secret).update(`${timestamp}.${nonce}.`).update(body).digest('hex');
}

/** Whether the request carries anything of a signature. */
export function isSigned({ nonce, signature, timestamp }: RequestSignature): boolean {
  return nonce !== undefined || signature !== undefined || timestamp !== undefined;
}

/**
 * Checks a request's signature against every secret of the game that still works, then marks its nonce as
 * seen, durably. The MD5 scheme carries no time, so a nonce stays seen until the secrets it could be signed
 * with are gone.
 * @throws GantryError `signature_incomplete`, `signature_required`, `signature_invalid`, `nonce_replayed`
 */
export async function checkRequestSignature(
  signed: RequestSignature,
  game: { id: string; policies: Pick<GamePolicies, 'requireSignature'> },
  store: Store,
  box: SecretBox,
): Promise<void> {
  const { nonce, signature } = signed;
  if (!nonce || !signature) {
    throw new GantryError(
      'signature_incomplete',
      'X-Request-Nonce and X-Request-Signature go together: send both, or neither',
    );
  }
  const hmac = hmacForm.exec(signature)?.[1];
  if (hmac === undefined && game.policies.requireSignature === 'hmac-sha256') {
    throw new GantryError(
      'signature_required',
      'This game wants X-Request-Signature: sha256=<hex HMAC-SHA256>',
    );
  }
  const secrets = await store.games.sealedSecrets(game.id);
  const right =
    nonce.length <= maximumNonceLength &&
    (hmac === undefined
      ? matchesMd5(signature, nonce, secrets, box)
      : matchesHmac(hmac, nonce, signed, secrets, box));
  if (!right) {
    throw new GantryError(
      'signature_invalid',
      'X-Request-Signature does not fit X-Request-Nonce and the game\'s current secret (README, "Signed requests")',
    );
  }
  await store.games.consumeNonce(game.id, nonce);
}

function matchesMd5(
  signature: string,
  nonce: string,
  secrets: readonly SealedSecret[],
  box: SecretBox,
): boolean {
  return secrets.some(({ sealedMd5 }) =>
    isSame(signature.toLowerCase(), md5Signature(nonce, box.open(sealedMd5))),
  );
}

function matchesHmac(
  hmac: string,
  nonce: string,
  { timestamp, body }: RequestSignature,
  secrets: readonly SealedSecret[],
  box: SecretBox,
): boolean {
  if (timestamp === undefined || !isNow(timestamp)) return false;
  return secrets.some(({ sealedSecret }) =>
    isSame(hmac.toLowerCase(), hmacSignature(box.open(sealedSecret), timestamp, nonce, body)),
  );
}

/** @throws GantryError `signature_invalid` with its own words, because a wrong clock is a common cause */
function isNow(timestamp: string): boolean {
  const value = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const at = value < secondsBelow ? value * 1000 : value;
  if (Math.abs(Date.now() - at) <= windowMs) return true;
  throw new GantryError(
    'signature_invalid',
    'X-Request-Timestamp must be the Unix time of the request, at most 5 minutes from now',
  );
}

/** `timingSafeEqual` for texts, which throws on unequal lengths; the length is no secret here. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
