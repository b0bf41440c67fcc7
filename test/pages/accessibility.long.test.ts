import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole, showView } from './operator.ts';
import { playDemoGame } from './players.ts';
import { consoleViews } from './views.ts';

const screens: readonly [string, BrowserContextOptions][] = [
  ['on a desktop, opened in light', { ...desktop, colorScheme: 'light' }],
  ['on a phone, opened in dark', { ...phone, colorScheme: 'dark' }],
];

describe.skipIf(noBrowser !== null)('every page, light and dark,', () => {
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

  describe.each(screens)('%s', (_screen, options) => {
    /** Checks the page in both colour schemes, then what the browser reported. */
    async function expectFine({ page, complaints }: WatchedPage, name: string): Promise<void> {
      const issues = await issuesInBothSchemes(page, async () => {
        expect([name, await wider(page)]).toEqual([name, 0]);
      });
      expect([name, issues]).toEqual([name, { light: [], dark: [] }]);
      expect([name, complaints]).toEqual([name, []]);
    }

    test.each([
      ['/', 'main'],
      ['/demo-game', 'canvas'],
      ['/play', 'button'],
      ['/console', 'input'],
    ])('%s has no accessibility issue and no policy violation', async (path, shows) => {
      const watched = await openPage(browser, options);
      await watched.page.goto(server.url + path);
      await watched.page.locator(shows).first().waitFor();
      await expectFine(watched, path);
      await watched.page.context().close();
    });

    test('neither has the launcher with a game open', async () => {
      const watched = await playDemoGame(browser, server.url, options);
      await expectFine(watched, '/play#demo-game');
      await watched.page.context().close();
    });

    test('neither has any view of the console (dialogs.long.test.ts has the dialogs)', async () => {
      const watched = await openConsole(browser, server, '', options);
      const { page } = watched;
      for (const [view, shows] of consoleViews) {
        await showView(page, view);
        await page.locator(shows).first().waitFor();
        await expectFine(watched, `/console#/${view}`);
      }
      await page.goto(`${server.url}/console#/players`);
      await page
        .getByRole('link', { name: /^Manage/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Active sessions' }).waitFor();
      await expectFine(watched, "a player's page");
      await page.context().close();
    });
  });
});

/** By how many pixels the page is wider than the screen. */
function wider(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
