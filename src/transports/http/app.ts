import express, { type Express, type RequestHandler } from 'express';
import type { JSONWebKeySet } from 'jose';
import { GantryError } from '../../errors.ts';
import type { ServedFile } from '../../pages/served-file.ts';
import { gameBelow } from '../named-games.ts';
import { type CallParts, operationCalls } from './calls.ts';
import { crossOrigin } from './cross-origin.ts';
import { identicon } from './identicon.ts';
import type { Scrape } from './metrics-listener.ts';
import { type PageParts, servePages } from './pages.ts';
import { errorHandler, sendJson } from './respond.ts';
import { type OpenDownload, sendDownload } from './send-download.ts';
import { sendFile } from './send-file.ts';

export interface AppParts extends CallParts {
  publicKeys(): Promise<JSONWebKeySet>;
  openApi(): ServedFile;
  /** Why the server cannot take calls right now; null when it can. */
  notReady(): string | null;
  /** What does not work as it should, while calls are taken all the same; null when all does. */
  degraded(): string | null;
  /** How what the server needs is doing, each by its name. */
  dependencies(): object;
  /** What a link to a backup leads to. */
  openBackup: OpenDownload;
  pages: PageParts;
  metrics: Scrape;
}

/** Everything the server answers over HTTP, in the order it is looked for. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every answer costs more than it saves: none may be cached
  app.use(operationCalls(parts));
  app.use(withoutGame);
  app.use(crossOrigin);
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/readyz', (_request, response) => {
    const why = parts.notReady();
    if (why !== null) {
      response.setHeader('Retry-After', 1);
      sendJson(response, 503, { ...new GantryError('not_ready', why).toJSON(), ...parts.dependencies() });
      return;
    }
    const degraded = parts.degraded();
    const health = degraded === null ? { status: 'ready' } : { status: 'degraded', reason: degraded };
    sendJson(response, 200, { ...health, ...parts.dependencies() });
  });
  app.get('/.well-known/jwks.json', async (_request, response) =>
    sendJson(response, 200, await parts.publicKeys()),
  );
  app.get('/openapi.json', async (request, response) => {
    response.setHeader('Cache-Control', 'public, no-cache');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await sendFile(request, response, parts.openApi());
  });
  app.get('/metrics', async (request, response) => {
    await parts.requireAdmin(request);
    const text = await parts.metrics.text();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', parts.metrics.contentType);
    response.end(text);
  });
  app.get('/admin/backups/:link', sendDownload(parts.openBackup));
  app.get('/avatars/:file', identicon);
  app.use(servePages(parts.pages));
  app.use(() => {
    throw new GantryError('path_unknown', 'There is no such path');
  });
  app.use(errorHandler(parts.report));
  return app;
}

/** What is served is served below `/g/<game>` too, save what is for administrators. */
const withoutGame: RequestHandler = (request, _response, next) => {
  const named = gameBelow(request.url);
  if (named && !/^\/(admin|metrics)(?![^/?])/i.test(named.url)) request.url = named.url;
  next();
};
