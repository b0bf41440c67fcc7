import { createHash } from 'node:crypto';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import * as digest from 'multiformats/hashes/digest';
import { sha256 } from 'multiformats/hashes/sha2';
import { z } from 'zod';
import { GantryError, type Reason } from '../errors.ts';
import { normalizedAddress } from './address.ts';
import { id, timestamp } from './ids.ts';
import { jsonNestsTooDeep, maximumDepth } from './json-value.ts';
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
  const bytes = Buffer.from(json);
  refuseLargeState(bytes.length);
  if (jsonNestsTooDeep(bytes)) {
    throw wrongState('body_too_deep', `nests deeper than ${maximumDepth} levels`);
  }
  try {
    return JSON.parse(json);
  } catch {
    throw wrongState('state_not_json', 'must be a string that contains JSON');
  }
}

/**
 * A JSON value with its keys put in order, and the one text that stands for it, whatever order they were sent in:
 * RFC 8785, save that keys that are whole numbers come first, because that is how JavaScript writes any object,
 * answers included, and the text is to be theirs. The value itself is changed where that serves.
 * @throws GantryError `state_too_large`, `state_not_json` (a number too large for a double)
 */
export function canonicalState(value: unknown): { json: string; state: Json } {
  const state = new Sorter().sorted(value, 0);
  const json = JSON.stringify(state);
  // A string has at most three bytes a UTF-16 unit, so most need no counting.
  if (json.length * 3 > maximumStateBytes) refuseLargeState(Buffer.byteLength(json));
  return { json, state };
}

/** Sorting the keys and letting `JSON.stringify` write them is much faster than writing them ourselves. */
class Sorter {
  /** By depth: the things of a list mostly have the same keys, so the order found last mostly fits the next. */
  readonly #orders: { keys: readonly string[]; ordered: readonly string[] }[] = [];

  sorted(value: unknown, depth: number): Json {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'number' || Number.isFinite(value))
        return value as string | number | boolean | null;
      throw wrongState('state_not_json', 'holds a value that JSON cannot carry, such as 1e999');
    }
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) value[index] = this.sorted(item, depth + 1);
      return value;
    }
    const object: Record<string, Json> = {};
    for (const key of this.#order(Object.keys(value), depth)) {
      const child = this.sorted(Reflect.get(value, key), depth + 1);
      // Set like any other, this one would become the object's prototype.
      if (key === '__proto__') Object.defineProperty(object, key, { value: child, enumerable: true });
      else object[key] = child;
    }
    return object;
  }

  #order(keys: readonly string[], depth: number): readonly string[] {
    const last = this.#orders[depth];
    if (last?.keys.length === keys.length && last.keys.every((key, index) => key === keys[index])) {
      return last.ordered;
    }
    const ordered = keys.toSorted();
    this.#orders[depth] = { keys, ordered };
    return ordered;
  }
}

function refuseLargeState(bytes: number): void {
  if (bytes > maximumStateBytes) {
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
