import cors from 'cors';
import express, { type Express } from 'express';
import type { JSONWebKeySet } from 'jose';
import { GantryError } from '../../errors.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { dedicatedPaths } from './dedicated.ts';
import { dispatchPaths } from './dispatch.ts';
import { identicon } from './identicon.ts';
import { type PageParts, servePages } from './pages.ts';
import { errorHandler, sendJson } from './respond.ts';

export interface AppParts {
  registry: Registry;
  execute: Execute;
  publicKeys(): JSONWebKeySet;
  /** Whose `X-Forwarded-For` is believed. */
  trusted(address: string, hop: number): boolean;
  openApi(): unknown;
  /** Why the server cannot take calls right now; null when it can. */
  notReady(): string | null;
  /** What does not work as it should, while calls are taken all the same; null when all does. */
  degraded(): string | null;
  pages: PageParts;
  /** Told of every failure that is a defect of ours. */
  report(thrown: unknown): void;
}

const allowedHeaders = [
  'X-Service-Method',
  'X-Request-Nonce',
  'X-Request-Signature',
  'X-Request-Timestamp',
  'X-Launcher-Jwt',
  'Authorization',
  'Content-Type',
];

/** Everything the server answers over HTTP, in the order it is looked for. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', parts.trusted);
  app.disable('etag'); // hashing every answer costs more than it saves: none may be cached
  // Any page may call: what it may do is decided by tokens, and by the game's allowed origins when it has any.
  app.use(
    cors({
      origin: true,
      credentials: true,
      allowedHeaders,
      methods: ['GET', 'POST'],
      maxAge: 86_400,
      exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    }),
  );
  app.use(dedicatedPaths(parts.registry, parts.execute));
  app.use(dispatchPaths(parts.registry, parts.execute));
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/readyz', (_request, response) => {
    const why = parts.notReady();
    if (why !== null) throw new GantryError('not_ready', why);
    const degraded = parts.degraded();
    sendJson(
      response,
      200,
      degraded === null ? { status: 'ready' } : { status: 'degraded', reason: degraded },
    );
  });
  app.get('/.well-known/jwks.json', (_request, response) => sendJson(response, 200, parts.publicKeys()));
  app.get('/openapi.json', (_request, response) => sendJson(response, 200, parts.openApi()));
  app.get('/avatars/:file', identicon);
  app.use(servePages(parts.pages));
  app.use(() => {
    throw new GantryError('path_unknown', 'There is no such path');
  });
  app.use(errorHandler(parts.report));
  return app;
}
