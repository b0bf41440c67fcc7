import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { type PlayerAtLauncher, playDemoGameOn } from './players.ts';

/**
 * A server with the demo game, and a browser, for the tests of one file. The pages that its methods open must have had no
 * complaints when the test is over.
 */
export interface DemoInBrowser {
  readonly server: TestServer;
  readonly browser: Browser;
  /** The demo game's. */
  readonly gameId: string;
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** A guest in the library, unless a game is named. */
  signIn(game?: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** A guest who has opened the demo game. */
  play(options?: BrowserContextOptions): Promise<PlayerAtLauncher>;
}

/**
 * Starts them before all tests. After each test, all pages are closed.
 * @param isExpected complaints that are not faults
 */
export function useDemoInBrowser(isExpected = (_complaint: string) => false): DemoInBrowser {
  const opened: WatchedPage[] = [];
  let server: TestServer;
  let browser: Browser;
  let gameId: string;
  beforeAll(async () => {
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    gameId = (await server.services.db.read(findGameBySlug, 'demo-game'))?.id ?? '';
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    const complaints = opened.splice(0).flatMap((one) => one.complaints);
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(complaints.filter((one) => !isExpected(one))).toEqual([]);
  });

  async function open(options: BrowserContextOptions = desktop) {
    const watched = await openPage(browser, options);
    opened.push(watched);
    return watched;
  }
  return {
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
    get gameId() {
      return gameId;
    },
    open,
    async signIn(game = '', options) {
      const watched = await open(options);
      const { page } = watched;
      await page.goto(`${server.url}/play#${game}`);
      await page.getByRole('button', { name: 'Play as a guest' }).click();
      // The library is shown until the game is open.
      await page
        .getByRole(game ? 'tab' : 'heading', { name: game ? 'Leaderboard' : 'Choose a game' })
        .waitFor();
      return watched;
    },
    async play(options) {
      return playDemoGameOn(await open(options), server.url);
    },
  };
}
