import type { ErrorRequestHandler, Response } from 'express';
import { GantryError, toGantryError } from '../../errors.ts';

/** Answers with JSON. Nothing the API says may be kept by a cache: it is one caller's, or soon out of date. */
export function sendJson(response: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

export function sendError(response: Response, error: GantryError): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
  sendJson(response, error.code, error);
}

/** Express's last resort: every failure on the way becomes the one error body. */
export function errorHandler(report: (thrown: unknown) => void): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown); // too late to say anything; Express cuts the connection
      return;
    }
    sendError(response, fromBodyParser(thrown) ?? toGantryError(thrown, report));
  };
}

export function bodyTooLarge(): GantryError {
  return new GantryError('body_too_large', 'The request body is larger than 2 MB');
}

/** What Express and body-parser throw when a request cannot be read. */
function fromBodyParser(thrown: unknown): GantryError | null {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return null;
  if (thrown.status === 413) return bodyTooLarge();
  if (thrown.status >= 500) return null;
  if (!(thrown instanceof URIError)) {
    return new GantryError(
      'body_not_json',
      'The request body could not be read: it was cut short or is encoded in an unknown way',
    );
  }
  return new GantryError('path_unknown', 'This address cannot be read');
}
