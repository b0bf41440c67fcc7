import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../pages/browser.ts';
import { repository } from '../support/gantry-process.ts';
import { until } from '../support/until.ts';
import { serveFiles } from './chromium.ts';
import { grace, ScriptedAccounts } from './scripted-accounts.ts';
import { ScriptedServer } from './scripted-server.ts';

/** Connects with the options in its address; its title is then the player's address, or the reason of the refusal. */
const game = `<!doctype html><script type="module">
  import { connect } from './client.js';
  globalThis.fromOthers = 0;
  addEventListener('message', ({ source }) => { if (source !== parent) fromOthers += 1; });
  globalThis.process = { env: { GANTRY_TOKEN: 'not a token' } }; // as bundlers define it
  connect(JSON.parse(new URLSearchParams(location.search).get('options'))).then(
    (client) => { document.title = client.player.wallet; },
    ({ reason }) => { document.title = reason; },
  );
</script>`;
/** Contains the page `game`, and answers it with its tokens in turn; and the page `beside`. */
const launcher = `<!doctype html><script type="module">
  const given = new URLSearchParams(location.search);
  const tokens = given.getAll('token');
  addEventListener('message', ({ data, source }) => {
    if (data?.type !== 'GANTRY_TOKEN_REQUEST' || tokens.length === 0) return;
    source.postMessage({ source: 'gantry', type: 'GANTRY_TOKEN', launcherJwt: tokens.shift() }, '*');
  });
  for (const name of ['game', 'beside']) {
    if (!given.has(name)) continue;
    const frame = document.createElement('iframe');
    if (given.has('sandbox')) frame.sandbox = given.get('sandbox');
    frame.src = given.get(name);
    document.body.append(frame);
  }
</script>`;
/** Posts a token to the frames beside it, whether or not they ask. */
const intruder = `<!doctype html><script type="module">
  const launcherJwt = new URLSearchParams(location.search).get('token');
  const message = { source: 'gantry', type: 'GANTRY_TOKEN', launcherJwt };
  setInterval(() => {
    for (let index = 0; index < parent.length; index++) parent[index].postMessage(message, '*');
  }, 20);
</script>`;

/** What only a browser has: the page's address, `localStorage`, and pages that contain the game. */
describe.skipIf(noBrowser !== null)('connect in a page', () => {
  const guest = '0xa1';
  const opened = new AsyncDisposableStack();
  let client: string;
  let browser: Browser;
  let files: { url: string };
  let launchers: { url: string };
  let others: { url: string };
  beforeAll(async () => {
    client = await readFile(join(repository, 'public/sdk/typescript/client.js'), 'utf8');
    const pages = { '/': launcher, '/intruder': intruder };
    files = opened.use(await serveFiles({ '/': game, '/client.js': client }));
    launchers = opened.use(await serveFiles(pages));
    others = opened.use(await serveFiles(pages));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await opened.disposeAsync();
  });

  async function start() {
    const server = await ScriptedServer.start();
    server.stream('player');
    const accounts = new ScriptedAccounts(server);
    const context = await browser.newContext();
    const page = await context.newPage();
    const gameUrl = (options: object = {}, more = '') => {
      const given = JSON.stringify({ url: server.url, game: 'my-game', ...options });
      return `${files.url}/?options=${encodeURIComponent(given)}${more}`;
    };
    return {
      server,
      accounts,
      page,
      gameUrl,
      names: () => server.calls.map(({ name }) => name),
      /** The game in a launcher's page at this origin. */
      async framed(origin: string, search: Record<string, string>, tokens: string[] = []) {
        const given = new URLSearchParams({ game: gameUrl(), ...search });
        for (const token of tokens) given.append('token', token);
        await page.goto(`${origin}/?${given}`);
        return titleOf(gameIn(page));
      },
      async [Symbol.asyncDispose]() {
        await context.close();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  function gameIn(page: Page): Frame {
    const frame = page.frames().find((one) => one.url().startsWith(files.url));
    if (!frame) throw new Error('the game is not open');
    return frame;
  }

  async function titleOf(frame: Frame | Page): Promise<string> {
    await frame.waitForFunction(() => document.title !== '');
    return frame.title();
  }

  test('the token is in the fragment or the query of its address, in this order', async () => {
    await using world = await start();
    const { accounts, page, gameUrl } = world;
    const other = { ...grace, wallet: '0xc3' };
    await page.goto(gameUrl({}, `&token=${encodeURIComponent(accounts.open())}`));
    expect(await titleOf(page)).toBe('0xb2');
    const both = `&token=${encodeURIComponent(accounts.open())}#token=${encodeURIComponent(accounts.open(other))}`;
    await page.goto(gameUrl({}, both));
    expect(await titleOf(page)).toBe('0xc3');
    expect(world.names()).toEqual(['getPlayer', 'getPlayer']); // no environment variable is read
  });

  test("the guest is kept in the origin's localStorage, of each game and server a separate one", async () => {
    await using world = await start();
    const { server, page, gameUrl } = world;
    await page.goto(gameUrl());
    expect(await titleOf(page)).toBe(guest);
    const key = `gantry:${server.url}:my-game`;
    const saved = JSON.parse((await page.evaluate((name) => localStorage.getItem(name), key)) ?? 'null');
    expect(saved).toMatchObject({
      wallet: guest,
      deviceSecret: 'secret 1',
      session: { launcherJwt: 'token 1' },
    });
    await page.reload();
    expect(await titleOf(page)).toBe(guest);
    expect(world.names()).toEqual(['createGuest', 'getPlayer']);
    await page.goto(gameUrl({ game: 'another' }));
    expect(await titleOf(page)).toBe('0xa2');
    expect(await page.evaluate(() => Object.keys(localStorage).length)).toBe(2);
  });

  test('a frame that may not use localStorage plays as a guest of its own', async () => {
    await using world = await start();
    expect(await world.framed(others.url, { sandbox: 'allow-scripts' })).toBe(guest);
    expect(await gameIn(world.page).evaluate(() => window.origin)).toBe('null');
  });

  test('any page that contains it may pass a token, unless launcherOrigins lists those that may', async () => {
    await using world = await start();
    const { server, accounts, page } = world;
    const launcherOrigins = [launchers.url];
    expect(await world.framed(others.url, {}, [accounts.open()])).toBe('0xb2');
    const restricted = { game: world.gameUrl({ launcherOrigins }) };
    server.calls.length = 0;
    expect(await world.framed(others.url, restricted, [accounts.open()])).toBe(guest);
    expect(world.names()).toEqual(['createGuest']); // what the page has posted was not even tried
    const tokens = [accounts.open(), accounts.open()];
    expect(await world.framed(launchers.url, restricted, tokens)).toBe('0xb2');
    // The next token comes from there too.
    const connections = server.handshakes.length;
    server.endSessions('expired');
    await until('the next session', () => server.handshakes.length > connections);
    expect(server.handshakes.at(-1)?.launcherJwt).toBe(tokens[1]);
    await page.close();
  });

  test('a token that another frame posts is ignored, also one of an allowed origin', async () => {
    await using world = await start();
    const { accounts, page, gameUrl } = world;
    const other = accounts.open({ ...grace, wallet: '0xc3' });
    const beside = `${launchers.url}/intruder?token=${encodeURIComponent(other)}`;
    const restricted = { game: gameUrl({ launcherOrigins: [launchers.url] }), beside };
    expect(await world.framed(launchers.url, restricted)).toBe(guest);
    expect(await gameIn(page).evaluate(() => Reflect.get(globalThis, 'fromOthers'))).toBeGreaterThan(0);
    expect(await world.framed(others.url, { beside }, [accounts.open()])).toBe('0xb2');
  });
});
