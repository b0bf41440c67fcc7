import { statSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asBytes } from '../../public/console/numbers.js';
import { dataFiles } from '../../src/config.ts';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { fileReport } from '../../src/features/moderation/reports/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { demoPlayers } from '../../src/tools/demo/demo-data.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { post } from '../support/http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { desktop, launchBrowser, noBrowser, openPage, phone } from './browser.ts';
import { openConsole } from './operator.ts';
import { consoleViews } from './views.ts';

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
    const { db } = server.services;
    await seedDemo(db, server.box);
    const gameId = (await db.read(findGameBySlug, 'demo-game'))?.id ?? '';
    const long = await server.createGame({ name: 'A game with a long name', slug: 'long' });
    await db.write(setScore, await server.openSession(long.gameId), 1);
    const [ada, grace] = demoPlayers;
    const comment = 'In every channel, every evening, for a week now';
    await db.write(
      fileReport,
      { gameId, wallet: ada?.wallet ?? '' },
      { about: { wallet: grace?.wallet ?? '' }, reason: 'spam', comment },
    );
    // Rows with as much as rows have.
    const muted = { wallet: grace?.wallet ?? '', gameId, seconds: 86_400, reason: 'spam in every channel' };
    const player = await server.openSession(gameId);
    await db.write(setProfile, player.wallet, { username: 'Annabella Longname' });
    const { launcherJwt } = player;
    const answers = [
      await post(`${server.url}/admin/mute-player`, muted, bearer(server.adminToken)),
      await post(`${server.url}/launcher/set-state`, { launcherJwt, label: 'save', state: '{}' }),
      await post(`${server.url}/launcher/get-channel-messages`, { launcherJwt, channelId: 'none' }),
    ];
    expect(answers.map(({ status }) => status < 300)).toEqual([true, true, false]);
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
    test('shows the whole text of a confirmation', async () => {
      const page = await open('games/demo-game/leaderboard', options);
      await page
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
      expect(await cutOff(page, '.dialog')).toEqual([]);
    });

    test('keeps the buttons of the form for a new game on the screen, and reports an error once', async () => {
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

    test('shows its tables in full without horizontal scrolling, and placeholders uncut', async () => {
      const page = await open('', options);
      for (const [view, shows] of consoleViews.filter(([name]) => !/settings|rules/.test(name))) {
        await page.goto(`${server.url}/console#/${view}`);
        await page.locator(`.main :is(${shows})`).first().waitFor();
        await page.waitForFunction(() => !document.querySelector('.loading-rows'));
        expect([view, await beyondTables(page)]).toEqual([view, []]);
        expect([view, await cutHints(page)]).toEqual([view, []]);
      }
    });

    test('draws every chart label within its canvas, and shows the value under the pointer', async () => {
      const { page } = await openPage(browser, options);
      await page.addInitScript(recordTexts);
      await page.route('**/admin/get-server-stats', answerFiguresToTheMinute);
      await page.goto(`${server.url}/console`);
      await page.getByLabel('Admin token').fill(server.adminToken);
      await page.keyboard.press('Enter');
      await until('the charts have labels', async () => (await page.evaluate(drawnTexts)).length >= 16);
      const texts = await page.evaluate(drawnTexts);
      expect(texts.filter(({ text }) => /^\d\d:\d\d$/.test(text)).length).toBeGreaterThan(0);
      expect(texts.filter(({ beyond }) => beyond > 0)).toEqual([]);
      const chart = page.locator('.chart-card', { hasText: 'Sockets' }).locator('.u-over');
      await chart.hover({ position: { x: 100, y: 20 } });
      await chart.getByText(/^\d+ connected$/).waitFor();
      await chart.getByText(/^\d\d:\d\d:\d\d$/).waitFor();
      const { width = 0 } = (await chart.boundingBox()) ?? {};
      await chart.hover({ position: { x: width - 4, y: 20 } });
      const [box, card] = [
        await chart.locator('.chart-tooltip').boundingBox(),
        await page.locator('.chart-card', { hasText: 'Sockets' }).boundingBox(),
      ];
      expect(box && card && box.x + box.width < card.x + card.width).toBe(true);
    });

    test('keeps its header on the screen while the server is down, with the text beside its icon', async () => {
      const page = await open('refusals', options);
      await page.context().setOffline(true);
      // The view says the same where its own request failed.
      const banner = page.locator('.banner.offline[role=alert]', { hasText: 'Cannot reach the server' });
      await banner.waitFor();
      const [toggle, icon, words] = [
        await edges(page.getByRole('button', { name: /^Switch to/ })),
        await edges(banner.locator('.icon')),
        await edges(banner.locator('.icon + span')),
      ];
      expect(toggle.right).toBeLessThanOrEqual((options.viewport?.width ?? 0) - 12);
      expect(words.left).toBeGreaterThan(icon.right);
    });

    test('does not scroll on its sign-in page', async () => {
      const { page } = await openPage(browser, options);
      await page.goto(`${server.url}/console`);
      await page.getByLabel('Admin token').waitFor();
      const over = () => document.documentElement.scrollHeight - document.documentElement.clientHeight;
      expect(await page.evaluate(over)).toBe(0);
    });
  });

  test('offers the other theme, also after the system has changed its own', async () => {
    const page = await open('games', { colorScheme: 'light' });
    await page.getByRole('button', { name: 'Switch to dark theme' }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    const toLight = page.getByRole('button', { name: 'Switch to light theme' });
    await toLight.click();
    await page.getByRole('button', { name: 'Switch to dark theme' }).waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await toLight.count()).toBe(0);
  });

  test('keeps a secret that is shown only once open on Escape and on a click outside', async () => {
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

  test('accepts an origin with a trailing slash, as copied from the address bar', async () => {
    const page = await open('games');
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Comets');
    await page.getByLabel('Allowed origins').fill('https://comets.example/\nhttps://b.example');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'Comets created' }).waitFor();
    const game = await server.services.db.read(findGameBySlug, 'comets');
    expect(game?.allowedOrigins).toEqual(['https://comets.example', 'https://b.example']);
  });

  test('distinguishes the size of the database from that of its log', async () => {
    const page = await open('');
    const card = page.locator('.chart-card', { hasText: 'Storage' });
    const { database } = dataFiles(server.config.dataDirectory);
    await until('both are shown', async () => {
      const sizes = [database, `${database}-wal`].map((file) => asBytes(statSync(file).size));
      return (await card.locator('.figure-value').allTextContents()).join() === sizes.join();
    });
  });

  test('with forced colors, it is visible which section, tab and part is shown', async () => {
    const page = await open('games/demo-game/live-ops/news', { ...desktop, forcedColors: 'active' });
    await page.getByRole('link', { name: 'News', exact: true }).waitFor();
    for (const name of ['Sections', 'Demo Game tabs', 'Live-ops']) {
      const looks = await page.getByRole('navigation', { name, exact: true }).evaluate((element) => {
        const canvas = document.createElement('p');
        canvas.style.background = 'Canvas';
        document.body.append(canvas);
        const paper = getComputedStyle(canvas).backgroundColor;
        return Array.from(element.querySelectorAll('a'), (link) => {
          const { backgroundColor, borderBottomColor } = getComputedStyle(link);
          const isFilled = backgroundColor !== paper && !/, 0\)$/.test(backgroundColor);
          const isUnderlined = link.matches('.tab') && borderBottomColor !== paper;
          return { isCurrent: link.ariaCurrent === 'page', isMarked: isFilled || isUnderlined };
        });
      });
      const current = looks.filter(({ isCurrent }) => isCurrent);
      expect(current).toHaveLength(1);
      expect(looks.filter(({ isMarked }) => isMarked)).toEqual(current);
    }
  });

  test('is drawn with its bundled font', async () => {
    const page = await open('games');
    const session = await page.context().newCDPSession(page);
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const { root } = await session.send('DOM.getDocument');
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
    await until('the font is loaded', async () => {
      const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
      return fonts.length === 1 && fonts[0]?.isCustomFont && /^Inter/.test(fonts[0].familyName);
    });
  });

  test('moves the focus to the page after signing in', async () => {
    const page = await open('');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });
});

describe.skipIf(noBrowser !== null)('the page for unknown addresses', () => {
  test('has the standard header', async () => {
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

/** The left and right edges of an element, in pixels. */
async function edges(element: Locator): Promise<{ left: number; right: number }> {
  const { x = 0, width = 0 } = (await element.boundingBox()) ?? {};
  return { left: x, right: x + width };
}

/** The texts of an element that overflow. */
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

/** The placeholders of fields, and the title in the header, that overflow. */
function cutHints(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d');
    const hints = [...document.querySelectorAll<HTMLInputElement>('input[placeholder]')].flatMap((one) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(one);
      if (!context) return ['no canvas'];
      context.font = font;
      const room = one.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return context.measureText(one.placeholder).width > room ? [one.placeholder] : [];
    });
    const titles = [...document.querySelectorAll('.site-title')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.textContent ?? '');
    return [...hints, ...titles];
  });
}

/**
 * What overflows the tables, or is clipped below: a row that is higher than the table assumes, or a table that scrolls
 * sideways.
 */
function beyondTables(page: Page): Promise<string[]> {
  return page.locator('.table-scroll').evaluateAll((tables) =>
    tables.flatMap((table) => {
      const beyond = table.scrollWidth - table.clientWidth;
      const high = [...table.querySelectorAll('tbody tr:not(.spacer)')].filter((row) => {
        const wanted = Number.parseFloat(getComputedStyle(row).height);
        const counted = Number.parseFloat(getComputedStyle(table).getPropertyValue('--row')) || wanted;
        return Math.round(row.getBoundingClientRect().height) > Math.round(counted);
      });
      const outside = [...table.querySelectorAll('td')].filter((cell) => {
        const end = cell.getBoundingClientRect().right;
        const parts = [...cell.querySelectorAll('a, button, .badge, .address')];
        return parts.some((part) => part.getBoundingClientRect().right > end + 1);
      });
      return [
        ...outside.map((cell) => `beyond its cell: ${cell.textContent}`),
        ...(beyond > 0 ? [`${table.ariaLabel}: ${beyond} pixels`] : []),
        ...high.map((row) => row.textContent ?? ''),
      ];
    }),
  );
}

/** Records every text that a canvas draws, with how many pixels of it are outside the canvas. */
function recordTexts(): void {
  const texts: { text: string; beyond: number }[] = [];
  Reflect.set(globalThis, 'drawnTexts', texts);
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { actualBoundingBoxLeft, actualBoundingBoxRight } = this.measureText(text);
    const at = this.getTransform().transformPoint({ x, y });
    const beyond = Math.max(actualBoundingBoxLeft - at.x, at.x + actualBoundingBoxRight - this.canvas.width);
    texts.push({ text, beyond: Math.ceil(beyond) });
    draw.call(this, text, x, y, ...rest);
  };
}

function drawnTexts(): { text: string; beyond: number }[] {
  return Reflect.get(globalThis, 'drawnTexts');
}

/** Responds with five minutes of samples, the last on a full minute: its label is at the edge of the chart. */
async function answerFiguresToTheMinute(route: Route): Promise<void> {
  const { after } = route.request().postDataJSON();
  const answer = await (await route.fetch()).json();
  const sample = answer.samples.at(-1);
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const samples = Array.from({ length: 150 }, (_, index) => ({
    ...sample,
    at: minute - (149 - index) * 2_000,
  }));
  await route.fulfill({ json: { ...answer, samples: sample && after === 0 ? samples : [] } });
}
