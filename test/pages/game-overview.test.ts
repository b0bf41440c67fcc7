import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole, showView } from './operator.ts';

describe.skipIf(noBrowser !== null)("a game's overview in the console", () => {
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
    const player = await server.openSession(gameId);
    const { wallet } = player;
    using _playing = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const { page, complaints } = await openConsole(browser, server, `games/orbit-${screen}`, options);
    await page.locator('.chart canvas').first().waitFor();
    await page.locator('.figure', { hasText: 'today' }).first().getByText('1', { exact: true }).waitFor();
    await page.locator('.figure', { hasText: 'playing now' }).getByText('1', { exact: true }).waitFor();
    await page.getByText('any, until some are listed in Settings', { exact: true }).waitFor();
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

  test('shows the sessions by days of the time zone also when clocks were put forward between them', async () => {
    await server.createGame({ name: 'Venus', slug: 'venus' });
    const options = { ...desktop, timezoneId: 'America/New_York' };
    const { page, complaints } = await openConsole(browser, server, '', options);
    await page.clock.setFixedTime(new Date('2026-03-12T16:00:00Z'));
    const asked = page.waitForRequest(/get-game-stats/);
    await showView(page, 'games/venus');
    const { dayStarts } = (await asked).postDataJSON();
    await page.locator('.chart canvas').first().waitFor();
    const dates = [27, 28, ...Array.from({ length: 12 }, (_, index) => index + 1)];
    const texts = await page.evaluate(
      (times: number[]) => times.map((at) => new Date(at).toString().slice(8, 21)),
      dayStarts,
    );
    expect(texts).toEqual(dates.map((date) => `${String(date).padStart(2, '0')} 2026 00:00`));
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('shows the first ten minutes of calls as dots, and says when there were none', async () => {
    const { gameId } = await server.createGame({ name: 'Pluto', slug: 'pluto' });
    const { launcherJwt } = await server.openSession(gameId);
    const { page } = await openConsole(browser, server, 'games/pluto');
    const calls = page.locator('.chart-card', { hasText: 'Calls to this node' });
    await calls.getByText('Nothing yet since this node started.').waitFor();
    for (const score of [1, 2, 3])
      await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score });
    await showView(page, 'games/pluto');
    await calls.locator('canvas').waitFor();
    const dots = () =>
      calls.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
        const probe = document.createElement('span');
        probe.style.color = 'var(--info)';
        document.body.append(probe);
        const color = getComputedStyle(probe).color.match(/\d+/g)?.map(Number);
        probe.remove();
        const { data = [] } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at + 3] === 255 && color?.every((part, index) => data[at + index] === part)) count++;
        return count;
      });
    await expect.poll(dots).toBeGreaterThan(10);
    await page.context().close();
  });
});
