import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seedDemo } from '../../src/demo/seed.ts';
import { findGameBySlug } from '../../src/games/queries.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone } from './browser.ts';
import { openConsole } from './operator.ts';

const screens: [string, BrowserContextOptions][] = [
  ['1440', { ...desktop, viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['1024', { ...desktop, viewport: { width: 1024, height: 700 }, colorScheme: 'dark' }],
  ['390', { ...phone, colorScheme: 'light' }],
];

describe.skipIf(noBrowser !== null)('the console', () => {
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
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

  const open = async (view: string, options?: BrowserContextOptions) =>
    (await openConsole(browser, server, view, options)).page;

  describe.each(screens)('%s pixels wide', (_width, options) => {
    test('shows all of what a confirmation asks', async () => {
      const page = await open('games/demo-game/leaderboard', options);
      await page
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await cutOff(page, '.dialog')).toEqual([]);
    });

    test('keeps the buttons of the form for a new game on the screen, and says once what is wrong', async () => {
      const page = await open('games', options);
      await page.getByRole('button', { name: 'New game' }).click();
      const dialog = page.getByRole('dialog', { name: 'New game' });
      await dialog.getByLabel('Name', { exact: true }).fill('Asteroids');
      await dialog.getByLabel('Slug').fill('No Slug At All');
      await dialog.getByLabel('URL').fill('golf');
      await dialog.getByLabel('Allowed origins').fill('https://a.example/with/a/path');
      const create = dialog.getByRole('button', { name: 'Create' });
      await create.click();
      await dialog.getByText('Correct the marked fields.').waitFor();
      const box = await create.boundingBox();
      const height = options.viewport?.height ?? 0;
      expect(box && box.y + box.height).toBeLessThanOrEqual(height);
      expect(await dialog.textContent()).not.toContain('allowedOrigins');
    });

    test('does not scroll on its page for signing in', async () => {
      const { page } = await openPage(browser, options);
      await page.goto(`${server.url}/console`);
      await page.getByLabel('Admin token').waitFor();
      const over = () => document.documentElement.scrollHeight - document.documentElement.clientHeight;
      expect(await page.evaluate(over)).toBe(0);
    });
  });

  test('closes no secret that is shown once by Escape or by a click beside it', async () => {
    const page = await open('games');
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Asteroids');
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Asteroids created' });
    await dialog.waitFor();
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByText(/^gsk_/).isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('takes an origin with a slash behind it, as it is copied from the address bar', async () => {
    const page = await open('games');
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Comets');
    await page.getByLabel('Allowed origins').fill('https://comets.example/\nhttps://b.example');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'Comets created' }).waitFor();
    const game = await server.services.db.read(findGameBySlug, 'comets');
    expect(game?.allowedOrigins).toEqual(['https://comets.example', 'https://b.example']);
  });

  test('puts the focus on the page when one has signed in', async () => {
    const page = await open('');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });
});

describe.skipIf(noBrowser !== null)('a page that is not there', () => {
  test('has the head that every page has', async () => {
    await using server = await startTestServer();
    await using browser = await launchBrowser();
    const { page } = await openPage(browser);
    await page.goto(`${server.url}/nothing-here`);
    expect(
      await page.getByRole('banner').getByRole('link', { name: 'Gantry home' }).getAttribute('href'),
    ).toBe('/');
    await page.getByRole('button', { name: /^Switch to/ }).waitFor();
  });
});

/** The texts of an element that are wider than the room they have. */
function cutOff(page: Page, selector: string): Promise<string[]> {
  return page.locator(`${selector} :is(p, h2, span, strong)`).evaluateAll((all) =>
    all
      .filter((one) => {
        const frame = one.closest('.dialog')?.getBoundingClientRect();
        const { left, right } = one.getBoundingClientRect();
        const hidden = one.classList.contains('visually-hidden');
        return (
          !hidden &&
          frame !== undefined &&
          (left < frame.left || right > frame.right || one.scrollWidth > one.clientWidth + 1)
        );
      })
      .map((one) => one.textContent ?? ''),
  );
}
