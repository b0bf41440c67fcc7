import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole } from './operator.ts';

describe.skipIf(noBrowser !== null)("a game's overview in the console", { timeout: 60_000 }, () => {
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

  test.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('shows charts and how to connect on a %s, and exports a player', async (screen, options) => {
    const { gameId } = await server.createGame({ name: 'Orbit', slug: `orbit-${screen}` });
    const { wallet } = await server.openSession(gameId);
    const { page, complaints } = await openConsole(browser, server, `games/orbit-${screen}`, options);
    await page.locator('.chart canvas').first().waitFor();
    await page.locator('.figure', { hasText: 'today' }).first().getByText('1', { exact: true }).waitFor();
    for (const language of ['Unity', 'Godot', 'Python', 'Browser']) {
      await page.getByRole('button', { name: language, exact: true }).click();
      const code = await page.locator('.snippet code').textContent();
      expect(code).toContain(server.url);
      expect(code).toContain(`orbit-${screen}`);
    }
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(over).toBe(0);
    expect(await issuesInBothSchemes(page, async () => undefined)).toEqual({ light: [], dark: [] });
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/overview ${screen}.png`, fullPage: true });
    await page.goto(`${server.url}/console#/players/${wallet}`);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export data' }).click();
    expect((await saving).suggestedFilename()).toBe(`player-${wallet}.json`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
