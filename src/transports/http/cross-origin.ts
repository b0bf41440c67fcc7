import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

const allowedHeaders = [
  'X-Service-Method',
  'X-Request-Nonce',
  'X-Request-Signature',
  'X-Request-Timestamp',
  'X-Launcher-Jwt',
  'Authorization',
  'Content-Type',
];
const exposedHeaders = ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id'];
const exposed = exposedHeaders.join(',');

/**
 * For everything but operation calls. Any page may call: what it may do is decided by tokens, and by the
 * game's allowed origins when it has any.
 */
export const crossOrigin = cors({
  origin: true,
  credentials: true,
  allowedHeaders,
  methods: ['GET', 'POST'],
  maxAge: 86_400,
  exposedHeaders,
});

/** The same for the answer of an operation call; nothing for a caller that is no page of a browser. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Expose-Headers', exposed);
}
