import { readdirSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone } from './browser.ts';

describe.skipIf(noBrowser !== null)('the manual', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  // Open pages would keep drawing.
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const openDocs = async (path = '', options?: BrowserContextOptions) => {
    const opened = await openPage(browser, options);
    await opened.page.goto(`${server.url}/docs${path}`);
    return opened;
  };

  test('has a menu with every page, whose links and anchors all have targets', async () => {
    const { page, complaints } = await openDocs();
    const menu = await page
      .getByRole('navigation', { name: 'Manual' })
      .getByRole('link')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    const files = readdirSync(new URL('../../public/docs/', import.meta.url));
    const written = files.filter((name) => name.endsWith('.md')).map((name) => `/docs/${name.slice(0, -3)}`);
    const others = [
      '/docs',
      ...['reference', 'protocol', 'contributing', 'changelog'].map((one) => `/docs/${one}`),
    ];
    expect(menu.toSorted()).toEqual([...written, ...others].toSorted());

    const links = new Set<string>();
    const anchors = new Set<string>();
    for (const path of menu) {
      const shown =
        path === '/docs/reference' ? await inReference(page, server.url + path) : await asServed(page, path);
      for (const link of shown.links) {
        if (!link.startsWith('http'))
          links.add(new URL(link, server.url + path).href.slice(server.url.length));
      }
      for (const id of shown.ids) anchors.add(`${path}#${id}`);
      expect(new Set(shown.ids).size, path).toBe(shown.ids.length);
    }
    const pages = new Set(menu);
    const broken = [];
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const isThere = pages.has(path) || (await fetch(server.url + path)).ok;
      const isAnchor = anchor === undefined || anchor === 'article' || anchors.has(link);
      if (!isThere || !isAnchor) broken.push(link);
    }
    expect(broken).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('no picture is bright in the dark theme; the diagram follows a switch of the theme', async () => {
    const pictures = ['', '/administration', '/benchmarks', '/first-session'];
    for (const path of pictures) {
      const { page } = await openDocs(path, { ...desktop, colorScheme: 'dark' });
      const picture = page.locator('article img');
      expect(await brightness(picture), `/docs${path}`).toBeLessThan(0.3);
      if (path !== '/first-session') continue;
      await page.getByRole('button', { name: 'Switch to light theme' }).click();
      await expect.poll(() => brightness(picture)).toBeGreaterThan(0.7);
    }
  });

  test.each([
    ['nonce_replayed', '/docs/errors#nonce_replayed'],
    ['REDIS_URL', '/docs/configuration#REDIS_URL'],
    ['setUserScore', '/docs/calling#setUserScore'],
    ['rotating a secret', '/docs/webhooks#rotating-a-secret'],
    ["client's algor", '/docs/protocol#6-cursors-the-clients-algorithm'],
  ])('finds "%s" where it is explained, and opens it by keyboard', async (words, address) => {
    const { page, complaints } = await openDocs('/benchmarks');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    const results = page.getByRole('search').getByRole('link');
    // The list follows the typing, so that it is first one of fewer letters.
    await until('the best result', async () => {
      await results.first().waitFor();
      return (await results.first().getAttribute('href')) === address;
    });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(server.url + address);
    const target = page.locator(`[id="${new URL(page.url()).hash.slice(1)}"]`);
    const topOfTarget = () => target.evaluate((one) => one.getBoundingClientRect().top);
    await until('scrolled to it', async () => (await topOfTarget()) < (desktop.viewport?.height ?? 0));
    expect(await target.evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('is searched by Ctrl+K from a page that does not exist', async () => {
    const { page } = await openDocs('/no-such-page');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cloud save');
    await page.getByRole('search').getByRole('link').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/docs/cloud-saves`);
  });

  test('says so when nothing is found, and closes with Escape', async () => {
    const { page } = await openDocs();
    await page.getByRole('searchbox').fill('qxzzvw');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing found.').waitFor({ state: 'hidden' });
  });

  test('is readable without JavaScript', async () => {
    const { page } = await openDocs('/rules', { ...desktop, javaScriptEnabled: false });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Rules');
    await page.getByRole('navigation', { name: 'Manual' }).getByRole('link', { name: 'Webhooks' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Webhooks');
  });

  test.each([
    ['a desktop', { ...desktop, viewport: { width: 1440, height: 900 } }],
    ['a phone', phone],
  ])('shows long values in a table without scrolling it, and names whole, on %s', async (_, options) => {
    const { page } = await openDocs('/games', options);
    const table = page.locator('.table-scroll').first();
    expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    const names = table.locator('td:first-child > code');
    expect(
      await names.evaluateAll((all) => all.filter((one) => one.getClientRects().length > 1).length),
    ).toBe(0);
  });

  test('has its menu behind a button on a phone', async () => {
    const { page } = await openDocs('/rules', phone);
    const link = page.getByRole('navigation', { name: 'Manual' }).getByRole('link', { name: 'Webhooks' });
    expect(await link.isVisible()).toBe(false);
    // What the search says fits, without the keys that a phone does not have.
    expect(await page.getByRole('searchbox').getAttribute('placeholder')).toBe('Search');
    await page.getByRole('button', { name: 'Menu' }).click();
    await link.click();
    await page.waitForURL(`${server.url}/docs/webhooks`);
  });
});

/**
 * The links and anchors of a page of the manual, which its scripts do not change. docs-accessibility.long.test.ts opens
 * each page.
 */
function asServed(page: Page, path: string): Promise<{ links: string[]; ids: string[] }> {
  return page.evaluate(async (address) => {
    const response = await fetch(address);
    const served = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok || !served.querySelector('h1')) throw new Error(`${address} is not there`);
    return {
      links: [...served.querySelectorAll('a[href]')].map((one) => one.getAttribute('href') ?? ''),
      ids: [...served.querySelectorAll('main [id]')].map(({ id }) => id),
    };
  }, path);
}

/** Those of the reference, which its script draws. */
async function inReference(page: Page, address: string): Promise<{ links: string[]; ids: string[] }> {
  await page.goto(address);
  await page.locator('.operation').first().waitFor();
  return {
    links: await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '')),
    ids: await page.locator('main [id]').evaluateAll((all) => all.map(({ id }) => id)),
  };
}

/** The mean brightness of what is shown, from 0 to 1. */
async function brightness(shown: Locator): Promise<number> {
  await shown.scrollIntoViewIfNeeded();
  await expect.poll(() => shown.evaluate((one: HTMLImageElement) => one.complete)).toBe(true);
  const png = (await shown.screenshot()).toString('base64');
  const blank = await shown.page().context().newPage(); // the policy of the manual's page allows no such picture
  const mean = await blank.evaluate(async (source) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${source}`;
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = picture.width;
    canvas.height = picture.height;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('no canvas');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    return (
      data.reduce((sum, value, index) => (index % 4 === 3 ? sum : sum + value), 0) /
      (data.length * 0.75 * 255)
    );
  }, png);
  await blank.close();
  return mean;
}
