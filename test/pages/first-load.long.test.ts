import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, noBrowser, openPage, type WatchedPage } from './browser.ts';

/** What a page may transfer at its first load: slightly more requests or bytes than it makes today. */
const pages = [
  { path: '/', usable: 'Healthy', mostRequests: 8, mostBytes: 90_000 },
  { path: '/play', usable: 'Play as a guest', mostRequests: 10, mostBytes: 162_000 },
  { path: '/console', usable: 'Admin token', mostRequests: 10, mostBytes: 220_000 },
  { path: '/docs', usable: 'On this page', mostRequests: 10, mostBytes: 220_000 },
  { path: '/docs/reference', usable: 'setUserScore', mostRequests: 8, mostBytes: 150_000 },
];

describe.skipIf(noBrowser !== null)('the first load', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  test.each(pages)('of $path takes few requests; the second one transfers next to nothing', async (page) => {
    const watched = await openPage(browser);
    const load = await loader(watched, server.url);
    const [first, second] = [await load(page), await load(page)];
    process.stdout.write(`first load of ${page.path}: ${JSON.stringify({ first, second })}\n`);
    expect(first.requests).toBeLessThanOrEqual(page.mostRequests);
    expect(first.bytes).toBeLessThan(page.mostBytes);
    expect(second.bytes).toBeLessThan(first.bytes / 10);
    expect(watched.complaints).toEqual([]);
    await watched.page.context().close();
  });
});

/** Loads paths in a page, one after the other, until they are usable, and counts the transfers. */
async function loader({ page }: WatchedPage, url: string) {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  let counted = { requests: 0, bytes: 0 };
  network.on('Network.requestWillBeSent', ({ request }) => {
    if (!request.url.startsWith('data:')) counted.requests += 1;
  });
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength;
  });
  return async ({ path, usable }: { path: string; usable: string }) => {
    counted = { requests: 0, bytes: 0 };
    await page.goto(url + path);
    await page.getByText(usable).first().waitFor();
    await page.waitForLoadState('networkidle');
    return counted;
  };
}
