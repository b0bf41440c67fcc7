import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../pages/browser.ts';
import { repository } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { serveFiles, startChromiumDriver } from './chromium.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';

describe.skipIf(noBrowser !== null)('the TypeScript client in Chromium, from /client.js', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.close());

  describeRules(() => startChromiumDriver(server.url), ['config']);
  describeWithRealServer(startChromiumDriver);

  test('the sample game is played on a separate origin, and recognizes its guest again', async () => {
    const { gameId } = await server.createGame();
    const folder = join(repository, 'public/sdk/typescript/sample');
    const [html, game] = await Promise.all(
      ['index.html', 'game.js'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    await using files = await serveFiles({
      '/': html ?? '',
      '/game.js': (game ?? '').replaceAll('http://127.0.0.1:3000', server.url),
    });
    const browser = await launchBrowser();
    const page = await browser.newPage();
    try {
      const complaints: string[] = [];
      page.on('pageerror', ({ message }) => complaints.push(message));
      await page.goto(`${files.url}/?game=${gameId}&seconds=1`);
      for (let click = 0; click < 3; click++) await page.getByRole('button', { name: 'Click' }).click();
      await page.getByText('3 clicks').waitFor();
      await page.locator('#best li', { hasText: ': 3' }).waitFor();
      await page.reload();
      await page.locator('#best li', { hasText: ': 3' }).waitFor();
      for (let click = 0; click < 5; click++) await page.getByRole('button', { name: 'Click' }).click();
      await page.getByText('5 clicks').waitFor();
      await page.locator('#best li', { hasText: ': 5' }).waitFor();
      expect(await page.locator('#best li').count()).toBe(1); // the same player, whose best score counts
      expect(complaints).toEqual([]);
    } finally {
      await page.close();
    }
  });
});

describe('what every server serves at /client.js', () => {
  test('is the client and its types, for any origin, with an ETag and a short max-age', async () => {
    await using server = await startTestServer();
    for (const [address, file, type] of [
      ['/client.js', 'client.js', 'text/javascript; charset=utf-8'],
      ['/client.d.ts', 'client.d.ts', 'text/plain; charset=utf-8'],
    ] as const) {
      const response = await fetch(server.url + address, { headers: { Origin: 'https://game.example' } });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(
        await readFile(join(repository, 'public/sdk/typescript', file), 'utf8'),
      );
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'content-type': type,
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      const etag = response.headers.get('etag') ?? '';
      expect(etag).not.toBe('');
      // Without the second, fetch itself disables caching.
      const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
      const again = await fetch(server.url + address, { headers });
      expect(again.status).toBe(304);
    }
  });
});
