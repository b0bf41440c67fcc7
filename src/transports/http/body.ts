import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { maximumDepth, textNestsTooDeep } from '../../domain/json-value.ts';
import { GantryError } from '../../errors.ts';
import { bodyTooLarge, sendError } from './respond.ts';

/** In bytes; a larger body is not read to its end (DESIGN.md "Errors"). */
export const maximumBodyBytes = 2 * 1024 * 1024;

/** So much of a refused body is still taken in, for a client that sends on before it reads the refusal. */
const toleratedBytes = 4 * maximumBodyBytes;

const readRaw = express.raw({ type: () => true, limit: maximumBodyBytes });

/**
 * Reads the body whatever its content type says: browsers and Unity send JSON as text/plain. One that is too
 * large is refused as soon as that shows; body-parser would read it to its end first.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const refuse = () => {
    if (!response.headersSent) sendError(response, bodyTooLarge());
  };
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maximumBodyBytes) refuse();
    if (received > toleratedBytes) request.destroy();
  });
  if (Number(request.headers['content-length']) > maximumBodyBytes) refuse();
  else readRaw(request, response, next);
};

/**
 * The JSON object in a body that `readBody` has read; an empty body is an empty object.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
 */
export function jsonObjectIn(request: Request): Record<string, unknown> {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new GantryError('body_not_json', 'The request body is not UTF-8');
  const text = bytes.toString('utf8');
  if (textNestsTooDeep(text)) {
    throw new GantryError('body_too_deep', `The request body nests deeper than ${maximumDepth} levels`);
  }
  return asObject(parseJson(text));
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
