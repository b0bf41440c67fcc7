import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { seriousIssues } from './axe.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone } from './browser.ts';

describe.skipIf(noBrowser !== null)('the API reference', () => {
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

  const openDocs = async (hash = '', options?: BrowserContextOptions) => {
    const opened = await openPage(browser, options);
    await opened.page.goto(`${server.url}/docs${hash}`);
    return opened;
  };

  test('has every operation, and carries one out', async () => {
    const { gameId } = await server.createGame();
    const player = await server.openSession(gameId);
    const { page, complaints } = await openDocs();
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
    await page.locator('.opblock').first().waitFor();
    const shown = await page
      .locator('.opblock-summary-path')
      .evaluateAll((all) => all.map((one) => one.textContent));
    const plain = shown.map((path) => path?.replaceAll('\u200b', ''));
    expect([...new Set(plain)].toSorted()).toEqual(Object.keys(document.paths).toSorted());

    const operation = page.locator('.opblock', { hasText: '/launcher/set-user-score' });
    await operation.locator('.opblock-summary-control').click();
    const body = operation.getByRole('textbox', { name: 'Request body' });
    await body.fill(JSON.stringify({ launcherJwt: player.launcherJwt, score: 1600 }));
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('"score": 1600').waitFor();
    expect(await server.services.store.scores.find(player)).toMatchObject({ score: 1600 });
    expect(complaints).toEqual([]);
  });

  test('shows the protocol of the socket, whose chapters have addresses, and is gone through by keyboard', async () => {
    const { page, complaints } = await openDocs();
    await page.getByRole('tab', { name: 'Operations' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: '6. Cursors' }).waitFor();
    const chapter = page.getByRole('navigation').getByRole('link', { name: '6. Cursors' });
    await chapter.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#protocol-6-cursors/);
    const again = await openDocs(new URL(page.url()).hash);
    const heading = again.page.getByRole('heading', { name: '6. Cursors' });
    await heading.waitFor();
    await expect
      .poll(() => heading.evaluate((one) => one.getBoundingClientRect().top < innerHeight))
      .toBe(true);
    await page.goBack();
    await page.goBack();
    await page.locator('.opblock').first().waitFor();
    expect([...complaints, ...again.complaints]).toEqual([]);
  });

  test.each<[string, BrowserContextOptions]>([
    ['a desktop, light', { ...desktop, colorScheme: 'light' }],
    ['a desktop, dark', { ...desktop, colorScheme: 'dark' }],
    ['a phone, light', { ...phone, colorScheme: 'light' }],
    ['a phone, dark', { ...phone, colorScheme: 'dark' }],
  ])('has no serious issue for assistive technology: %s', async (_name, options) => {
    const { page, complaints } = await openDocs('', options);
    await page.locator('.opblock-summary-control').first().click();
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Socket protocol' }).click();
    await page.getByRole('heading', { name: '1. The connection' }).waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const tooWide = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(tooWide).toBeLessThanOrEqual(0);
  });
});
