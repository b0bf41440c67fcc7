import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { GantryError } from '../../core/errors.ts';

/** A body that was URL-encoded: JSON, or the fields of a form, which are all texts. */
export type DecodedForm = { json: Buffer } | { fields: Record<string, unknown> };

/**
 * Decodes a body of the type `application/x-www-form-urlencoded`: a form's fields, or JSON that was encoded as a whole,
 * as `UnityWebRequest.Post(url, text)` sends it. Null for any other body, and for JSON sent as such, which curl and others
 * label with this type.
 * @throws GantryError `body_not_json`
 */
export function decodeForm(
  { 'content-type': type = '' }: IncomingHttpHeaders,
  body: Buffer,
): DecodedForm | null {
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return null;
  if (/^%7b/i.test(body.toString('latin1', 0, 3))) return { json: Buffer.from(decoded(body.toString())) };
  const isForm = /^[\w.$-]+=/.test(body.toString('latin1', 0, maxNameLength));
  return isForm ? { fields: { ...parseForm(body.toString()) } } : null;
}

const maxNameLength = 200;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new GantryError('body_not_json', 'The request body is not JSON: its URL encoding is malformed');
  }
}
