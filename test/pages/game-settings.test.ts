import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../src/features/administration/administrators/administrator.ts';
import { addAdministrator } from '../../src/features/administration/administrators/commands.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { post } from '../support/http.ts';
import { type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';
import { desktop, launchBrowser, noBrowser, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { layoutIssues } from './layout.ts';
import { hasLoaded, openConsole, showView } from './operator.ts';
import { consoleViews } from './views.ts';

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  '390': phone,
  '1024': { ...desktop, viewport: { width: 1024, height: 768 } },
  '1440': { ...desktop, viewport: { width: 1440, height: 900 } },
};
const gamePage = z.object({ game: z.looseObject({ gameId: z.string() }) });

describe.skipIf(noBrowser !== null)('the settings of a game', () => {
  let chain: RulesChain;
  let server: TestServer;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;
  const settings = 'games/demo-game/settings';
  const form = (name: string) => page.getByRole('region', { name });
  const save = async (name: string) => {
    await form(name).getByRole('button', { name: /^Save/ }).click();
    await page.locator('.toast', { hasText: 'Saved' }).getByRole('button', { name: 'Dismiss' }).click();
  };
  const refuses = async (name: string, problem: string | RegExp) => {
    await form(name).getByRole('button', { name: /^Save/ }).click();
    await form(name).getByText(problem).waitFor();
    await form(name).getByText('Correct the marked fields.').waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  };
  const readGame = async () => {
    const { body } = await post(`${server.url}/launcher/get-game`, { slug: 'demo-game' });
    return gamePage.parse(body).game;
  };
  /** Reads a policy as administrators see it. */
  const policy = async (name: string) => {
    const { body } = await post(`${server.url}/admin/list-games`, {}, bearer(server.adminToken));
    const games = z.object({
      games: z.array(z.looseObject({ slug: z.string(), policies: z.record(z.string(), z.unknown()) })),
    });
    return games.parse(body).games.find(({ slug }) => slug === 'demo-game')?.policies[name];
  };

  beforeAll(async () => {
    chain = await startRulesChain();
    server = await startTestServer(chain.variables);
    await seedDemo(server.services.db, server.box);
    browser = await launchBrowser();
    watched = await openConsole(browser, server, settings, screens['1440']);
    page = watched.page;
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await chain[Symbol.asyncDispose]();
  });

  test('have what launchers show on its page: a description, tags, pictures in their order, an age rating', async () => {
    const name = 'Page in launchers';
    const library = form(name);
    await expect.poll(() => library.getByLabel('Tags').inputValue()).toBe('arcade\none button');
    await library.getByLabel('Description').fill('Stack them.\nMind the wind.');
    await library.getByLabel('Tags').fill('arcade\n\u200b\none player');
    await library.getByLabel('Age rating').fill('PEGI 3');
    const medium = (at: number) =>
      library.getByRole('group', { name: `Picture or video ${at}`, exact: true });
    for (const [at, kind, url, alt] of [
      [1, 'Video', 'https://example.com/trailer.mp4', 'Trailer'],
      [2, 'Picture', 'shared/icon.svg', 'A crane'],
      [3, 'Picture', '/nothing.png', ''],
    ] as const) {
      await library.getByRole('button', { name: 'Add picture or video' }).click();
      await medium(at).getByLabel('Kind').selectOption(kind);
      await medium(at).getByLabel('URL').fill(url);
      await medium(at).getByLabel('Alternative text').fill(alt);
    }
    await library.getByRole('button', { name: 'Remove picture or video 3' }).click();
    await refuses(name, /^Line 2: /);
    await library.getByLabel('Tags').fill('arcade\none player');
    await refuses(name, /^Must be an http/);
    expect(await medium(2).getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await medium(2).getByLabel('URL').fill('/shared/icon.svg');
    await library.getByRole('button', { name: 'Move up number 2' }).click();
    await save(name);
    expect(await readGame()).toMatchObject({
      description: 'Stack them.\nMind the wind.',
      tags: ['arcade', 'one player'],
      ageRating: 'PEGI 3',
      media: [
        { kind: 'image', url: '/shared/icon.svg', alt: 'A crane' },
        { kind: 'video', url: 'https://example.com/trailer.mp4', alt: 'Trailer' },
      ],
    });
    await showView(page, settings);
    await expect.poll(() => medium(2).getByLabel('Alternative text').inputValue()).toBe('Trailer');
  });

  test('warn when the page of the game is none of those that may call the API for it', async () => {
    const general = form('General');
    const warning = general.getByRole('status');
    const [url, origins] = [general.getByLabel('URL'), general.getByLabel('Allowed origins')];
    const before = await url.inputValue();
    await url.fill('https://eu.orbit.example/play?from=launcher');
    expect(await warning.count()).toBe(0); // any page may
    await origins.fill('https://orbit.example');
    expect(await warning.textContent()).toContain('has the origin https://eu.orbit.example, which is not in');
    for (const allowed of ['https://a.example\nhttps://eu.orbit.example/', 'https://*.orbit.example']) {
      await origins.fill(allowed);
      await expect.poll(() => warning.count()).toBe(0);
    }
    await url.fill('/demo-game'); // this server's own pages always may
    expect(await warning.count()).toBe(0);
    await url.fill(before);
    await origins.fill('');
  });

  test('have the tokens that players must own, whose problems are at their fields', async () => {
    const name = 'Tokens required to play';
    const access = form(name);
    const { Token, Pass, Achievements } = chain.addresses;
    const token = (at: number, part: number) =>
      access.getByRole('group', { name: `Token ${at} of requirement ${part}`, exact: true });
    const fill = async (at: number, part: number, standard: string, contract: string) => {
      const fields = token(at, part);
      await fields.getByLabel('Standard').selectOption(standard);
      await fields.getByLabel('Chain ID').fill(String(chain.chainId));
      await fields.getByLabel('Contract').fill(contract);
    };
    const add = (label: string) => access.getByRole('button', { name: label }).click();
    await add('Add requirement');
    await fill(1, 1, 'ERC-721', Pass);
    await token(1, 1).getByLabel('Chain ID').fill('77');
    await refuses(name, /CHAINS/);
    await token(1, 1).getByLabel('Chain ID').fill(String(chain.chainId));
    await token(1, 1).getByLabel('Name').fill('Harbour Pass');
    await save(name);
    const pass = {
      ...{ type: 'user-owns-tokens', standard: 'erc721', chainId: chain.chainId, operator: 'gte' },
      ...{ contract: Pass.toLowerCase(), amount: '1', name: 'Harbour Pass' },
    };
    expect(await policy('access')).toEqual(pass);

    await add('Add requirement');
    await fill(1, 2, 'ERC-20', Token);
    await token(1, 2).getByLabel('At least').fill('50');
    await add('Add token to requirement 2');
    await fill(2, 2, 'ERC-1155', Achievements);
    await token(2, 2).getByLabel('Token ID').fill('seven');
    await access.getByLabel('Players must meet').selectOption('Any of the requirements');
    await access.getByLabel('Tokens', { exact: true }).selectOption('All of these');
    await refuses(name, /^Must be a whole number/);
    await token(2, 2).getByLabel('Token ID').fill('7');
    await token(1, 2).getByLabel('Contract').fill(chain.signer);
    await refuses(name, /^No contract is deployed/);
    await token(1, 2).getByLabel('Contract').fill(Token);
    await save(name);
    expect(await policy('access')).toMatchObject({
      type: 'any',
      of: [
        pass,
        {
          type: 'all',
          of: [
            { standard: 'erc20', amount: '50' },
            { standard: 'erc1155', tokenId: '7' },
          ],
        },
      ],
    });
    await showView(page, settings);
    expect(await token(2, 2).getByLabel('Token ID').inputValue()).toBe('7');
    for (const [width, options] of Object.entries(screens)) {
      if (options.viewport) await page.setViewportSize(options.viewport);
      await hasLoaded(page);
      expect([width, await layoutIssues(page)]).toEqual([width, []]);
      const issues = await issuesInBothSchemes(page, async () => {
        if (process.env.PICTURES)
          await page.screenshot({ path: `${process.env.PICTURES}/settings ${width}.png`, fullPage: true });
      });
      expect([width, issues]).toEqual([width, { light: [], dark: [] }]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    for (const one of ['token 2 of requirement 2', 'token 1 of requirement 2', 'token 1 of requirement 1'])
      await access.getByRole('button', { name: `Remove ${one}` }).click();
    await save(name);
    expect(await policy('access')).toBeNull();
  });

  test('have the oldest version that may play', async () => {
    const name = 'Minimum version';
    const oldest = form(name).getByLabel('Oldest allowed version');
    await oldest.fill('v2');
    await refuses(name, /^Must be one to four numbers/);
    await oldest.fill('2.0');
    await form(name).getByLabel('Where to get a newer version').fill('orbit');
    await refuses(name, /^Must be an http/);
    await form(name).getByLabel('Where to get a newer version').fill('https://orbit.example/download');
    await form(name).getByLabel('Message to players').fill('New maps!');
    await save(name);
    expect(await policy('minVersion')).toEqual({
      ...{ version: '2.0', url: 'https://orbit.example/download', message: 'New maps!' },
    });
    await oldest.fill('');
    await save(name);
    expect(await policy('minVersion')).toBeNull();
    expect(watched.complaints).toEqual([]);
  });

  test('keep what someone else has changed since they were opened', async () => {
    await showView(page, settings);
    await form('Policies').getByLabel('Guests', { exact: true }).waitFor();
    const change = {
      gameId: (await readGame()).gameId,
      image: '/shared/icon.svg',
      policies: { guests: 'server' },
    };
    await post(`${server.url}/admin/update-game`, change, bearer(server.adminToken));
    await form('General').getByLabel('Order').fill('7');
    await save('General');
    await form('Policies').getByLabel('One session per player').check();
    await save('Policies');
    expect(await policy('oneSessionPerPlayer')).toBe(true);
    expect(await policy('guests')).toBe('server');
    expect(await readGame()).toMatchObject({ image: '/shared/icon.svg' });
    expect(await form('General').getByLabel('Image').inputValue()).toBe('/shared/icon.svg');
    expect(await form('Policies').getByLabel('Guests', { exact: true }).inputValue()).toBe('server');
    await form('Policies').getByLabel('One session per player').uncheck();
    await save('Policies');
    expect(await policy('oneSessionPerPlayer')).toBe(false);
  });

  test('say that someone else has changed the same one, and replace it only when saved again', async () => {
    const name = 'Moderation: word filter';
    const words = form(name).getByLabel('Words and phrases');
    const change = async (wordFilter: object) => {
      const { gameId } = await readGame();
      await post(
        `${server.url}/admin/update-game`,
        { gameId, policies: { wordFilter } },
        bearer(server.adminToken),
      );
    };
    await change({ action: 'mask', words: ['darn'] });
    await showView(page, settings);
    await expect.poll(() => words.inputValue()).toBe('darn');
    await change({ action: 'reject', words: ['darn', 'theirs'] });
    await words.fill('darn\nours');
    await form(name).getByRole('button', { name: /^Save/ }).click();
    await form(name).getByText('Someone else has changed this meanwhile').waitFor();
    expect(await policy('wordFilter')).toEqual({ action: 'reject', words: ['darn', 'theirs'] });
    expect(await words.inputValue()).toBe('darn\nours');
    await save(name);
    expect(await policy('wordFilter')).toEqual({ action: 'reject', words: ['darn', 'ours'] });
    await words.fill('');
    await save(name);
    expect(watched.complaints).toEqual([]);
  });

  test('also say so when another form has been saved since, which reads all settings again', async () => {
    await showView(page, settings);
    const image = form('General').getByLabel('Image');
    await image.fill('/ours.png');
    const { gameId } = await readGame();
    await post(
      `${server.url}/admin/update-game`,
      { gameId, image: '/theirs.png', order: 9 },
      bearer(server.adminToken),
    );
    await form('Policies').getByLabel('One session per player').check();
    await save('Policies');
    await expect.poll(() => form('General').getByLabel('Order').inputValue()).toBe('9');
    await form('General').getByRole('button', { name: /^Save/ }).click();
    await form('General').getByText('Someone else has changed this meanwhile').waitFor();
    expect(await readGame()).toMatchObject({ image: '/theirs.png' });
    expect(await image.inputValue()).toBe('/ours.png');
    await save('General');
    expect(await readGame()).toMatchObject({ image: '/ours.png' });
    expect(await form('General').getByLabel('Order').inputValue()).toBe('9');
    await image.fill('');
    await save('General');
    await form('Policies').getByLabel('One session per player').uncheck();
    await save('Policies');
    expect(watched.complaints).toEqual([]);
  });

  test('keep unsaved changes when their tab is left, until they are saved or discarded', async () => {
    await showView(page, settings);
    const words = form('Moderation: word filter').getByLabel('Words and phrases');
    const order = form('General').getByLabel('Order');
    const stored = await order.inputValue();
    await words.fill('not saved');
    await order.fill('77');
    await page.getByRole('link', { name: 'States' }).click();
    await form('General').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Settings.*unsaved changes/ }).click();
    await expect.poll(() => words.inputValue()).toBe('not saved');
    expect(await order.inputValue()).toBe('77');
    await form('General').getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => order.inputValue()).toBe(stored);
    expect(await words.inputValue()).toBe('not saved');
    await save('Moderation: word filter');
    await words.fill('');
    await save('Moderation: word filter');
    expect(await page.getByText('unsaved changes').count()).toBe(0);
    expect(watched.complaints).toEqual([]);
  });

  test('and all other forms can be sent by nobody who may only read', async () => {
    const token = newAdministratorToken();
    const hashed = { tokenHash: hashOfToken(token), lifetimeMs: null };
    await server.services.db.write(addAdministrator, 'Reader', 'read-only', hashed);
    const opened = await openConsole(browser, { url: server.url, adminToken: token }, '', desktop);
    const liveOps = ['config', 'news', 'releases', 'calendar', 'maintenance'];
    const views = [
      ...consoleViews.map(([view]) => view),
      ...liveOps.map((part) => `games/demo-game/live-ops/${part}`),
    ];
    for (const view of views) {
      await showView(opened.page, view);
      await hasLoaded(opened.page);
      const sendable = await opened.page
        .locator(
          '#main form :is(input, select, textarea, button):enabled, #main button:is([type=submit], .primary, .danger):enabled',
        )
        .evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 120)));
      expect([view, sendable]).toEqual([view, []]);
    }
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  });
});
