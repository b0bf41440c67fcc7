import { v7, validate, version } from 'uuid';

/** Random bytes are read in blocks: the system call costs ten times as much as the rest of an id. */
const poolBytes = 16 * 256;
const idBytes = 16;
const pool = new Uint8Array(poolBytes);
let poolUsed = poolBytes;

/** Reused buffers for an id's bytes and text (32 digits, four hyphens); the library allocates twenty strings per id. */
const idBuffer = new Uint8Array(idBytes);
const text = Buffer.alloc(36, '-');
const digits = Buffer.from('0123456789abcdef');

/** Time and counter of the last id; ids within a millisecond increment the counter from a random start. */
const last = { at: 0, count: 0 };

/**
 * A new record id: a UUIDv7 (RFC 9562), so that ids from one process sort by creation time; those of several, if `now`
 * is from a clock that they share. Unix milliseconds.
 */
export function newId(now = Date.now()): string {
  if (poolUsed === poolBytes) {
    crypto.getRandomValues(pool);
    poolUsed = 0;
  }
  const random = pool.subarray(poolUsed, poolUsed + idBytes);
  poolUsed += idBytes;
  if (now > last.at) {
    last.at = now;
    // The top bit is cleared, so that the counter does not overflow within a millisecond.
    last.count = new DataView(random.buffer, random.byteOffset).getUint32(6) & 0x7fff_ffff;
  } else {
    last.count++;
  }
  v7({ random, msecs: last.at, seq: last.count }, idBuffer);
  return textOf(idBuffer);
}

function textOf(id: Uint8Array): string {
  let at = 0;
  for (let index = 0; index < idBytes; index++) {
    if (at === 8 || at === 13 || at === 18 || at === 23) at++;
    const byte = id[index] ?? 0;
    text[at++] = digits[byte >> 4] ?? 0;
    text[at++] = digits[byte & 15] ?? 0;
  }
  return text.toString('latin1');
}

/**
 * Makes all further ids sort after this one, which an earlier process may have created, even if the system clock has
 * been set back since.
 */
export function makeIdsAfter(earlier: string): void {
  if (!validate(earlier) || version(earlier) !== 7) return;
  const at = Number.parseInt(earlier.slice(0, 8) + earlier.slice(9, 13), 16);
  if (at < last.at) return;
  last.at = at + 1;
  last.count = 0;
}

/** The nil UUID (RFC 9562, section 5.9): no record has it as its id, and it sorts before all others. */
export const nilId = '00000000-0000-0000-0000-000000000000';

const canonicalUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a value is a UUID in its canonical form: lowercase, with hyphens. */
export function isCanonicalUuid(value: unknown): boolean {
  return typeof value === 'string' && canonicalUuid.test(value);
}

/**
 * Converts an id from a request to a valid statement parameter: text that is not a canonical UUID becomes the nil id.
 * PostgreSQL rejects comparing a uuid with other text, and would accept other spellings, which are unknown ids here.
 */
export function comparableId(id: string): string {
  return isCanonicalUuid(id) ? id : nilId;
}
