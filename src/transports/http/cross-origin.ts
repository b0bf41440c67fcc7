import type { IncomingMessage } from 'node:http';
import cors, { type CorsOptions } from 'cors';
import type { Headers } from './respond.ts';

const allowedHeaders = [
  'X-Service-Method',
  'X-Request-Nonce',
  'X-Request-Signature',
  'X-Request-Timestamp',
  'X-Launcher-Jwt',
  'Idempotency-Key',
  'Authorization',
  'Content-Type',
];
const exposedHeaders = ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id'];
const exposed = exposedHeaders.join(',');

const anyOrigin: CorsOptions = {
  origin: true,
  credentials: true,
  allowedHeaders,
  methods: ['GET', 'POST'],
  maxAge: 86_400,
  exposedHeaders,
};

/**
 * For everything but operation calls. Any page may call: what it may do is decided by tokens, and by the
 * game's allowed origins when it has any. What takes the admin token no page of another origin may call: it would
 * show wrong tokens from an administrator's own address, until the right one is not looked at either.
 */
export const crossOrigin = cors<IncomingMessage>((request, decide) =>
  decide(null, isForAdministrators(request) ? { ...anyOrigin, origin: [] } : anyOrigin),
);

function isForAdministrators({ url = '' }: IncomingMessage): boolean {
  return /^\/(admin|metrics)(?![^/?])/i.test(url);
}

/** The same for the answer of an operation call; none for a caller that is no page of a browser. */
export function originHeaders({ headers: { origin } }: IncomingMessage): Headers {
  if (origin === undefined) return noHeaders;
  return [
    'Access-Control-Allow-Origin',
    origin,
    'Vary',
    'Origin',
    'Access-Control-Allow-Credentials',
    'true',
    'Access-Control-Expose-Headers',
    exposed,
  ];
}

const noHeaders: Headers = [];
