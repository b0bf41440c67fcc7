import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import * as digest from 'multiformats/hashes/digest';
import { sha256 } from 'multiformats/hashes/sha2';
import { z } from 'zod';
import { GantryError, type Reason } from '../errors.ts';
import { normalizedAddress } from './address.ts';
import { id, timestamp } from './ids.ts';
import { maximumDepth, textNestsTooDeep } from './json-value.ts';
import { text } from './text.ts';

/** The most a state may take, in bytes of UTF-8 (INTERFACE.md section 8). */
export const maximumStateBytes = 1_048_576;

export const stateLabel = text(1, 200);

export const stateRecord = z
  .object({
    _id: id,
    gameId: id,
    ipfsHash: z.string().meta({ description: 'CIDv1 (raw, sha2-256) of the canonical JSON of `state`' }),
    normalizedAddress,
    label: z.string(),
    updatedAt: timestamp,
    state: z.json(),
  })
  .meta({ id: 'StateRecord' });
export type StateRecord = z.infer<typeof stateRecord>;

/**
 * Reads a state sent as a string of JSON.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`
 */
export function parseState(json: string): z.core.util.JSONType {
  refuseLargeState(json);
  if (textNestsTooDeep(json)) {
    throw wrongState('body_too_deep', `nests deeper than ${maximumDepth} levels`);
  }
  try {
    return JSON.parse(json);
  } catch {
    throw wrongState('state_not_json', 'must be a string that contains JSON');
  }
}

/** A key that JavaScript puts before all others, whatever order it was sent in. */
const wholeNumberKey = /"(?:0|[1-9]\d*)":/;

/**
 * The one text that stands for a JSON value, whatever order its keys were sent in: RFC 8785, save that keys
 * that are whole numbers come first, because that is how answers are written, and the text is to be theirs.
 * @throws GantryError `state_too_large`, `state_not_json` (a number too large for a double)
 */
export function canonicalJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = isSorted(value) ? JSON.stringify(value) : canonicalize(value);
  } catch {
    // What is left that cannot be written: a number that JSON.parse read as Infinity.
  }
  if (json === undefined) {
    throw wrongState('state_not_json', 'holds a value that JSON cannot carry, such as 1e999');
  }
  refuseLargeState(json);
  return wholeNumberKey.test(json) ? JSON.stringify(JSON.parse(json)) : json;
}

function refuseLargeState(json: string): void {
  // A string has at most three bytes a UTF-16 unit, so most need no counting.
  if (json.length * 3 <= maximumStateBytes) return;
  if (Buffer.byteLength(json) > maximumStateBytes) {
    throw wrongState('state_too_large', `must be at most ${maximumStateBytes} bytes of UTF-8`);
  }
}

/** Whether every object's keys are in order already: then writing them as they are gives the same text, much faster. */
function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number' || Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isSorted);
  let before = '';
  for (const [key, child] of Object.entries(value)) {
    if (key < before || !isSorted(child)) return false;
    before = key;
  }
  return true;
}

function wrongState(reason: Reason, message: string): GantryError {
  return new GantryError(reason, `state: ${message}`, { fields: [{ path: 'state', message }] });
}

/** The CIDv1 (raw codec, sha2-256) of a text's UTF-8 bytes, as `ipfs block put` prints it. */
export function contentId(json: string): string {
  const hash = createHash('sha256').update(json).digest();
  return CID.createV1(raw.code, digest.create(sha256.code, hash)).toString();
}
