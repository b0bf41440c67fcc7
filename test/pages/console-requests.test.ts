import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { setProfile } from '../../src/features/players/commands.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, type WatchedPage } from './browser.ts';
import { openConsole, showView } from './operator.ts';

describe.skipIf(noBrowser !== null)('an operator who investigates an incident', () => {
  let server: TestServer;
  let browser: Browser;
  let opened: WatchedPage[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    const complaints = opened.flatMap((one) => one.complaints);
    await Promise.all(opened.map(({ page }) => page.context().close()));
    opened = [];
    expect(complaints).toEqual([]);
  });

  async function open(view = '') {
    const watched = await openConsole(browser, server, view, desktop);
    opened.push(watched);
    return watched.page;
  }

  test('opens a refusal on the chart, and finds the caller, the response and the request id', async () => {
    const { gameId } = await server.createGame({ name: 'Comet' });
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const page = await open();
    const chart = page.locator('.chart-card', { hasText: 'Errors per second' });
    await chart.locator('canvas').waitFor();
    const answered = await fetch(`${server.url}/launcher/set-user-score`, {
      method: 'POST',
      body: JSON.stringify({ launcherJwt, score: 1.5 }),
    });
    const id = answered.headers.get('x-request-id') ?? '';
    const figure = chart.locator('.figure', { hasText: 'refused' }).locator('.figure-value');
    await expect.poll(() => figure.textContent()).not.toBe('0');
    const area = await chart.locator('.u-over').boundingBox();
    if (!area) throw new Error('the chart has no area');
    // The last sample is at the right edge, and contains the refusal.
    await page.mouse.move(area.x + area.width - 2, area.y + area.height / 2);
    await chart.getByText('Click to list requests').waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await page.getByText('Answered from').waitFor();
    expect(await page.getByLabel('Outcome').inputValue()).toBe('refused');
    const row = page.getByRole('row', { name: /setUserScore/ });
    expect(await row.textContent()).toContain('400');
    expect(await row.textContent()).toContain('Comet');
    await row.getByRole('button', { name: `Show request ${id}` }).click();
    const dialog = page.getByRole('dialog');
    const text = await dialog.textContent();
    for (const shown of [id, 'score_not_integer', 'Comet', '127.0.0.1', wallet.slice(0, 6)]) {
      expect(text).toContain(shown);
    }
  });

  test('filters requests by outcome, game, player, and by id, operation or reason', async () => {
    const [orbit, other] = [
      await server.createGame({ name: 'Orbit' }),
      await server.createGame({ name: 'Lander' }),
    ];
    const ada = await server.openSession(orbit.gameId);
    const bob = await server.openSession(other.gameId);
    await server.services.db.write(setProfile, ada.wallet, { username: 'Ada' });
    const call = (path: string, body: object) => post(`${server.url}/launcher/${path}`, body);
    await call('set-user-score', { launcherJwt: ada.launcherJwt, score: 'many' });
    await call('set-state', { launcherJwt: bob.launcherJwt, label: 'save', state: 'no JSON' });
    const page = await open('requests/refused');
    const rows = page.locator('tbody tr:not(.spacer)');
    const operations = () => rows.locator('strong').allTextContents();
    await page.getByLabel('Game', { exact: true }).selectOption('Orbit');
    await expect.poll(operations).toEqual(['setUserScore']);
    await page.getByLabel('Game', { exact: true }).selectOption('');
    await page.getByLabel('Request ID, operation or reason').fill('state_not_json');
    await expect.poll(operations).toEqual(['setState']);
    await page.getByLabel('Request ID, operation or reason').fill('setUserScore');
    await page.getByLabel('Filter by player').fill('Ada');
    await expect.poll(operations).toEqual(['setUserScore']);
    await page.getByLabel('Request ID, operation or reason').fill('setState');
    await page.getByText('No matching requests').waitFor();
    await page.getByLabel('Request ID, operation or reason').fill('');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByText('No matching requests').waitFor();
  });

  test('scrolls through older requests, which stay while others are answered', async () => {
    const refused = () => post(`${server.url}/launcher/get-game`, { slug: 'no-such-game' });
    for (let calls = 0; calls < 300; calls += 10) await Promise.all(Array.from({ length: 10 }, refused));
    const page = await open();
    await page.clock.install();
    await showView(page, 'requests/refused');
    const table = page.getByRole('region', { name: 'Requests' });
    const count = page.locator('.table-tools [role=status]').first();
    const scrollTo = (end: number) =>
      table.evaluate((element, share) => {
        element.scrollTop = share * element.scrollHeight;
      }, end);
    await table.waitFor();
    await scrollTo(1);
    await expect.poll(() => count.textContent()).toMatch(/^3\d\d rows$/);
    const before = await count.textContent();
    await refused();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.fastForward(20_000);
    await page.clock.runFor(1_000);
    await page.evaluate(() => fetch('/readyz').then((ready) => ready.text()));
    expect(asked).toContain('/readyz');
    expect(asked).not.toContain('/admin/list-requests');
    expect(await count.textContent()).toBe(before);
    await scrollTo(0);
    await expect
      .poll(async () => {
        await page.clock.fastForward(6_000);
        return count.textContent();
      })
      .toMatch(/^250 of 3\d\d rows$/);
  });

  test('sees when and in which game live events happened, and filters by game, player and name', async () => {
    const [orbit, other] = [
      await server.createGame({ name: 'Saturn' }),
      await server.createGame({ name: 'Neptune' }),
    ];
    const ada = await server.openSession(orbit.gameId);
    const bob = await server.openSession(other.gameId);
    const page = await open('events');
    await page.getByText('Live', { exact: true }).waitFor();
    const call = (path: string, body: object) => post(`${server.url}/launcher/${path}`, body);
    await call('set-user-score', { launcherJwt: ada.launcherJwt, score: 7 });
    await call('set-user-score', { launcherJwt: bob.launcherJwt, score: 8 });
    await call('send-notification', { launcherJwt: bob.launcherJwt, message: 'Hello', type: 'success' });
    const rows = page.locator('tbody tr:not(.spacer)');
    await rows.filter({ hasText: 'notifications created' }).first().waitFor();
    const score = rows.filter({ hasText: 'score: 7' });
    expect(await score.locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await score.textContent()).toContain('Saturn');
    await page.getByLabel('Game', { exact: true }).selectOption('Neptune');
    await expect
      .poll(() => rows.allTextContents())
      .toSatisfy((texts: string[]) => texts.length > 0 && texts.every((text) => text.includes('Neptune')));
    await page.getByLabel('Event', { exact: true }).selectOption('notifications created');
    await expect.poll(() => rows.filter({ hasText: 'Hello' }).count()).toBe(1);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Filter by player').fill(ada.wallet);
    await page.getByText('No matching events').waitFor();
    await page.getByLabel('Filter by player').fill(bob.wallet);
    await expect.poll(() => rows.count()).toBe(1);
  });

  test('chooses the range of the charts, and sees players, the node and storage', async () => {
    const { gameId } = await server.createGame({ name: 'Pluto' });
    const { launcherJwt } = await server.openSession(gameId);
    const state = JSON.stringify('x'.repeat(100_000));
    await post(`${server.url}/launcher/set-state`, { launcherJwt, label: 'save', state });
    const page = await open();
    await page.getByRole('group', { name: 'Time range' }).getByRole('button', { name: 'Week' }).click();
    const week = page.getByRole('button', { name: 'Week' });
    expect(await week.getAttribute('aria-pressed')).toBe('true');
    const chart = page.locator('.chart-card', { hasText: 'Sockets' });
    await chart.locator('canvas').waitFor();
    const area = await chart.locator('.u-over').boundingBox();
    if (!area) throw new Error('the chart has no area');
    await page.mouse.move(area.x + area.width - 2, area.y + area.height / 2);
    await expect
      .poll(() => chart.locator('.chart-tooltip-time').first().textContent())
      .toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d$/);
    const today = page.getByRole('region', { name: 'Players' });
    expect(await today.textContent()).toMatch(
      /playing now\s*[1-9]\d*\s*players? today\s*[1-9]\d*\s*sessions? today/,
    );
    expect(await page.getByRole('region', { name: 'Node', exact: true }).textContent()).toContain('Node.js');
    const stored = page.getByRole('region', { name: 'Storage by game' });
    // Results aggregated for an earlier query are cached for some seconds.
    await expect.poll(() => stored.textContent()).toMatch(/Pluto\s*1 player · 9\d(\.\d)? KB of 64(\.0)? GB/);
  });
});
