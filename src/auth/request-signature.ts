import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { consumeNonce } from '../games/commands.ts';
import type { GamePolicies } from '../games/game.ts';
import { md5Hex, type SealedSecret, type SecretBox } from '../games/game-secret.ts';
import { sealedSecrets } from '../games/queries.ts';

/** The signing headers of a request, and what they sign; INTERFACE.md section 5 and public/docs/authentication.md, "Signed requests". */
export interface RequestSignature {
  nonce: string | undefined;
  signature: string | undefined;
  /** `X-Request-Timestamp`, not of MD5: Unix time in milliseconds, or in seconds. */
  timestamp: string | undefined;
  method: string;
  /** Path and query, as they were sent. */
  url: string;
  /** `X-Service-Method` */
  serviceMethod: string | undefined;
  /** `X-Launcher-Jwt` */
  launcherJwt: string | undefined;
  /** The body's bytes as they arrived. */
  body: Buffer;
}

const maxNonceLength = 200;
/** How far a signed request's time may be from ours. */
const windowMs = 5 * 60 * 1000;
/** Unix times below this are in seconds: as milliseconds they would lie in 1973. */
const secondsBelow = 100_000_000_000;

type Scheme = 'md5' | 'hmac-sha256' | 'v2';

/** What the header holds in each scheme; anything else is taken for MD5. */
const hmacForm = /^(sha256|v2)=([0-9a-f]{64})$/i;

/** What a game's policy takes of those that are sent. */
const schemesTaken: Readonly<Record<GamePolicies['requireSignature'], readonly Scheme[]>> = {
  no: ['md5', 'hmac-sha256', 'v2'],
  any: ['md5', 'hmac-sha256', 'v2'],
  'hmac-sha256': ['hmac-sha256', 'v2'],
  v2: ['v2'],
};

/** The contract's scheme: hex MD5(nonce + hex MD5(secret)). */
export function md5Signature(nonce: string, secretMd5: string): string {
  return md5Hex(nonce + secretMd5);
}

/** What is signed of the body only: timestamp + "." + nonce + "." + body. */
function bodyText(timestamp: string, nonce: string, { body }: RequestSignature): Buffer {
  return Buffer.concat([Buffer.from(`${timestamp}.${nonce}.`), body]);
}

/**
 * What is signed of the whole request (v2): all that decides what is done, a line each, the body as its hex SHA-256. A
 * header holds no line break, and the text of the scheme before begins with a digit, so none can be read as another.
 */
function wholeText(timestamp: string, nonce: string, signed: RequestSignature): Buffer {
  const { method, url, serviceMethod = '', launcherJwt = '', body } = signed;
  const mark = url.indexOf('?');
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const digest = createHash('sha256').update(body).digest('hex');
  const lines = ['v2', timestamp, nonce, method, path, query, serviceMethod, launcherJwt, digest];
  return Buffer.from(lines.join('\n'));
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
  db: Database,
  box: SecretBox,
): Promise<void> {
  const { nonce, signature } = signed;
  if (!nonce || !signature) {
    throw new GantryError(
      'signature_incomplete',
      'X-Request-Nonce and X-Request-Signature go together: send both, or neither',
    );
  }
  const [, prefix, hmac] = hmacForm.exec(signature) ?? [];
  const scheme = hmac === undefined ? 'md5' : prefix?.toLowerCase() === 'v2' ? 'v2' : 'hmac-sha256';
  const { requireSignature } = game.policies;
  if (!schemesTaken[requireSignature].includes(scheme)) {
    const wanted = requireSignature === 'v2' ? 'v2' : 'sha256';
    throw new GantryError(
      'signature_required',
      `This game wants X-Request-Signature: ${wanted}=<hex HMAC-SHA256> (/docs/authentication#signed-requests)`,
    );
  }
  const secrets = await db.read(sealedSecrets, game.id);
  const right =
    nonce.length <= maxNonceLength &&
    (hmac === undefined
      ? matchesMd5(signature, nonce, secrets, box)
      : matchesHmac(hmac, nonce, scheme === 'v2' ? wholeText : bodyText, signed, secrets, box));
  if (!right) {
    throw new GantryError(
      'signature_invalid',
      "X-Request-Signature does not fit X-Request-Nonce and the game's current secret (/docs/authentication#signed-requests)",
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
