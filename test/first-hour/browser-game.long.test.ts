import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findScore } from '../../src/features/scores/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { documents } from '../docs/documents.ts';
import { launchBrowser, noBrowser, openPage } from '../pages/browser.ts';
import { signedInAs } from '../pages/players.ts';
import { serveFiles } from '../sdk/chromium.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const page = documents.get('public/docs/first-browser-game.md') ?? '';
const [html = '', game = ''] = ['html', 'js'].map(
  (language) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? '',
);

/** The page's game, with what the test reads from outside. */
const gameOf = (server: string) => `${game.replaceAll('http://127.0.0.1:3000', server)}
  client.onStatus(({ state, endReason }) => (document.title = endReason ?? state));
  document.querySelector('#player').append(' ' + client.player.wallet);
`;

const playerIn = async (frame: Pick<Page, 'locator'>) => {
  const player = frame.locator('#player');
  await player.filter({ hasText: '0x' }).waitFor();
  return (await player.textContent()) ?? '';
};

/** Waits until the page's client has been live with another token than before. */
const sessionOf = (page: Page, url: string) =>
  page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '{}').session?.launcherJwt as string, url);

describe.skipIf(noBrowser !== null)("a developer's first hour, in the browser", () => {
  test('a game on its own origin keeps its players: reloads, the launcher, a day later, offline and back', async () => {
    const lifetimeSeconds = 6;
    // Rate limits as they are by default: thirty players share one address.
    await using server = await startTestServer({
      RATE_LIMIT_FACTOR: '1',
      SESSION_DAYS: String(lifetimeSeconds / 86_400),
    });
    await seedDemo(server.services.db, server.box); // with it, the launcher
    await using files = await serveFiles({ '/': html, '/game.js': gameOf(server.url) });
    const url = `${files.url}/`;
    const { gameId } = await server.createGame({ name: 'My game', slug: 'browser-game', url });
    const key = `gantry:${server.url}:browser-game`;
    const browser = await launchBrowser();
    try {
      const { page, complaints } = await openPage(browser);
      await page.goto(files.url);
      const guest = await playerIn(page);
      expect(guest).toMatch(/^[A-Z]\w+ [A-Z]\w+ 0x6775657374/);

      // A day later: the session is renewed, and has been replaced when the page was closed meanwhile.
      const first = await sessionOf(page, key);
      await until('a renewed session', async () => (await sessionOf(page, key)) !== first);
      await page.reload();
      expect(await playerIn(page)).toBe(guest);

      // Offline longer than the session lasts, and back: what was queued is sent.
      await page.context().setOffline(true);
      await until('offline', async () => (await page.title()) === 'connecting').catch(() => undefined);
      await page.getByRole('button', { name: 'Score 100' }).click();
      await until('the stored call', () =>
        page.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? '{}').queue?.length === 1, key),
      );
      await page.close({ runBeforeUnload: false });
      const context = page.context();
      await context.setOffline(false);
      const back = await context.newPage();
      await back.goto(files.url);
      expect(await playerIn(back)).toBe(guest);
      const wallet = guest.split(' ').at(-1) ?? '';
      await until('the score', async () => {
        const found = await server.services.db.read(findScore, { gameId, wallet });
        return found?.score === 100;
      });
      await back.locator('#board', { hasText: ' 100' }).waitFor();

      // The same game in the launcher is the launcher's player, also after a reload inside the frame.
      const launcher = await openPage(browser);
      await launcher.page.goto(`${server.url}/play#browser-game`);
      await launcher.page.getByRole('button', { name: 'Play as a guest' }).click();
      const frame = launcher.page.frameLocator('iframe');
      const inLauncher = await playerIn(frame);
      const { address } = await signedInAs(launcher.page);
      expect(inLauncher).toContain(address);
      const gameFrame = launcher.page.frames().find((one) => one.url().startsWith(files.url));
      expect(gameFrame).toBeDefined();
      await gameFrame?.evaluate(() => location.reload());
      expect(await playerIn(frame)).toBe(inLauncher);
      // The game's session expires, and its client gets the token of a new one from the launcher.
      await until(
        'the end of the session',
        // The frame may still be navigating.
        () => gameFrame?.evaluate(() => document.title === 'connecting').catch(() => false) ?? false,
      );
      await until('live again', () => gameFrame?.evaluate(() => document.title === 'live') ?? false);
      await gameFrame?.evaluate(() => location.reload());
      expect(await playerIn(frame)).toBe(inLauncher);
      // A frame inside the game asks first, and gets nothing.
      const answers = await gameFrame?.evaluate(() => {
        const other = document.body.appendChild(document.createElement('iframe')).contentWindow;
        let count = 0;
        other?.addEventListener('message', () => count++);
        const request = "top.postMessage({ type: 'GANTRY_TOKEN_REQUEST' }, '*')";
        (other as unknown as { eval(text: string): void }).eval(request);
        parent.postMessage({ type: 'GANTRY_TOKEN_REQUEST' }, '*');
        return new Promise<number>((resolve) => {
          addEventListener('message', ({ data }) => data?.type === 'GANTRY_TOKEN' && resolve(count));
        });
      });
      expect(answers).toBe(0);
      expect(
        [...complaints, ...launcher.complaints].filter(
          (line) => !/offline|ERR_INTERNET|40\d|Failed to load|connection to 'ws/i.test(line),
        ),
      ).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('thirty players of one address load the game three times within ten seconds', async () => {
    await using server = await startTestServer({ RATE_LIMIT_FACTOR: '1' });
    await server.createGame({ name: 'My game', slug: 'my-game' });
    await using files = await serveFiles({
      '/': '<!doctype html><title>…</title><script type="module" src="/game.js"></script>',
      '/game.js': `
        import { connect } from '${server.url}/client.js';
        const kept = Array.from({ length: 30 }, () => null);
        const load = async (number) => {
          const store = { load: () => kept[number], save: (saved) => (kept[number] = saved) };
          const client = await connect({ url: '${server.url}', game: 'my-game', store });
          const { wallet } = client.player;
          client.close();
          return wallet;
        };
        const rounds = [];
        for (let round = 0; round < 3; round++) rounds.push(await Promise.all(kept.map((_, number) => load(number))));
        globalThis.rounds = rounds;
        document.title = 'done';`,
    });
    const browser = await launchBrowser();
    try {
      const { page, complaints } = await openPage(browser);
      const startedAt = performance.now();
      await page.goto(files.url);
      await until('three rounds', async () => (await page.title()) === 'done').catch(() => undefined);
      expect(complaints).toEqual([]);
      const rounds = await page.evaluate(() => Reflect.get(globalThis, 'rounds') as string[][]);
      expect(new Set(rounds[0]).size).toBe(30);
      expect(rounds[1]).toEqual(rounds[0]);
      expect(rounds[2]).toEqual(rounds[0]);
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
