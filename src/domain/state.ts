import { createHash } from 'node:crypto';
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

type Json = z.core.util.JSONType;

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
export function parseState(json: string): Json {
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

/**
 * A JSON value with its keys in order, and the one text that stands for it, whatever order they were sent in:
 * RFC 8785, save that keys that are whole numbers come first, because that is how JavaScript writes any object,
 * answers included, and the text is to be theirs.
 * @throws GantryError `state_too_large`, `state_not_json` (a number too large for a double)
 */
export function canonicalState(value: unknown): { json: string; state: Json } {
  const state = sorted(value);
  const json = JSON.stringify(state);
  refuseLargeState(json);
  return { json, state };
}

/** Sorting the keys and letting `JSON.stringify` write them is much faster than writing them ourselves. */
function sorted(value: unknown): Json {
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'number' || Number.isFinite(value)) return value as string | number | boolean | null;
    throw wrongState('state_not_json', 'holds a value that JSON cannot carry, such as 1e999');
  }
  if (Array.isArray(value)) return value.map(sorted);
  const object: Record<string, Json> = {};
  for (const key of Object.keys(value).sort()) {
    const child = sorted(Reflect.get(value, key));
    // Set like any other, this one would become the object's prototype.
    if (key === '__proto__') Object.defineProperty(object, key, { value: child, enumerable: true });
    else object[key] = child;
  }
  return object;
}

function refuseLargeState(json: string): void {
  // A string has at most three bytes a UTF-16 unit, so most need no counting.
  if (json.length * 3 <= maximumStateBytes) return;
  if (Buffer.byteLength(json) > maximumStateBytes) {
    throw wrongState('state_too_large', `must be at most ${maximumStateBytes} bytes of UTF-8`);
  }
}

function wrongState(reason: Reason, message: string): GantryError {
  return new GantryError(reason, `state: ${message}`, { fields: [{ path: 'state', message }] });
}

/** The CIDv1 (raw codec, sha2-256) of a text's UTF-8 bytes, as `ipfs block put` prints it. */
export function contentId(json: string): string {
  const hash = createHash('sha256').update(json).digest();
  return CID.createV1(raw.code, digest.create(sha256.code, hash)).toString();
}
