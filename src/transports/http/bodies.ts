import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { ErrorRequestHandler } from 'express';
import type { LimitState } from '../../calls/limits/rate-limits.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { writeJson } from '../../core/schemas/json-text.ts';
import type { BodyIntake } from './body-intake.ts';
import { bodyTooSlow, type SlowBodies } from './slow-clients.ts';

/** In bytes; a larger body is not read to its end (DESIGN.md "Errors"). */
export const maxBodyBytes = 2 * 1024 * 1024;

/**
 * How much of a refused body is still read and discarded, for clients that send all of it before they read the
 * response.
 */
const toleratedBytes = 4 * maxBodyBytes;
/** Smaller bodies are not counted against the memory limits. */
const uncountedBytes = 4 * 1024;
/** How long a client may keep sending a refused body. */
const refusedBodyMs = 5_000;

/** A compressed body may decompress to the base size plus this multiple of its own size, in bytes. */
export const baseUnpackedBytes = 64 * 1024;
export const maxUnpackRatio = 100;

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** Accounts for a body's bytes as they arrive and before they are decompressed. */
export interface BodyCount {
  /** @throws GantryError when a memory limit is reached */
  admit(bytes: number): void;
  take(bytes: number): void;
}

/** How an incoming body is accounted for, paced and checked. */
export interface BodyReading {
  count: BodyCount;
  intake: BodyIntake;
  slow: SlowBodies;
  /** Called with the first chunk of a large body. @throws GantryError to refuse it */
  onStart(part: Buffer): void;
}

/**
 * Bodies from this size on, in bytes, are parsed in a worker thread; passing a smaller one takes longer than parsing
 * it.
 */
export const largeBodyBytes = 64 * 1024;

/**
 * Reads and decompresses the body regardless of its content type: browsers and Unity send JSON as text/plain. A body
 * that is too large is refused as soon as that is known. Null when the request was aborted.
 * @throws GantryError `body_too_large`, `body_too_slow`; `body_not_json` when it cannot be decoded; what `count` and `onStart` throw
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  reading: BodyReading,
): Promise<Buffer | null> {
  const sent = await receive(request, response, reading);
  if (sent === null || sent.length === 0) return sent;
  const encoding = encodingOf(request);
  return encoding === null ? sent : unpack(sent, encoding, reading.count);
}

/** Reads and discards the body of a refused request, as `readBody` does once it has refused one. */
export function dropBody(request: IncomingMessage, response: ServerResponse, intake: BodyIntake): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > toleratedBytes) request.destroy();
    else intake.discarded(request, chunk.length);
  });
  response.once('finish', () => closeUnlessComplete(request));
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { count, intake, slow, onStart }: BodyReading,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let received = 0;
    let counted = 0;
    let isRefused = false;
    const announced = Number(request.headers['content-length'] ?? 0);
    const refuse = (error: unknown) => {
      isRefused = true;
      slow.ended(request);
      response.once('finish', () => closeUnlessComplete(request));
      chunks = []; // free what was received so far
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > toleratedBytes) request.destroy();
      if (isRefused) {
        intake.discarded(request, chunk.length);
        return;
      }
      if (received > uncountedBytes) intake.received(request, chunk.length);
      try {
        if (received === chunk.length && announced >= largeBodyBytes) onStart(chunk);
        if (received > maxBodyBytes) throw bodyTooLarge();
        // Small bodies are bounded by the number of connections.
        if (received > uncountedBytes) {
          count.admit(received - counted);
          count.take(received - counted);
          counted = received;
        }
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    if (announced > maxBodyBytes) refuse(bodyTooLarge());
    else slow.watch(request, () => refuse(bodyTooSlow()));
    // Each fires once. An aborted request emits `error` only when there is a listener for it.
    request.on('end', () => {
      slow.ended(request);
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
    });
    request.on('close', () => {
      slow.ended(request);
      resolve(null);
    });
  });
}

/** Closes the connection of a client that keeps sending a refused body. */
function closeUnlessComplete(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, refusedBodyMs).unref();
}

/** The body's content encoding; null when it has none. @throws GantryError `body_not_json` when it is unknown */
function encodingOf({ headers }: IncomingMessage): keyof typeof unpackers | null {
  if (headers['content-encoding'] === undefined) return null;
  const named = headers['content-encoding'].trim().toLowerCase();
  if (named === 'identity' || named === '') return null;
  if (named === 'gzip' || named === 'deflate' || named === 'br') return named;
  throw unreadable();
}

/** Bounds the decompressed size by the compressed size, since a few bytes may decompress to millions. */
async function unpack(sent: Buffer, encoding: keyof typeof unpackers, count: BodyCount): Promise<Buffer> {
  const maxOutputLength = Math.min(maxBodyBytes, baseUnpackedBytes + maxUnpackRatio * sent.length);
  count.admit(maxOutputLength);
  try {
    const unpacked = await unpackers[encoding](sent, { maxOutputLength });
    count.take(unpacked.length);
    return unpacked;
  } catch (error) {
    if (!(error instanceof RangeError)) throw unreadable();
    if (maxOutputLength === maxBodyBytes) throw bodyTooLarge();
    throw new GantryError(
      'body_too_large',
      `The request body decompresses to more than ${maxUnpackRatio} times its size: send it less compressed, or uncompressed`,
    );
  }
}

function unreadable(): GantryError {
  return new GantryError(
    'body_not_json',
    'The request body could not be decoded: it is truncated or has an unsupported Content-Encoding',
  );
}

function bodyTooLarge(): GantryError {
  return new GantryError(
    'body_too_large',
    'The request body is larger than 2 MB: send less in one call. If escaping makes a state too large, send it by method ' +
      'dispatch as a JSON value instead of a string',
  );
}

interface Encoded {
  body: string | Buffer;
  bytes: number;
}

/** Encoded bodies that are sent more than once; only frozen objects are cached. */
const encodedBodies = new WeakMap<object, Encoded>();

/** Alternating header names and values, which Node writes out unchanged and without a lookup. */
export type Headers = readonly string[];
const noHeaders: Headers = [];

/**
 * Sends a JSON response and returns the body's size in bytes. API responses are never cacheable: they belong to one
 * caller or are soon stale.
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  extraHeaders: Headers = noHeaders,
): number {
  const { body: written, bytes } = typeof body === 'object' && body !== null ? encoded(body) : encode(body);
  const headers = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(bytes),
    'Cache-Control',
    'no-store',
    'X-Content-Type-Options',
    'nosniff',
  ];
  for (const header of extraHeaders) headers.push(header);
  response.writeHead(status, headers);
  // ASCII is the same in Latin-1, which Node writes faster.
  response.end(written, bytes === written.length ? 'latin1' : 'utf8');
  return bytes;
}

function encoded(body: object): Encoded {
  const known = encodedBodies.get(body);
  if (known) return known;
  const fresh = encode(body);
  if (!Object.isFrozen(body)) return fresh;
  // Stored as a buffer unless it is ASCII: writing any other string would encode it each time.
  const cached = fresh.bytes === fresh.body.length ? fresh : { ...fresh, body: Buffer.from(fresh.body) };
  encodedBodies.set(body, cached);
  return cached;
}

function encode(body: unknown): Encoded {
  const text = writeJson(body);
  return { body: text, bytes: Buffer.byteLength(text) };
}

export function sendError(
  response: ServerResponse,
  error: GantryError,
  extraHeaders: Headers = noHeaders,
): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  sendJson(response, error.code, error, extraHeaders);
}

/** draft-ietf-httpapi-ratelimit-headers: the quota, what remains of it, and when it resets. */
export function limitHeaders({ limit, remaining, resetSeconds }: LimitState): Headers {
  return [
    'RateLimit-Policy',
    `"default";q=${limit.points};w=${limit.seconds}`,
    'RateLimit',
    `"default";r=${remaining};t=${resetSeconds}`,
  ];
}

/** Express's error handler: turns every error into the standard error body. */
export function errorHandler(report: (thrown: unknown) => void): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown); // too late to send an error; Express closes the connection
      return;
    }
    const isAddress = thrown instanceof URIError;
    sendError(
      response,
      isAddress
        ? new GantryError('path_unknown', 'The path is not a valid URL')
        : toGantryError(thrown, report),
    );
  };
}
