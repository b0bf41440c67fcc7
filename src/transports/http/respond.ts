import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import type { LimitState } from '../../calls/limits/rate-limits.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { writeJson } from '../../core/schemas/json-text.ts';

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

export function bodyTooLarge(): GantryError {
  return new GantryError(
    'body_too_large',
    'The request body is larger than 2 MB: send less in one call. If escaping makes a state too large, send it by method ' +
      'dispatch as a JSON value instead of a string',
  );
}
