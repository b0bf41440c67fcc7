import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { changeGame } from '../../src/features/administration/commands.ts';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { pageNames } from '../../src/pages/page-policy.ts';
import { vendoredFiles } from '../../src/pages/vendored-files.ts';
import { startTestServer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);

const pages = pageNames;
const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

/** A response's policy, as `{ directive: values }`. */
function policyOf({ headers }: Response): Record<string, string[]> {
  const policy = headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values];
    }),
  );
}

describe.each(pages)('the page /%s', (name) => {
  test('runs only its own files, and loads nothing from elsewhere', async () => {
    const response = await get(`/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    const policy = policyOf(response);
    expect(policy['script-src']).toEqual(["'self'"]);
    expect(html.match(/<script(?! [^>]*src=)/g)).toBeNull();
    expect(policy['default-src']).toEqual(["'none'"]);
    expect(policy['base-uri']).toEqual(["'none'"]);
    expect(JSON.stringify(policy)).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/\s(style|on\w+)=/);
  });

  test('sends no referrer, disables sniffing, and also answers with a trailing slash', async () => {
    const response = await get(`/${name}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    if (name !== '') expect((await get(`/${name}/`)).status).toBe(200);
  });
});

test('only the demo game may be framed, and by this server alone', async () => {
  const ancestors = async (page: string) => policyOf(await get(page))['frame-ancestors'];
  expect(await ancestors('/demo-game')).toEqual(["'self'"]);
  expect(await ancestors('/play')).toEqual(["'none'"]);
  expect(await ancestors('/')).toEqual(["'none'"]);
});

test('the launcher may frame registered games, immediately after registration, and nothing else', async () => {
  const sources = async () => policyOf(await get('/play'))['frame-src'];
  expect(await sources()).toEqual(["'none'"]);
  const { gameId } = await server.createGame({ url: 'https://one.example/play?a=b;c' });
  await server.createGame({ url: 'https://one.example/other' });
  await server.createGame({ url: '/demo-game' });
  await server.createGame();
  expect(await sources()).toEqual(['https://one.example', "'self'"]);
  await server.services.db.write(changeGame, gameId, { url: 'http://127.0.0.1:8080/x' });
  expect(await sources()).toEqual(['http://127.0.0.1:8080', 'https://one.example', "'self'"]);
});

test('with many games, the headers of the launcher still fit into the 4 KB that nginx accepts', async () => {
  const sizes: number[] = [];
  for (let index = 0; index < 120; index++) {
    const host = `https://game-${index}.studio.example`;
    await server.createGame({ url: `${host}/play`, image: `${host}/images/cover-1200x600.webp` });
    if (index % 20 === 19) sizes.push(lengthOf((await get('/play')).headers));
  }
  expect(Math.max(...sizes)).toBeLessThan(4_000);
  const policy = policyOf(await get('/play'));
  expect(policy['frame-src']).toEqual(["'self'", 'https:', 'http:']);
  expect(policy['img-src']).toEqual(["'self'", 'data:', 'https:', 'http:']);
});

function lengthOf(headers: Headers): number {
  return [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
}

describe('files', () => {
  test('are revalidated by ETag, and not sent again while unchanged', async () => {
    const first = await get('/play/main.js');
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    const etag = first.headers.get('etag') ?? '';
    // Without the second header, fetch itself disables caching.
    const revalidate = (version: string) =>
      get('/play/main.js', { 'If-None-Match': version, 'Cache-Control': 'max-age=0' });
    const again = await revalidate(etag);
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect((await revalidate('"another"')).status).toBe(200);
  });

  test('of bundles are cached forever at the address a page gives, which contains their version', async () => {
    const html = await (await get('/play')).text();
    const addresses = [...html.matchAll(/"(\/bundles\/[^"]+)"/g)].map(([, address = '']) => address);
    expect([...new Set(addresses.map((address) => address.replace(/\w+(\.js)?$/, '')))]).toEqual([
      '/bundles/play/main.css?v=',
      '/bundles/play/chunk-',
      '/bundles/play/main.js?v=',
    ]);
    for (const address of addresses) {
      const response = await get(address);
      expect([address, response.status]).toEqual([address, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toMatch(/^text\/(css|javascript); charset=utf-8$/);
      if (!address.includes('?v=')) continue;
      const other = await get(address.replace(/\w+$/, '0000'));
      expect(other.headers.get('cache-control')).toBe('public, no-cache');
    }
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('are compressed with %s for clients that accept it', async (encoding, decompress) => {
    const plain = Buffer.from(
      await (await get('/shared/base.css', { 'Accept-Encoding': 'identity' })).bytes(),
    );
    const sent = await rawGet('/shared/base.css', { 'accept-encoding': encoding });
    expect(sent.headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(sent.body.length).toBeLessThan(plain.length / 2);
    expect(decompress(sent.body).equals(plain)).toBe(true);
  });

  test('have no body in responses to HEAD', async () => {
    const response = await fetch(`${server.url}/shared/base.css`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await response.text()).toBe('');
  });
});

test.each([
  '/vendor/preact/package.json',
  '/vendor/preact/preact.mjs',
  '/vendor/express/index.js',
  '/vendor/../package.json',
  '/vendor/%2e%2e/package.json',
  '/..%2f..%2fpackage.json',
  '/shared/../../package.json',
  '/shared/%00',
  '/client/client.ts',
  '/client/../config.ts',
  '/play/index.html',
  '/index.html',
  '/.gitignore',
  '/shared',
  '/shared/',
  '/vendor',
])('%s is not found', async (path) => {
  const { status, body } = await rawGet(path, { accept: '*/*' });
  expect(status).toBe(404);
  expect(JSON.parse(body.toString())).toMatchObject({ data: { reason: 'path_unknown' } });
});

test('browsers get a readable page for unknown addresses', async () => {
  const response = await get('/nothing-here', { Accept: 'text/html,application/xhtml+xml' });
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toContain('Page not found');
  expect(policyOf(response)['default-src']).toEqual(["'none'"]);
});

test('every listed file of a library is installed', async () => {
  const assets = new DirectoryAssets();
  const missing: string[] = [];
  for (const { path } of vendoredFiles)
    if ((await assets.read(`vendor/${path}`)) === null) missing.push(path);
  expect(missing).toEqual([]);
});

/** Unmodified: `fetch` would normalize the path, and decompress. */
function rawGet(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const request = httpRequest({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

test('/llms.txt lists the Markdown of every page, whose links lead to Markdown again', async () => {
  const response = await get('/llms.txt');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const listed = (await response.text()).match(/(?<=\]\()[^)]+(?=\))/g) ?? [];
  expect(listed).toContain('/docs/deploy.md');
  expect(listed).toContain('/openapi.json');
  const start = await get('/docs/index.md');
  expect(start.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  const linked = (await start.text()).match(/(?<=\]\()\/[^)#]+/g) ?? [];
  expect(linked).toContain('/docs/sign-in.md');
  for (const address of new Set([...listed, ...linked])) expect((await get(address)).status).toBe(200);
  expect((await get('/docs/no-such-page.md')).status).toBe(404);
});
