import { type Request, type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import type { Assets } from '../../pages/assets.ts';
import { cspHash, importMapOf, importMapPlace } from '../../pages/import-map.ts';
import type { Manual } from '../../pages/manual.ts';
import { contentSecurityPolicy, type PageName, pageNames } from '../../pages/page-policy.ts';
import { ServedFile } from '../../pages/served-file.ts';
import { mappedAssets } from '../../pages/vendored-files.ts';
import { sendFile } from './send-file.ts';

export interface PageParts {
  assets: Assets;
  /** The addresses of the registered games. */
  games(): Promise<readonly { url: string; image: string }[]>;
}

const oneYearSeconds = 31_536_000;

/** The client for browsers at its stable address, and its types: what games on other origins import. */
const clientAssets: Readonly<Record<string, string>> = {
  '/client.js': 'sdk/typescript/client.js',
  '/client.d.ts': 'sdk/typescript/client.d.ts',
};
/** Games get a new server's client this much later at most; browsers then ask by its ETag. */
const clientMaxAgeSeconds = 300;

/**
 * helmet's, less what would send a browser to https (a local server has none, and a proxy that has adds it) and
 * what is said here of each page. The files are public, and a game in a sandboxed frame has no origin
 * to be the same as, so any page may load them.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: false,
  strictTransportSecurity: false,
  xFrameOptions: false,
  // The API's answers do not ask for it, and browsers want it of all of an origin or of none.
  originAgentCluster: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** Serves the pages, the files they load, and the files of libraries they may have. */
export function servePages(parts: PageParts): RequestHandler {
  const pages = new Pages(parts);
  const router = Router();
  router.use(securityHeaders);
  router.get('/docs/search.json', async (request, response) => {
    await pages.sendSearchIndex(request, response);
  });
  router.get('/docs', async (request, response, next) => {
    if (!(await pages.sendManual(request, response, 'index'))) next();
  });
  router.get('/docs/:page', async (request, response, next) => {
    const { page } = request.params;
    if (page === 'index' || !(await pages.sendManual(request, response, page))) next();
  });
  for (const [address, name] of Object.entries(clientAssets)) {
    router.get(address, async (request, response, next) => {
      if (!(await pages.sendClient(request, response, name))) next();
    });
  }
  for (const name of pageNames) {
    router.get(`/${name}`, async (request, response, next) => {
      if (!(await pages.sendPage(request, response, name))) next();
    });
  }
  router.get('/*name', async (request, response, next) => {
    if (!(await pages.sendFile(request, response))) next();
  });
  router.get('/*name', async (request, response, next) => {
    // Programs get the error body that everything unknown gets.
    const wantsPage = request.accepts(['json', 'html']) === 'html';
    if (!(wantsPage && (await pages.sendNotFound(request, response)))) next();
  });
  return router;
}

class Pages {
  readonly #assets: Assets;
  #manual: Promise<Manual> | undefined;
  readonly #games: PageParts['games'];
  readonly #served = new WeakMap<Uint8Array, ServedFile>();
  /** By the file they were made of, with the import map they have in them. */
  readonly #filled = new WeakMap<ServedFile, { importMap: string; page: ServedFile }>();

  constructor({ assets, games }: PageParts) {
    this.#assets = assets;
    this.#games = games;
  }

  /** False when there is no such page. */
  async sendPage(request: Request, response: Response, name: PageName): Promise<boolean> {
    const file = await this.#file(name === '' ? 'index.html' : `${name}/index.html`);
    return this.#sendHtml(request, response, file, name);
  }

  /** False when the manual has no such page. */
  async sendManual(request: Request, response: Response, page: string): Promise<boolean> {
    const html = await (await this.#loadManual()).page(page);
    return this.#sendHtml(request, response, html && this.#asServed(`${page}.html`, html), 'docs');
  }

  async sendSearchIndex(request: Request, response: Response): Promise<void> {
    const file = this.#asServed('search.json', await (await this.#loadManual()).searchIndex());
    response.setHeader('Cache-Control', 'public, no-cache');
    await sendFile(request, response, file);
  }

  async sendNotFound(request: Request, response: Response): Promise<boolean> {
    return this.#sendHtml(request, response, await this.#file('not-found.html'), null);
  }

  /** False when there is no such file. */
  async sendFile(request: Request, response: Response): Promise<boolean> {
    const name = request.path.slice(1);
    // A page's own address is the only one it has.
    const file = name.endsWith('.html') ? null : await this.#file(name);
    if (file === null) return false;
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    const forGood = request.query.v === file.version;
    response.setHeader(
      'Cache-Control',
      forGood ? `public, max-age=${oneYearSeconds}, immutable` : 'public, no-cache',
    );
    await sendFile(request, response, file);
    return true;
  }

  /** To any origin, and to caches between; false when it is not there. */
  async sendClient(request: Request, response: Response, name: string): Promise<boolean> {
    const file = await this.#file(name);
    if (file === null) return false;
    response.removeHeader('Access-Control-Allow-Credentials');
    response.removeHeader('Vary'); // of the origin, which makes no difference here
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cache-Control', `public, max-age=${clientMaxAgeSeconds}`);
    await sendFile(request, response, file);
    return true;
  }

  async #sendHtml(
    request: Request,
    response: Response,
    file: ServedFile | null,
    name: PageName | null,
  ): Promise<boolean> {
    if (file === null) return false;
    if (name === null) response.status(404);
    // A bundled page has none.
    const importMap = Buffer.from(file.bytes).includes(importMapPlace) ? await this.#importMap() : null;
    const games = name === 'play' ? await this.#games() : [];
    const policy = contentSecurityPolicy(name, {
      scriptHash: importMap === null ? null : cspHash(importMap),
      gameUrls: games.map(({ url }) => url),
      gameImages: games.map(({ image }) => image),
    });
    response.setHeader('Content-Security-Policy', policy);
    // Its policy may change while it does not, and a 304 would leave the browser with the earlier one.
    response.setHeader('Cache-Control', 'no-store');
    await sendFile(request, response, importMap === null ? file : this.#fill(file, importMap));
    return true;
  }

  /** The page with the import map in its place. */
  #fill(file: ServedFile, importMap: string): ServedFile {
    const filled = this.#filled.get(file);
    if (filled?.importMap === importMap) return filled.page;
    const text = Buffer.from(file.bytes).toString();
    const withMap = text.replace(importMapPlace, () => `<script type="importmap">${importMap}</script>`);
    const page = new ServedFile('page.html', Buffer.from(withMap));
    this.#filled.set(file, { importMap, page });
    return page;
  }

  async #importMap(): Promise<string> {
    return importMapOf(
      await Promise.all(
        mappedAssets.map(async ({ name, specifier }) => {
          const file = await this.#file(name);
          if (file === null) throw new Error(`/${name} is not installed`);
          return { address: `/${name}`, version: file.version, ...(specifier && { specifier }) };
        }),
      ),
    );
  }

  async #file(name: string): Promise<ServedFile | null> {
    const bytes = await this.#assets.read(name);
    return bytes && this.#asServed(name, bytes);
  }

  /** With the first page of it that is asked for: what makes it of Markdown is not wanted before. */
  #loadManual(): Promise<Manual> {
    this.#manual ??= import('../../pages/manual.ts').then(({ Manual }) => new Manual(this.#assets));
    return this.#manual;
  }

  #asServed(name: string, bytes: Uint8Array): ServedFile {
    const served = this.#served.get(bytes) ?? new ServedFile(name, bytes);
    this.#served.set(bytes, served);
    return served;
  }
}
