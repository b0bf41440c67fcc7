import express, { type Express, type RequestHandler } from 'express';
import type { JSONWebKeySet } from 'jose';
import type { Traffic } from '../../calls/limits/traffic.ts';
import { GantryError } from '../../core/errors.ts';
import type { ServedFile } from '../../pages/served-file.ts';
import { gameBelow } from '../named-games.ts';
import { type CallParts, operationCalls } from './calls.ts';
import { crossOrigin } from './cross-origin.ts';
import { type FileParts, FileResponses } from './file-responses.ts';
import { identicon } from './identicon.ts';
import type { Scrape } from './metrics-listener.ts';
import { type PageParts, servePages } from './pages.ts';
import { errorHandler, sendJson } from './respond.ts';
import { type OpenDownload, sendDownload } from './send-download.ts';

export interface AppParts extends CallParts, FileParts {
  traffic: Traffic;
  publicKeys(): Promise<JSONWebKeySet>;
  openApi(): ServedFile;
  /** Why the server cannot accept calls right now; null when it can. */
  notReady(): string | null;
  /** What is impaired while the server still accepts calls; null when nothing is. */
  degraded(): string | null;
  /** The state of each dependency, by its name. */
  dependencies(): object;
  /** Opens the backup that a download link refers to. */
  openBackup: OpenDownload;
  pages: PageParts;
  metrics: Scrape;
}

/** Everything the server answers over HTTP, in matching order. */
export function createApp(parts: AppParts): Express {
  const app = express();
  const files = new FileResponses(parts);
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every response costs more than it saves: none may be cached
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
  app.get('/.well-known/jwks.json', files.admit, async (_request, response) =>
    sendJson(response, 200, await parts.publicKeys()),
  );
  app.get('/openapi.json', files.admit, async (request, response) => {
    response.setHeader('Cache-Control', 'public, no-cache');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await files.send(request, response, parts.openApi());
  });
  app.get('/metrics', async (request, response) => {
    await parts.requireAdmin(request);
    const text = await parts.metrics.text();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', parts.metrics.contentType);
    response.end(text);
  });
  app.get('/admin/backups/:link', sendDownload(parts.openBackup));
  app.get('/avatars/:file', files.admit, identicon);
  app.use(files.admit, servePages(parts.pages, files));
  app.use(() => {
    throw new GantryError('path_unknown', 'There is no such path');
  });
  app.use(errorHandler(parts.report));
  return app;
}

/** Everything except administration and metrics is served below `/g/<game>` too. */
const withoutGame: RequestHandler = (request, _response, next) => {
  const named = gameBelow(request.url);
  if (named && !/^\/(admin|metrics)(?![^/?])/i.test(named.url)) request.url = named.url;
  next();
};
