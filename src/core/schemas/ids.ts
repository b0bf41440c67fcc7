import { v7, validate, version } from 'uuid';
import { z } from 'zod';

/** Random bytes asked for at a time: the system call costs ten times the id. */
const poolBytes = 16 * 256;
const idBytes = 16;
const pool = new Uint8Array(poolBytes);
let poolUsed = poolBytes;

/** The id that is being made, and its text: 32 digits and four hyphens, for which the library makes twenty strings. */
const made = new Uint8Array(idBytes);
const text = Buffer.alloc(36, '-');
const digits = Buffer.from('0123456789abcdef');

/** Where the last id stood in time; ids of the same millisecond count on from a random start. */
const last = { at: 0, count: 0 };

/** A new record id: a UUIDv7 (RFC 9562), so that ids made by one process sort by the time they were made. */
export function newId(): string {
  if (poolUsed === poolBytes) {
    crypto.getRandomValues(pool);
    poolUsed = 0;
  }
  const random = pool.subarray(poolUsed, poolUsed + idBytes);
  poolUsed += idBytes;
  const now = Date.now();
  if (now > last.at) {
    last.at = now;
    // The top bit is left clear, so that counting on does not run over within a millisecond.
    last.count = new DataView(random.buffer, random.byteOffset).getUint32(6) & 0x7fff_ffff;
  } else {
    last.count++;
  }
  v7({ random, msecs: last.at, seq: last.count }, made);
  return textOf(made);
}

function textOf(id: Uint8Array): string {
  let at = 0;
  for (let place = 0; place < idBytes; place++) {
    if (at === 8 || at === 13 || at === 18 || at === 23) at++;
    const byte = id[place] ?? 0;
    text[at++] = digits[byte >> 4] ?? 0;
    text[at++] = digits[byte & 15] ?? 0;
  }
  return text.toString('latin1');
}

/**
 * Has the ids that are made from now on sort after this one, which an earlier process may have made, though the
 * machine's clock has been set back since.
 */
export function makeIdsAfter(earlier: string): void {
  if (!validate(earlier) || version(earlier) !== 7) return;
  const at = Number.parseInt(earlier.slice(0, 8) + earlier.slice(9, 13), 16);
  if (at < last.at) return;
  last.at = at + 1;
  last.count = 0;
}

/** An id in an answer. */
export const id = z.string().meta({ description: 'Id (UUIDv7)' });

/** An id in a request. Bounded only, so that an unknown id and a malformed one get the same answer. */
export const idInput = z.string().min(1).max(200);

/** An id in a file that another server has written, and anybody may have changed since. */
export const idElsewhere = z.uuidv7('must be a UUIDv7');

/** The id that no record has (RFC 9562, section 5.9), and which sorts before all others. */
export const nilId = '00000000-0000-0000-0000-000000000000';

const asStored = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * An id from outside as a statement can be given it: one that no record can have is the nil id. PostgreSQL refuses to
 * compare its ids with any other text, and takes those of other spellings, which are unknown ids here, for the same.
 */
export function comparableId(id: string): string {
  return asStored.test(id) ? id : nilId;
}

/** A moment, in milliseconds since the Unix epoch. */
export const timestamp = z.int().meta({ description: 'Unix time in milliseconds', format: 'int64' });
