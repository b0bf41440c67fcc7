import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type Response } from 'express';
import { jsonNestsTooDeep, maximumDepth } from '../../domain/json-value.ts';
import { GantryError } from '../../errors.ts';
import { bodyTooLarge, sendError } from './respond.ts';

/** In bytes; a larger body is not read to its end (DESIGN.md "Errors"). */
export const maximumBodyBytes = 2 * 1024 * 1024;

/** So much of a refused body is still taken in, for a client that sends on before it reads the refusal. */
const toleratedBytes = 4 * maximumBodyBytes;

const readEncoded = express.raw({ type: () => true, limit: maximumBodyBytes });

/**
 * Reads the body whatever its content type says: browsers and Unity send JSON as text/plain. One that is too
 * large is answered as soon as that shows, and null is returned; so it is when the request was broken off.
 * @throws GantryError `body_not_json` when it cannot be decoded
 */
export function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const refuse = () => {
      if (!response.headersSent) sendError(response, bodyTooLarge());
      resolve(null);
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maximumBodyBytes) refuse();
      else chunks.push(chunk);
      if (received > toleratedBytes) request.destroy();
    });
    if (Number(request.headers['content-length']) > maximumBodyBytes) return refuse();
    if (isEncoded(request)) {
      decode(request, response).then(resolve, reject);
      return;
    }
    request.once('end', () => {
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
    });
    request.once('close', () => resolve(null));
    request.once('error', () => resolve(null));
  });
}

function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

/** A compressed body, by Express's parser. */
function decode(request: IncomingMessage, response: ServerResponse): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    readEncoded(request as Request, response as Response, (thrown?: unknown) => {
      if (thrown !== undefined) return reject(fromBodyParser(thrown));
      const { body } = request as Request;
      resolve(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    });
  });
}

/** What body-parser throws when a request cannot be read. */
function fromBodyParser(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return thrown;
  if (thrown.status === 413) return bodyTooLarge();
  if (thrown.status >= 500) return thrown;
  return new GantryError(
    'body_not_json',
    'The request body could not be read: it was cut short or is encoded in an unknown way',
  );
}

/**
 * The JSON object in a body; an empty body is an empty object.
 * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
 */
export function jsonObjectIn(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const ascii = isAscii(bytes); // which Node reads faster
  if (!ascii && !isUtf8(bytes)) throw new GantryError('body_not_json', 'The request body is not UTF-8');
  if (jsonNestsTooDeep(bytes)) {
    throw new GantryError('body_too_deep', `The request body nests deeper than ${maximumDepth} levels`);
  }
  return asObject(parseJson(bytes.toString(ascii ? 'latin1' : 'utf8')));
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
