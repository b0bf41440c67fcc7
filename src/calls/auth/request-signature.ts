import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { consumeNonce } from '../../features/games/commands.ts';
import type { GamePolicies } from '../../features/games/game.ts';
import { md5Hex, type SealedSecret, type SecretBox } from '../../features/games/game-secret.ts';
import { sealedSecrets } from '../../features/games/queries.ts';

/**
 * The signing headers of a request and what they sign; INTERFACE.md section 5 and public/docs/authentication.md,
 * "Signed requests".
 */
export interface RequestSignature {
  nonce: string | undefined;
  signature: string | undefined;
  /** `X-Request-Timestamp`, not used by MD5: Unix time in milliseconds or seconds. */
  timestamp: string | undefined;
  method: string;
  /** Path and query as received. */
  url: string;
  /** `X-Service-Method` */
  serviceMethod: string | undefined;
  /** `X-Launcher-Jwt` */
  launcherJwt: string | undefined;
  /** The body's bytes as received. */
  body: Buffer;
}

const maxNonceLength = 200;
/** The maximum difference between a signed request's time and the server's clock. */
const windowMs = 5 * 60 * 1000;
/** Unix times below this are in seconds: as milliseconds they would be in 1973 or earlier. */
const secondsBelow = 100_000_000_000;

type Scheme = 'md5' | 'hmac-sha256' | 'v2';

/** The header's format in the HMAC schemes; anything else is treated as MD5. */
const hmacForm = /^(sha256|v2)=([0-9a-f]{64})$/i;

/** The schemes that each value of a game's policy accepts. */
const acceptedSchemes: Readonly<Record<GamePolicies['requireSignature'], readonly Scheme[]>> = {
  no: ['md5', 'hmac-sha256', 'v2'],
  any: ['md5', 'hmac-sha256', 'v2'],
  'hmac-sha256': ['hmac-sha256', 'v2'],
  v2: ['v2'],
};

/** The contract's scheme: hex MD5(nonce + hex MD5(secret)). */
export function md5Signature(nonce: string, secretMd5: string): string {
  return md5Hex(nonce + secretMd5);
}

/** The signed text of `hmac-sha256`, which covers only the body: timestamp + "." + nonce + "." + body. */
function bodyText(timestamp: string, nonce: string, { body }: RequestSignature): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}.${nonce}.`), body]);
}

/**
 * The signed text of `v2`, which covers the whole request: everything that determines its effect, one line each, with
 * the body as its hex SHA-256. Headers contain no line breaks, and the text of `hmac-sha256` begins with a digit, so
 * the texts are unambiguous.
 */
function requestText(timestamp: string, nonce: string, signed: RequestSignature): Buffer {
  const { method, url, serviceMethod = '', launcherJwt = '', body } = signed;
  const mark = url.indexOf('?');
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const digest = createHash('sha256').update(body).digest('hex');
  const lines = ['v2', timestamp, nonce, method, path, query, serviceMethod, launcherJwt, digest];
  return Buffer.from(lines.join('\n'));
}

/** Whether the request has any of the signing headers. */
export function isSigned({ nonce, signature, timestamp }: RequestSignature): boolean {
  return nonce !== undefined || signature !== undefined || timestamp !== undefined;
}

/**
 * Verifies a request's signature against all of the game's valid secrets, then durably records its nonce as used. The
 * MD5 scheme has no timestamp, so a nonce stays recorded until every secret it could be signed with is gone.
 * @throws GantryError `signature_incomplete`, `signature_required`, `signature_invalid`, `nonce_replayed`
 */
export async function checkRequestSignature(
  signed: RequestSignature,
  game: { id: string; policies: Pick<GamePolicies, 'requireSignature'> },
  db: Store,
  box: SecretBox,
): Promise<void> {
  const { nonce, signature } = signed;
  if (!nonce || !signature) {
    throw new GantryError(
      'signature_incomplete',
      'X-Request-Nonce and X-Request-Signature must be sent together',
    );
  }
  const [, prefix, hmac] = hmacForm.exec(signature) ?? [];
  const scheme = hmac === undefined ? 'md5' : prefix?.toLowerCase() === 'v2' ? 'v2' : 'hmac-sha256';
  const { requireSignature } = game.policies;
  if (!acceptedSchemes[requireSignature].includes(scheme)) {
    const required = requireSignature === 'v2' ? 'v2' : 'sha256';
    throw new GantryError(
      'signature_required',
      `This game requires X-Request-Signature: ${required}=<hex HMAC-SHA256> (/docs/authentication#signed-requests)`,
    );
  }
  const secrets = await db.read(sealedSecrets, game.id);
  const isValid =
    nonce.length <= maxNonceLength &&
    (hmac === undefined
      ? matchesMd5(signature, nonce, secrets, box)
      : matchesHmac(hmac, nonce, scheme === 'v2' ? requestText : bodyText, signed, secrets, box));
  if (!isValid) {
    throw new GantryError(
      'signature_invalid',
      "X-Request-Signature does not match X-Request-Nonce and the game's current secret (/docs/authentication#signed-requests)",
    );
  }
  await db.write(consumeNonce, game.id, nonce);
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
  textOf: (timestamp: string, nonce: string, signed: RequestSignature) => Buffer,
  signed: RequestSignature,
  secrets: readonly SealedSecret[],
  box: SecretBox,
): boolean {
  const { timestamp } = signed;
  if (timestamp === undefined || !isNow(timestamp)) return false;
  const text = textOf(timestamp, nonce, signed);
  return secrets.some(({ sealedSecret }) =>
    isSame(hmac.toLowerCase(), createHmac('sha256', box.open(sealedSecret)).update(text).digest('hex')),
  );
}

/** @throws GantryError `signature_invalid` with a specific message, because a wrong clock is a common cause */
function isNow(timestamp: string): boolean {
  const value = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const at = value < secondsBelow ? value * 1000 : value;
  if (Math.abs(Date.now() - at) <= windowMs) return true;
  throw new GantryError(
    'signature_invalid',
    'X-Request-Timestamp must be the Unix time of the request, at most 5 minutes from now',
  );
}

/** Compares strings in constant time. `timingSafeEqual` throws on unequal lengths, and the length is no secret here. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
