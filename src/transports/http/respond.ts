import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { writeJson } from '../../core/schemas/json-text.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import type { LimitState } from '../../limits/rate-limits.ts';

interface Encoded {
  body: string | Buffer;
  bytes: number;
}

/** Answers that are given more than once; those are frozen. */
const rememberedAnswers = new WeakMap<object, Encoded>();

/** Names and values of headers in turn: so Node writes them out as they are, and looks none of them up. */
export type Headers = readonly string[];
const noHeaders: Headers = [];

/**
 * Answers with JSON; how many bytes of it. Nothing the API says may be kept by a cache: it is one caller's, or soon out of
 * date.
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  further: Headers = noHeaders,
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
  for (const header of further) headers.push(header);
  response.writeHead(status, headers);
  // What is ASCII is the same in Latin-1, which Node writes out faster.
  response.end(written, bytes === written.length ? 'latin1' : 'utf8');
  return bytes;
}

function encoded(body: object): Encoded {
  const known = rememberedAnswers.get(body);
  if (known) return known;
  const made = encode(body);
  if (!Object.isFrozen(body)) return made;
  // Given more than once, it is encoded once: writing a string that is not Latin-1 encodes it each time.
  const kept = made.bytes === made.body.length ? made : { ...made, body: Buffer.from(made.body) };
  rememberedAnswers.set(body, kept);
  return kept;
}

function encode(body: unknown): Encoded {
  const text = writeJson(body);
  return { body: text, bytes: Buffer.byteLength(text) };
}

export function sendError(response: ServerResponse, error: GantryError, further: Headers = noHeaders): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  sendJson(response, error.code, error, further);
}

/** draft-ietf-httpapi-ratelimit-headers: what is allowed, what is left of it, and when it is reset. */
export function limitHeaders({ limit, remaining, resetSeconds }: LimitState): Headers {
  return [
    'RateLimit-Policy',
    `"default";q=${limit.points};w=${limit.seconds}`,
    'RateLimit',
    `"default";r=${remaining};t=${resetSeconds}`,
  ];
}

/** Express's last resort: every failure on the way becomes the one error body. */
export function errorHandler(report: (thrown: unknown) => void): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown); // too late to say anything; Express cuts the connection
      return;
    }
    const isAddress = thrown instanceof URIError;
    sendError(
      response,
      isAddress
        ? new GantryError('path_unknown', 'This address cannot be read')
        : toGantryError(thrown, report),
    );
  };
}

export function bodyTooLarge(): GantryError {
  return new GantryError(
    'body_too_large',
    'The request body is larger than 2 MB: send less in one call; a state whose quotes and backslashes make it so can ' +
      'be sent as a JSON value, not as text, by method dispatch',
  );
}
