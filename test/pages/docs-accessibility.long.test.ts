import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accessibilityIssues, looksIssues } from './axe.ts';
import { launchBrowser, noBrowser, openPage, phone } from './browser.ts';
import { issuesInBothSchemes, showIn } from './color-scheme.ts';

const wide: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' };

// Each page is loaded once. What does not depend on looks is checked on the widest screen; colours do not depend on the
// screen, and are checked there in light, and on the narrowest in dark; what all pages share, on both in both.
describe.skipIf(noBrowser !== null)('the manual', { timeout: 480_000 }, () => {
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

  test('has no accessibility issue on any page, and fits every screen', async () => {
    const { page, complaints } = await openDocs('', wide);
    const paths = await page
      .locator('#manual-menu a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(server.url + path);
      await page.getByRole('searchbox').waitFor();
      // The reference has a test of its own.
      const isReference = path === '/docs/reference';
      const inLight = isReference ? [] : await accessibilityIssues(page);
      const over = [await tooWide(page)];
      const broken = await brokenNames(page);
      const sideways = await sidewaysTables(page);
      for (const [width, height] of [
        [1024, 768],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        over.push(await tooWide(page));
        broken.push(...(await brokenNames(page)));
        if (width > 390) sideways.push(...(await sidewaysTables(page)));
      }
      await showIn(page, 'dark');
      const inDark = isReference ? [] : await looksIssues(page);
      expect({ path, inLight, inDark, over, broken, sideways }).toEqual({
        ...{ path, inLight: [], inDark: [], over: [0, 0, 0] },
        ...{ broken: [], sideways: [] },
      });
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ['a desktop', wide],
    ['a phone', phone],
  ])('has no accessibility issue in what its pages share: %s', async (_name, options) => {
    const { page, complaints } = await openDocs('/calling', options);
    await page.getByRole('searchbox').fill('token');
    await page.getByRole('search').getByRole('link').first().waitFor();
    expect(await issuesInBothSchemes(page)).toEqual({ light: [], dark: [] });
    expect(complaints).toEqual([]);
  });

  test('has no accessibility issue in the reference', async () => {
    const { page, complaints } = await openDocs('/reference', wide);
    for (const id of ['credentials', 'headers', 'errors', 'setUserScore', 'setRules', 'launcherDispatch']) {
      await page.locator(`#${id} > summary`).click();
    }
    const form = page.locator('#setUserScore .try-it');
    await form.getByRole('button', { name: 'Execute' }).click();
    await form.getByText('"token_missing"').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await tooWide(page)).toBe(0);
    // Folded operations all look like the first.
    await page.evaluate(() => {
      const [, ...others] = document.querySelectorAll('.operation:not([open])');
      for (const one of others) one.remove();
    });
    await showIn(page, 'dark');
    expect(await looksIssues(page)).toEqual([]);
    expect(complaints.filter((one) => !one.includes('status of 401'))).toEqual([]);
  });
});

/** By how many pixels the page is wider than the screen. */
function tooWide(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}

/** Short names in the text or a table that are broken where a line ends. */
function brokenNames(page: Page): Promise<string[]> {
  return page.locator('article :is(p, li, td, th, a, strong) > code').evaluateAll((all) => {
    const longest = 28;
    return all
      .filter((one) => {
        const text = one.textContent ?? '';
        const lines = new Set([...one.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 1 && text.length <= longest && !text.includes(' ');
      })
      .map((one) => one.textContent ?? '');
  });
}

/** By how many pixels tables are wider than their column. */
function sidewaysTables(page: Page): Promise<string[]> {
  return page
    .locator('.table-scroll')
    .evaluateAll((all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth)
        .map((one) => `${one.scrollWidth - one.clientWidth} pixels: ${one.textContent?.trim().slice(0, 40)}`),
    );
}
