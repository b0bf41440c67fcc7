import { isAscii, isUtf8 } from 'node:buffer';
import { GantryError } from '../errors.ts';
import { jsonNestsTooDeep, maxDepth } from './json-value.ts';
import { refuseRoundedInput } from './rounded-number.ts';

/**
 * The JSON object in a body; an empty body is an empty object, and a byte order mark before it is skipped (RFC 8259
 * section 8.1 allows it): some clients' libraries write one.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`, `number_not_exact`
 */
export function jsonObjectIn(body: Buffer): Record<string, unknown> {
  if (jsonNestsTooDeep(withoutMark(body))) {
    throw new GantryError('body_too_deep', `The request body nests deeper than ${maxDepth} levels`);
  }
  return jsonObjectOfAnyDepth(body);
}

/**
 * The same without a depth check, for callers that bound the depth themselves.
 * @throws GantryError `body_not_json`, `body_not_object`, `number_not_exact`
 */
export function jsonObjectOfAnyDepth(body: Buffer): Record<string, unknown> {
  const bytes = withoutMark(body);
  if (bytes.length === 0) return {};
  const ascii = isAscii(bytes); // Node decodes latin1 faster
  if (!ascii && !isUtf8(bytes)) throw new GantryError('body_not_json', 'The request body is not UTF-8');
  const text = bytes.toString(ascii ? 'latin1' : 'utf8');
  const object = asObject(parseJson(text));
  refuseRoundedInput(text);
  return object;
}

/**
 * The JSON array in these bytes, one of whose elements is an input that may nest as deep as the object of a body.
 * @throws GantryError `body_not_json`, `body_too_deep`, `number_not_exact`
 */
export function jsonListIn(bytes: Buffer): unknown[] {
  if (jsonNestsTooDeep(bytes, maxDepth + 1)) {
    throw new GantryError('body_too_deep', `The data nests deeper than ${maxDepth} levels`);
  }
  const text = bytes.toString();
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new GantryError('body_not_json', 'The call must be a list');
  refuseRoundedInput(text, 1);
  return value;
}

/** The text, when a body is a JSON string; null: it is something else. @throws GantryError `body_not_json` */
export function jsonTextIn(body: Buffer): string | null {
  const bytes = withoutMark(body);
  if (bytes[0] !== 0x22 || !isUtf8(bytes)) return null;
  const value = parseJson(bytes.toString());
  return typeof value === 'string' ? value : null;
}

function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** @throws GantryError `body_not_object` */
export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new GantryError('body_not_object', 'The input must be a JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GantryError('body_not_json', 'The request body is not JSON');
  }
}
