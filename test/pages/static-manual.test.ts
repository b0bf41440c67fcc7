import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiText } from '../../src/cli/openapi.ts';
import { openAssets } from '../../src/pages/open-assets.ts';
import { SdkArchives } from '../../src/pages/sdk-archives.ts';
import { ServedFile } from '../../src/pages/served-file.ts';
import { type SiteFiles, staticManual } from '../../src/pages/static-manual.ts';
import { documents } from '../docs/documents.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';

const assets = new SdkArchives(openAssets());
let site: SiteFiles;
beforeAll(async () => {
  site = await staticManual(assets, openApiText());
});

const textOf = (name: string) => Buffer.from(site.get(name) ?? '').toString();
const namesOf = (extension: string) => [...site.keys()].filter((name) => name.endsWith(extension));

test('it has every page of the manual, as HTML and as Markdown', () => {
  const pages = [...documents.keys()].flatMap((path) => /^public\/docs\/(.+)\.md$/.exec(path)?.[1] ?? []);
  const all = [...pages, 'index', 'protocol', 'contributing', 'changelog'];
  expect(namesOf('.html').toSorted()).toEqual([...all, 'reference'].map((name) => `${name}.html`).toSorted());
  expect(namesOf('.md').toSorted()).toEqual(all.map((name) => `${name}.md`).toSorted());
});

test('every address in it is relative, and leads to a file of it and to an anchor there', () => {
  const broken: string[] = [];
  const check = (from: string, address: string) => {
    if (isBroken(from, address)) broken.push(`${from}: ${address}`);
  };
  for (const name of namesOf('.html')) {
    for (const address of all(textOf(name), / (?:href|src)="([^"]*)"/g)) check(name, address);
  }
  for (const name of [...namesOf('.md'), 'llms.txt']) {
    const prose = textOf(name).replace(/^```.*?^```$/gms, '');
    for (const address of all(prose, /\]\(([^()\s]+)\)/g)) check(name, address);
  }
  for (const { address } of JSON.parse(textOf('search.json'))) check('index.html', address);
  for (const name of namesOf('.css')) {
    for (const address of all(textOf(name), /url\("?([^")]+)/g)) check(name, address);
  }
  for (const name of namesOf('.js')) {
    for (const address of all(textOf(name), /(?:from|import\() ?"([^"]+)"/g)) check(name, address);
  }
  expect(broken).toEqual([]);
});

test('llms.txt names every page once, each with a summary, and absolute addresses if there is a base', async () => {
  expect(textOf('llms.txt')).toMatch(/^# Gantry\n\n> .+\n\n(## \w+\n\n(- .+\n)+\n?)+$/);
  // A page whose first sentence is no summary has one of its own in manual.ts.
  const link = /^- \[.+\]\([\w-]+\.(md|json)\): .{20,240}$/;
  expect(
    textOf('llms.txt')
      .match(/^- .+$/gm)
      ?.filter((line) => !link.test(line)),
  ).toEqual([]);
  const named = all(textOf('llms.txt'), /\]\((.+)\.md\)/g);
  expect(named.toSorted()).toEqual(
    namesOf('.md')
      .map((name) => name.slice(0, -3))
      .toSorted(),
  );
  const based = await staticManual(assets, '{}', 'https://docs.example/gantry/');
  expect(String(based.get('llms.txt'))).toContain('(https://docs.example/gantry/deploy.md)');
  expect(String(based.get('llms.txt'))).toContain('(https://docs.example/gantry/openapi.json)');
});

describe.skipIf(noBrowser !== null)('in a browser, below a path of a file server', () => {
  test('it is searched, its code is highlighted, and the reference lists every operation', async () => {
    await using files = await fileServer('/x/y/');
    const browser = await launchBrowser();
    const { page, complaints } = await openPage(browser);
    await page.goto(`${files.url}/x/y/`);
    expect(await page.locator('.hljs-string').count()).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('REDIS_URL');
    await page.getByRole('search').getByRole('link').first().click();
    await page.waitForURL(`${files.url}/x/y/configuration.html#REDIS_URL`);
    const font = await page.evaluate(async () => (await document.fonts.ready).check('16px Inter'));
    expect(font).toBe(true);
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL(`${files.url}/x/y/reference.html`);
    await page.locator('#setUserScore summary').click();
    await until('an example', async () =>
      (await page.locator('#setUserScore .code').first().textContent())?.includes('http://127.0.0.1:3000'),
    );
    expect(await page.getByText('Try it').count()).toBe(0); // no server would answer
    const links = await page
      .locator('main a[href]:not([href^="#"])')
      .evaluateAll((found) => found.map((one) => one.getAttribute('href') ?? ''));
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((link) => isBroken('reference.html', link))).toEqual([]);
    await page.getByRole('link', { name: 'Gantry home' }).click();
    await page.waitForURL(`${files.url}/x/y/index.html`);
    await page.context().close();
    expect(files.missing).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Whether an address in a file of the site is absolute, or leads nowhere. */
function isBroken(from: string, address: string): boolean {
  if (/^(https?:|data:)/.test(address)) return false;
  const [path = '', anchor] = address.replace(/\?[^#]*/, '').split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  const isAnchor = anchor === undefined || !target.endsWith('.html') || anchorsIn(target).has(anchor);
  return address.startsWith('/') || !site.has(target) || !isAnchor;
}

/** Serves the site below a path, as any file server does. */
async function fileServer(base: string) {
  const missing: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const name = path === base ? 'index.html' : path.startsWith(base) ? path.slice(base.length) : '';
    const content = site.get(name);
    if (content === undefined) missing.push(url);
    const file = new ServedFile(name, Buffer.from(content ?? ''));
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': file.type }).end(file.bytes);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, missing, [Symbol.asyncDispose]: close };
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found, other = '']) => found ?? other);
}

const anchors = new Map<string, ReadonlySet<string>>();
afterAll(() => anchors.clear());

/** The anchors of a page, for the reference with those of the operations, which are drawn in the browser. */
function anchorsIn(name: string): ReadonlySet<string> {
  const text = name === 'reference.html' ? textOf(name) + textOf('openapi.json') : textOf(name);
  const known = anchors.get(name) ?? new Set(all(text, / id="([^"]*)"|"operationId":"(\w+)"/g));
  anchors.set(name, known);
  return known;
}
