import type { IncomingMessage } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import type { JSONWebKeySet } from 'jose';
import type { Traffic } from '../../calls/limits/traffic.ts';
import { GantryError } from '../../core/errors.ts';
import { version, versionHeader } from '../../core/version.ts';
import type { ServedFile } from '../../pages/served-file.ts';
import { gameBelow } from '../named-games.ts';
import { errorHandler, sendJson } from './bodies.ts';
import { type CallDependencies, operationCalls } from './calls.ts';
import { crossOrigin } from './cross-origin.ts';
import { type FileDependencies, FileResponses } from './file-responses.ts';
import { identicon } from './identicon.ts';
import type { Scrape } from './metrics-listener.ts';
import { type PageDependencies, servePages } from './pages.ts';
import { type OpenDownload, sendDownload } from './send-download.ts';

export interface AppOptions extends CallDependencies, FileDependencies {
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
  /** Exchanges the code of a console's link, in `Authorization`, for a token. @throws GantryError `admin_token_invalid` */
  signInToConsole(request: IncomingMessage): Promise<{ token: string; expiresAt: number }>;
  pages: PageDependencies;
  metrics: Scrape;
}

/** Everything the server answers over HTTP, in matching order. */
export function createApp(options: AppOptions): Express {
  const app = express();
  const files = new FileResponses(options);
  app.disable('x-powered-by');
  app.disable('etag'); // hashing every response costs more than it saves: none may be cached
  app.use(operationCalls(options));
  app.use((_request, response, next) => {
    response.setHeader(versionHeader, version);
    next();
  });
  app.use(withoutGame);
  app.use(crossOrigin);
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/readyz', (_request, response) => {
    const why = options.notReady();
    if (why !== null) {
      response.setHeader('Retry-After', 1);
      sendJson(response, 503, { ...new GantryError('not_ready', why).toJSON(), ...options.dependencies() });
      return;
    }
    const degraded = options.degraded();
    const health = degraded === null ? { status: 'ready' } : { status: 'degraded', reason: degraded };
    sendJson(response, 200, { ...health, ...options.dependencies() });
  });
  app.get('/.well-known/jwks.json', files.admit, async (_request, response) =>
    sendJson(response, 200, await options.publicKeys()),
  );
  app.get('/openapi.json', files.admit, async (request, response) => {
    response.setHeader('Cache-Control', 'public, no-cache');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await files.send(request, response, options.openApi());
  });
  app.get('/metrics', async (request, response) => {
    await options.requireAdmin(request);
    const text = await options.metrics.text();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', options.metrics.contentType);
    response.end(text);
  });
  app.get('/admin/backups/:link', sendDownload(options.openBackup));
  app.post('/console/sign-in', async (request, response) =>
    sendJson(response, 200, { success: true, ...(await options.signInToConsole(request)) }),
  );
  app.get('/avatars/:file', files.admit, identicon);
  app.use(files.admit, servePages(options.pages, files));
  app.use(() => {
    throw new GantryError('path_unknown', 'There is no such path');
  });
  app.use(errorHandler(options.report));
  return app;
}

/** Everything except administration and metrics is served below `/g/<game>` too. */
const withoutGame: RequestHandler = (request, _response, next) => {
  const named = gameBelow(request.url);
  if (named && !/^\/(admin|metrics)(?![^/?])/i.test(named.url)) request.url = named.url;
  next();
};
