import { createHash } from 'node:crypto';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import * as digest from 'multiformats/hashes/digest';
import { sha256 } from 'multiformats/hashes/sha2';
import { z } from 'zod';
import { type GantryError, invalidField, type Reason } from '../../core/errors.ts';
import { id, normalizedAddress, text, timestamp } from '../../core/schemas/fields.ts';
import { maxDepth, valueNestsTooDeep } from '../../core/schemas/json-value.ts';
import { refuseRoundedText } from '../../core/schemas/rounded-number.ts';
import { notSeen, seenByOthers } from '../../core/schemas/seen-text.ts';
import type { StateRow } from './tables.ts';

/** Maximum size of a state, in bytes of UTF-8 (INTERFACE.md section 8). */
export const maxStateBytes = 1_048_576;

type Json = z.core.util.JSONType;

export const stateLabel = notSeen(text(1, 200), 'id');
/** The label of a state that is written: others see it once the state is public. */
export const writtenStateLabel = seenByOthers(text(1, 200), {
  as: 'name',
  mute: 'command',
  when: (write) => write.public === true,
});

export const stateRecord = z
  .object({
    _id: id,
    gameId: id,
    ipfsHash: z.string().meta({ description: 'CIDv1 (raw, sha2-256) of the canonical JSON of `state`' }),
    normalizedAddress,
    label: z.string(),
    updatedAt: timestamp,
    version: z.int().min(1).meta({ description: 'Increases with every write; for use in `ifVersion`' }),
    public: z
      .exactOptional(z.literal(true))
      .meta({ description: 'True if other players of the game can read the state; otherwise omitted' }),
    state: z.json(),
  })
  .meta({ id: 'StateRecord' });
export type StateRecord = z.infer<typeof stateRecord>;
/** A state without its content. */
export const stateHead = stateRecord.omit({ state: true }).meta({ id: 'StateHead' });
export type StateHead = z.infer<typeof stateHead>;

/** A state in its stored form. */
export interface CanonicalState {
  json: string;
  ipfsHash: string;
}

/**
 * Reads a state sent as text. `path`: path of the field it was sent in, for errors.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`, `number_not_exact`
 */
export function readState(text: string, path = 'state'): CanonicalState {
  const { json, mayBeRounded } = canonicalState(parseJson(text, path), path);
  if (mayBeRounded) refuseRoundedText(text, path);
  return { json, ipfsHash: contentId(json) };
}

/**
 * Canonicalizes a state sent as a value, which may be modified in place. `depth`: its nesting depth in the request.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`
 */
export function toCanonicalState(value: unknown, path?: string, depth = 0): CanonicalState {
  const { json } = canonicalState(value, path, depth);
  return { json, ipfsHash: contentId(json) };
}

/**
 * Parses a state sent as a JSON string.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`
 */
export function parseState(json: string, path?: string): Json {
  const state = parseJson(json, path);
  if (valueNestsTooDeep(state)) throw tooDeep(path);
  return state;
}

/** `JSON.parse` accepts any depth; callers must check it. @throws GantryError `state_too_large`, `state_not_json` */
function parseJson(json: string, path?: string): Json {
  refuseLargeState(Buffer.byteLength(json), path);
  try {
    return JSON.parse(json);
  } catch {
    throw invalidState('state_not_json', 'must be a string that contains JSON', path);
  }
}

/**
 * Sorts a JSON value's keys and serializes it, so that equal values have the same text whatever their key order: RFC
 * 8785, except that integer keys come first, because JavaScript serializes every object that way, and the stored text
 * must match that of responses. The value may be modified in place. `depth`: its nesting depth in the request.
 * `mayBeRounded`: it has a whole number that may have been another one in the text that it was read from.
 * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json` (a number too large for a double)
 */
export function canonicalState(
  value: unknown,
  path?: string,
  depth = 0,
): { json: string; state: Json; mayBeRounded: boolean } {
  const sorter = new Sorter(path);
  const state = sorter.sorted(value, depth);
  const json = JSON.stringify(state);
  // UTF-8 takes at most three bytes per UTF-16 unit, so most strings need no counting.
  if (json.length * 3 > maxStateBytes) refuseLargeState(Buffer.byteLength(json), path);
  return { json, state, mayBeRounded: sorter.hasLargeNumber };
}

/** An object's keys as they are, and sorted. */
interface Order {
  keys: readonly string[];
  ordered: readonly string[];
  isInOrder: boolean;
}

/** Sorting the keys and calling `JSON.stringify` is much faster than a custom serializer. */
class Sorter {
  /** Whether a number beyond ±(2^53 − 1) was sorted. */
  hasLargeNumber = false;
  /**
   * The last order by depth: the elements of an array usually have the same keys, so it usually fits the next object.
   */
  readonly #orders: Order[] = [];
  readonly #path: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  sorted(value: unknown, depth: number): Json {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER)
        return value as string | number | boolean | null;
      this.hasLargeNumber = true;
      if (Number.isFinite(value)) return value;
      throw invalidState(
        'state_not_json',
        'contains a value that JSON cannot represent, such as 1e999',
        this.#path,
      );
    }
    if (depth >= maxDepth) throw tooDeep(this.#path);
    const container = value as Record<string | number, Json>;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) this.#sortChild(container, index, depth);
      return container;
    }
    const { ordered, isInOrder } = this.#order(Object.keys(value), depth);
    if (!isInOrder) return this.#reordered(container, ordered, depth);
    for (const key of ordered) this.#sortChild(container, key, depth);
    return container;
  }

  /** Most children are unchanged, and assigning them again would take as long as visiting them. */
  #sortChild(container: Record<string | number, Json>, key: string | number, depth: number): void {
    const child = container[key];
    const sorted = this.sorted(child, depth + 1);
    if (sorted !== child) setOwn(container, key, sorted);
  }

  #reordered(object: Record<string, Json>, keys: readonly string[], depth: number): Json {
    const sorted: Record<string, Json> = {};
    for (const key of keys) setOwn(sorted, key, this.sorted(object[key], depth + 1));
    return sorted;
  }

  #order(keys: readonly string[], depth: number): Order {
    const last = this.#orders[depth];
    if (last?.keys.length === keys.length && last.keys.every((key, index) => key === keys[index])) {
      return last;
    }
    const ordered = keys.toSorted();
    const order = { keys, ordered, isInOrder: ordered.every((key, index) => key === keys[index]) };
    this.#orders[depth] = order;
    return order;
  }
}

/** Sets an own property of an object that was read from JSON, whatever its name. */
export function setOwn(object: Record<string | number, Json>, key: string | number, value: Json): void {
  // A plain assignment would set the object's prototype.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function refuseLargeState(bytes: number, path: string | undefined): void {
  if (bytes > maxStateBytes) {
    throw invalidState('state_too_large', `must be at most ${maxStateBytes} bytes of UTF-8`, path);
  }
}

function tooDeep(path: string | undefined): GantryError {
  return invalidState('body_too_deep', `nests deeper than ${maxDepth} levels`, path);
}

function invalidState(reason: Reason, message: string, path = 'state'): GantryError {
  return invalidField(path, message, reason);
}

/** The CIDv1 (raw codec, sha2-256) of a text's UTF-8 bytes, as `ipfs block put` prints it. */
export function contentId(json: string): string {
  const hash = createHash('sha256').update(json).digest();
  return CID.createV1(raw.code, digest.create(sha256.code, hash)).toString();
}

/** A state as stored: `json` is its canonical text, which responses include verbatim. */
export interface StoredState extends StateHead {
  json: string;
}

export interface StateSummary extends StateHead {
  /** Size of the canonical JSON in UTF-8. */
  bytes: number;
}

export function toStoredState({ json, ...row }: StateRow): StoredState {
  return { ...toHead(row), json };
}

/** A state without its content. */
export function toHead(row: Omit<StateRow, 'json' | 'revision'>): StateHead {
  return {
    _id: row.id,
    gameId: row.gameId,
    ipfsHash: row.ipfsHash,
    normalizedAddress: row.wallet,
    label: row.label,
    updatedAt: row.updatedAt,
    version: row.version,
    ...(row.isPrivate === null && { public: true }),
  };
}
