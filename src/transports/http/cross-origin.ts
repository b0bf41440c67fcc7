import type { IncomingMessage } from 'node:http';
import cors, { type CorsOptions } from 'cors';
import { versionHeader } from '../../core/version.ts';
import type { Headers } from './bodies.ts';

const exposedHeaders = [
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  versionHeader,
  'Gantry-Warning',
  'Deprecation',
];
const exposed = exposedHeaders.join(',');

/**
 * Without `allowedHeaders`, the headers that a preflight asks for are allowed, whichever they are: libraries for tracing
 * and errors add theirs to every request of a page. Node limits their length with that of all headers.
 */
const anyOrigin: CorsOptions = {
  origin: true,
  credentials: true,
  methods: ['GET', 'POST'],
  maxAge: 86_400,
  exposedHeaders,
};

/**
 * CORS for everything but operation calls. Any page may call: tokens, and the game's allowed origins if it has any,
 * decide what it may do. Paths that take the admin token, or the code of the console's link, are closed to other origins:
 * a page could otherwise send wrong ones from an administrator's address until the rate limit refuses the right one as
 * well.
 */
export const crossOrigin = cors<IncomingMessage>((request, decide) =>
  decide(null, isForAdministrators(request) ? { ...anyOrigin, origin: [] } : anyOrigin),
);

function isForAdministrators({ url = '' }: IncomingMessage): boolean {
  return /^\/(admin|console|metrics)(?![^/?])/i.test(url);
}

/** The CORS headers of an operation call's response; none when the request has no `Origin`. */
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
