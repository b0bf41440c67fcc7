import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';

const mostBytes = 300_000;

describe.skipIf(noBrowser !== null)('the first load of /play', () => {
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

  test('transfers less than 300 KB; the second one next to nothing', async () => {
    const { page } = await openPage(browser);
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    let transferred = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      transferred += encodedDataLength;
    });
    const load = async () => {
      transferred = 0;
      const startedAt = performance.now();
      await page.goto(`${server.url}/play`);
      await page.getByRole('button', { name: 'Play as a guest' }).waitFor();
      const usableMs = Math.round(performance.now() - startedAt);
      await page.waitForLoadState('networkidle');
      return { bytes: transferred, usableMs };
    };
    const [first, second] = [await load(), await load()];
    process.stdout.write(`first load of /play: ${JSON.stringify({ first, second })}\n`);
    expect(first.bytes).toBeLessThan(mostBytes);
    expect(second.bytes).toBeLessThan(first.bytes / 2);
  });
});
