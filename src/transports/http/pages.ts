import { type Request, type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import type { Assets } from '../../pages/assets.ts';
import type { Manual } from '../../pages/manual.ts';
import { contentSecurityPolicy, type PageName, pageNames } from '../../pages/page-policy.ts';
import { ServedFile } from '../../pages/served-file.ts';
import type { FileResponses } from './file-responses.ts';

export interface PageDependencies {
  assets: Assets;
  /** The URLs of the registered games. */
  games(): Promise<readonly { url: string; image: string }[]>;
}

const oneYearSeconds = 31_536_000;

/** The browser client at its stable URL, and its types: games on other origins import them. */
const clientAssets: Readonly<Record<string, string>> = {
  '/client.js': 'sdk/typescript/client.js',
  '/client.d.ts': 'sdk/typescript/client.d.ts',
};
/** How long browsers may keep an old client after an upgrade; they then revalidate by its ETag. */
const clientMaxAgeSeconds = 300;

/**
 * helmet's headers, without HSTS (a local server has no https, and a proxy that has it adds the header) and without
 * those set here per page. The files are public, and a game in a sandboxed frame has an opaque origin, so any page may
 * load them.
 */
const securityHeaders = helmet({
  contentSecurityPolicy: false,
  strictTransportSecurity: false,
  xFrameOptions: false,
  // The API's responses do not send it, and browsers expect it on all responses of an origin or on none.
  originAgentCluster: false,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
});

/** Serves the pages, the files they load, and the library files they may import. */
export function servePages(dependencies: PageDependencies, files: FileResponses): RequestHandler {
  const pages = new Pages(dependencies, files);
  const router = Router();
  router.use(securityHeaders);
  router.get('/docs/search.json', async (request, response) => {
    await pages.sendSearchIndex(request, response);
  });
  router.get('/llms.txt', async (request, response) => {
    await pages.sendLlms(request, response);
  });
  router.get('/docs', async (request, response, next) => {
    if (!(await pages.sendManual(request, response, 'index'))) next();
  });
  router.get('/docs/:page.md', async (request, response, next) => {
    if (!(await pages.sendMarkdown(request, response, request.params.page))) next();
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
    // Clients other than browsers get the JSON error of any unknown path.
    const wantsPage = request.accepts(['json', 'html']) === 'html';
    if (!(wantsPage && (await pages.sendNotFound(request, response)))) next();
  });
  return router;
}

/** A module of a bundle that others import: esbuild puts a hash of what it contains into its name. */
const sharedModule = /^bundles\/[\w-]+\/[\w-]+-[A-Z0-9]{8}\.js$/;

class Pages {
  readonly #assets: Assets;
  readonly #files: FileResponses;
  #manual: Promise<Manual> | undefined;
  readonly #games: PageDependencies['games'];
  readonly #served = new WeakMap<Uint8Array, ServedFile>();

  constructor({ assets, games }: PageDependencies, files: FileResponses) {
    this.#assets = assets;
    this.#files = files;
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
    return this.#sendHtml(request, response, html && this.#servedFile(`${page}.html`, html), 'docs');
  }

  async sendSearchIndex(request: Request, response: Response): Promise<void> {
    await this.#sendText(request, response, 'search.json', await (await this.#loadManual()).searchIndex());
  }

  async sendLlms(request: Request, response: Response): Promise<void> {
    await this.#sendText(request, response, 'llms.txt', await (await this.#loadManual()).llms());
  }

  /** False when the manual has no such document. */
  async sendMarkdown(request: Request, response: Response, page: string): Promise<boolean> {
    const bytes = await (await this.#loadManual()).markdown(page);
    if (bytes) await this.#sendText(request, response, `${page}.md`, bytes);
    return bytes !== null;
  }

  async sendNotFound(request: Request, response: Response): Promise<boolean> {
    return this.#sendHtml(request, response, await this.#file('not-found.html'), null);
  }

  /** False when there is no such file. */
  async sendFile(request: Request, response: Response): Promise<boolean> {
    const name = request.path.slice(1);
    // Pages are served only at their own URL, not by file name.
    const file = name.endsWith('.html') ? null : await this.#file(name);
    if (file === null) return false;
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    const isImmutable = request.query.v === file.version || sharedModule.test(name);
    response.setHeader(
      'Cache-Control',
      isImmutable ? `public, max-age=${oneYearSeconds}, immutable` : 'public, no-cache',
    );
    await this.#files.send(request, response, file);
    return true;
  }

  /** Sends the client to any origin, cacheable by shared caches; false when it does not exist. */
  async sendClient(request: Request, response: Response, name: string): Promise<boolean> {
    const file = await this.#file(name);
    if (file === null) return false;
    response.removeHeader('Access-Control-Allow-Credentials');
    response.removeHeader('Vary'); // the response does not depend on the origin
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cache-Control', `public, max-age=${clientMaxAgeSeconds}`);
    await this.#files.send(request, response, file);
    return true;
  }

  async #sendText(request: Request, response: Response, name: string, bytes: Uint8Array): Promise<void> {
    response.setHeader('Cache-Control', 'public, no-cache');
    await this.#files.send(request, response, this.#servedFile(name, bytes));
  }

  async #sendHtml(
    request: Request,
    response: Response,
    file: ServedFile | null,
    name: PageName | null,
  ): Promise<boolean> {
    if (file === null) return false;
    if (name === null) response.status(404);
    const games = name === 'play' ? await this.#games() : [];
    const policy = contentSecurityPolicy(name, {
      gameUrls: games.map(({ url }) => url),
      gameImages: games.map(({ image }) => image),
    });
    response.setHeader('Content-Security-Policy', policy);
    // The policy may change while the page does not, and a 304 would keep the browser's old policy.
    response.setHeader('Cache-Control', 'no-store');
    await this.#files.send(request, response, file);
    return true;
  }

  async #file(name: string): Promise<ServedFile | null> {
    const bytes = await this.#assets.read(name);
    return bytes && this.#servedFile(name, bytes);
  }

  /** Loaded with the manual's first page, so that the Markdown renderer is not loaded before it is needed. */
  #loadManual(): Promise<Manual> {
    this.#manual ??= import('../../pages/manual.ts').then(({ Manual }) => new Manual(this.#assets));
    return this.#manual;
  }

  #servedFile(name: string, bytes: Uint8Array): ServedFile {
    const served = this.#served.get(bytes) ?? new ServedFile(name, bytes);
    this.#served.set(bytes, served);
    return served;
  }
}
