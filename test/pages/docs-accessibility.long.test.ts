import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accessibilityIssues } from './axe.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';

const screens: readonly [string, BrowserContextOptions][] = [
  [
    'a desktop, opened in light',
    { ...desktop, viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  ],
  ['a phone, opened in dark', { ...phone, colorScheme: 'dark' }],
];

// Colours are independent of the screen size, so each page is checked in the scheme that the screen was opened in; what
// all pages share, in both.
describe.skipIf(noBrowser !== null)('the manual', { timeout: 120_000 }, () => {
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

  const openDocs = async (path: string, options: BrowserContextOptions) => {
    const opened = await openPage(browser, options);
    await opened.page.goto(`${server.url}/docs${path}`);
    return opened;
  };

  test.each(screens)('has no accessibility issue on any page: %s', async (_name, options) => {
    const { page, complaints } = await openDocs('', options);
    const paths = await page
      .locator('#manual-menu a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(paths.length).toBeGreaterThan(15);
    const isDesktop = options.isMobile !== true;
    for (const path of paths) {
      await page.goto(server.url + path);
      await page.getByRole('searchbox').waitFor();
      if (path !== '/docs/reference') expect([path, await accessibilityIssues(page)]).toEqual([path, []]);
      expect([path, await tooWide(page)]).toEqual([path, 0]);
      if (!isDesktop) continue;
      await page.setViewportSize({ width: 1024, height: 768 });
      expect([path, 'on a tablet', await tooWide(page)]).toEqual([path, 'on a tablet', 0]);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    await page.goto(`${server.url}/docs/calling`);
    await page.getByRole('searchbox').fill('token');
    await page.getByRole('search').getByRole('link').first().waitFor();
    expect(await issuesInBothSchemes(page)).toEqual({ light: [], dark: [] });
    expect(complaints).toEqual([]);
  });

  test.each(screens)('has no accessibility issue in the reference: %s', async (_name, options) => {
    const { page, complaints } = await openDocs('/reference', options);
    for (const id of ['credentials', 'headers', 'errors', 'setUserScore', 'setRules', 'launcherDispatch']) {
      await page.locator(`#${id} > summary`).click();
    }
    const form = page.locator('#setUserScore .try-it');
    await form.getByRole('button', { name: 'Execute' }).click();
    await form.getByText('"token_missing"').waitFor();
    expect(await issuesInBothSchemes(page)).toEqual({ light: [], dark: [] });
    expect(complaints.filter((one) => !one.includes('status of 401'))).toEqual([]);
    expect(await tooWide(page)).toBe(0);
  });
});

/** By how many pixels the page is wider than the screen. */
function tooWide(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}
