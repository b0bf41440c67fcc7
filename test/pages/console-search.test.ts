import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../src/features/administration/administrators/administrator.ts';
import { addAdministrator } from '../../src/features/administration/administrators/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole } from './operator.ts';

describe.skipIf(noBrowser !== null)('the search of the console', () => {
  let server: TestServer;
  let browser: Browser;
  let player: TestPlayer;
  beforeAll(async () => {
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    player = await server.openSession((await server.createGame()).gameId);
    await server.services.db.write(setProfile, player.wallet, { username: 'Zebulon' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const field = (page: Page) => page.getByRole('combobox', { name: 'Search games, players, pages' });
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });
  const search = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.insertText(text);
  };
  const hash = (page: Page) => new URL(page.url()).hash;

  test('is opened by a key pressed as soon as the console is shown, and a link is followed then', async () => {
    const { page } = await openConsole(browser, server, 'audit');
    await page.addInitScript(() => {
      // Called in the turn in which the console is rendered, before it is painted.
      new MutationObserver((_changes, observer) => {
        if (!document.querySelector('nav[aria-label="Sections"]')) return;
        observer.disconnect();
        location.hash = '#/requests';
        dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  });

  test('finds a game, a player by name and by wallet, and a page, by keyboard', async () => {
    const { page, complaints } = await openConsole(browser, server, 'audit');
    await search(page, 'demo');
    await option(page, /^Demo game/i)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await until('the game', () => Promise.resolve(hash(page) === '#/games/demo-game'));
    await field(page).waitFor({ state: 'detached' });
    await until('the focus in the view', () => page.evaluate(() => document.activeElement?.id === 'main'));

    for (const text of ['zebul', player.wallet]) {
      await search(page, text);
      await option(page, /Zebulon/).waitFor();
      await page.keyboard.press('Enter');
      await until('the player', () => Promise.resolve(hash(page) === `#/players/${player.wallet}`));
      await page.goto(`${server.url}/console#/audit`);
    }

    await search(page, 'refus');
    await option(page, 'Refusals').first().waitFor();
    await page.keyboard.press('Enter');
    await until('the page', () => Promise.resolve(hash(page) === '#/refusals'));
    expect(complaints).toEqual([]);
  });

  test('selects with the arrow keys, and returns the focus after Escape', async () => {
    const { page, complaints } = await openConsole(browser, server, 'players');
    const before = page.getByRole('searchbox', { name: 'Search players' });
    await before.focus();
    await search(page, 'e');
    await option(page, 'Overview').waitFor();
    const selected = () => page.locator('[role="option"][aria-selected="true"]').innerText();
    const first = await selected();
    await page.keyboard.press('ArrowDown');
    const second = await selected();
    expect(second).not.toBe(first);
    const active = await field(page).getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).innerText()).toBe(second);
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toBe(first);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await until('focus returned', () => before.evaluate((one) => one === document.activeElement));
    await search(page, 'qxzzvw');
    await page.getByText('Nothing found.').waitFor();
    expect(complaints).toEqual([]);
  });

  test("finds what the manual's search finds, with its code loaded at first use", async () => {
    const { page, complaints } = await openConsole(browser, server);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    expect(
      await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name)),
    ).not.toContain(`${server.url}/docs/search.json`);
    await search(page, 'how to ban a player');
    const results = page.getByRole('group', { name: 'Manual' }).getByRole('option');
    await results.first().waitFor();
    expect(await results.first().getAttribute('href')).toMatch(/^\/docs\/moderation/);
    expect(loaded).toContain('/docs/search.json');
    const opened = page.waitForEvent('popup');
    await page.keyboard.press('Enter');
    expect((await opened).url()).toMatch(/\/docs\/moderation/);
    expect(complaints).toEqual([]);
  });

  test('shows only pages that the administrator may see', async () => {
    const token = newAdministratorToken();
    const hashed = { tokenHash: hashOfToken(token), lifetimeMs: null };
    await server.services.db.write(addAdministrator, 'Grace', 'read-only', hashed);
    const names: Record<string, string[]> = {};
    for (const [role, adminToken] of Object.entries({ owner: server.adminToken, 'read-only': token })) {
      const { page } = await openConsole(browser, { url: server.url, adminToken });
      await page.keyboard.press('Control+k');
      await option(page, 'Overview').waitFor();
      names[role] = await page.getByRole('option').allInnerTexts();
    }
    const only = names.owner?.filter((name) => !names['read-only']?.includes(name));
    expect(only?.map((name) => name.trim())).toEqual(['Backups', 'Administrators']);
  });

  test.each([
    ['a desktop', { viewport: { width: 1440, height: 900 } }],
    ['a phone', phone],
  ])('has no accessibility issue, and fits: %s', async (_name, options) => {
    const { page, complaints } = await openConsole(browser, server, '', options);
    await page.getByRole('button', { name: 'Search (Ctrl+K)' }).click();
    await field(page).fill('demo');
    await page.getByRole('group', { name: 'Manual' }).waitFor();
    await page.getByRole('group', { name: 'Games' }).waitFor();
    expect(await issuesInBothSchemes(page)).toEqual({ light: [], dark: [] });
    const overflow = await page.evaluate(() => {
      const found = document.querySelector('.found');
      return [document.documentElement, ...(found ? [found] : [])].map(
        (one) => one.scrollWidth - one.clientWidth,
      );
    });
    expect(overflow).toEqual([0, 0]);
    expect(complaints).toEqual([]);
  });
});
