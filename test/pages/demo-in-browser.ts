import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, type WatchedPage } from './browser.ts';

/** A server with the demo game, and a browser, for the tests of one file. */
export interface DemoInBrowser {
  server: TestServer;
  browser: Browser;
  /** The demo game's. */
  gameId: string;
  /** Pages that must have had no complaints when the test is over; the test adds them. */
  opened: Pick<WatchedPage, 'complaints'>[];
}

/**
 * Starts them before all tests, and hands them to `begin`. After each test, all pages are closed.
 * @param isExpected complaints that are not faults
 */
export function useDemoInBrowser(
  begin: (demo: DemoInBrowser) => void,
  isExpected = (_complaint: string) => false,
): void {
  const opened: DemoInBrowser['opened'] = [];
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    const gameId = (await server.services.db.read(findGameBySlug, 'demo-game'))?.id ?? '';
    browser = await launchBrowser();
    begin({ server, browser, gameId, opened });
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
}
