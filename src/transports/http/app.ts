import type { IncomingMessage } from 'node:http';
import express, { type Express } from 'express';
import type { JSONWebKeySet } from 'jose';
import { GantryError } from '../../errors.ts';
import { type CallParts, operationCalls } from './calls.ts';
import { crossOrigin } from './cross-origin.ts';
import { identicon } from './identicon.ts';
import type { Scrape } from './metrics-listener.ts';
import { type PageParts, servePages } from './pages.ts';
import { errorHandler, sendJson } from './respond.ts';

export interface AppParts extends CallParts {
  publicKeys(): JSONWebKeySet;
  openApi(): unknown;
  /** Why the server cannot take calls right now; null when it can. */
  notReady(): string | null;
  /** What does not work as it should, while calls are taken all the same; null when all does. */
  degraded(): string | null;
  pages: PageParts;
  metrics: Scrape;
  /** @throws GantryError unless `Authorization` holds the admin token */
  requireAdmin(request: IncomingMessage): Promise<void>;
}

/** Everything the server answers over HTTP, in the order it is looked for. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every answer costs more than it saves: none may be cached
  app.use(operationCalls(parts));
  app.use(crossOrigin);
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
  app.get('/metrics', async (request, response) => {
    await parts.requireAdmin(request);
    const text = await parts.metrics.text();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', parts.metrics.contentType);
    response.end(text);
  });
  app.get('/avatars/:file', identicon);
  app.use(servePages(parts.pages));
  app.use(() => {
    throw new GantryError('path_unknown', 'There is no such path');
  });
  app.use(errorHandler(parts.report));
  return app;
}
