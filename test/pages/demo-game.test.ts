import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listActivities } from '../../src/features/activities/queries.ts';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { requireGame } from '../../src/features/games/require-game.ts';
import { listGamePlaySessions } from '../../src/features/play-sessions/queries.ts';
import { requireBoard } from '../../src/features/scores/boards.ts';
import { findBoardScore } from '../../src/features/scores/leaderboard-queries.ts';
import { findScore } from '../../src/features/scores/queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser, openPage, phone } from './browser.ts';

/** The game's own numbers: a load moves between the edges of a world 360 wide, the hold is in its middle. */
const wayToTheHold = 105;
const speedOf = (container: number) => 120 + container * 7;
const frameMs = 16;

describe.skipIf(noBrowser !== null)('the demo game', () => {
  let server: TestServer;
  let browser: Browser;
  let gameId: string;
  beforeAll(async () => {
    server = await startTestServer();
    await seedDemo(server.services.db, server.box);
    gameId = (await server.services.db.read(findGameBySlug, 'demo-game'))?.id ?? '';
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = async (page: Page, { launcherJwt }: TestPlayer) => {
    await page.goto(`${server.url}/demo-game?token=${launcherJwt}`);
    await signedIn(page);
  };
  /** The name of the player, once there is one. */
  const signedIn = async (page: Page) => {
    await page.locator('#player:not(:empty)').waitFor();
    return page.locator('#player').textContent();
  };

  test('its notes on a phone are beside its content', async () => {
    const { page } = await openPage(browser, phone);
    await page.route('**/client.js', (route) => route.abort());
    await page.goto(`${server.url}/demo-game`);
    const note = page.getByText('nothing is saved');
    await note.waitFor();
    const [below, scores] = [await note.boundingBox(), await page.locator('.scores').boundingBox()];
    expect(below && scores && below.y).toBeGreaterThanOrEqual(scores ? scores.y + scores.height : Infinity);
    expect(below && below.x + below.width).toBeLessThan(phone.viewport?.width ?? 0);
    await page.context().close();
  });

  test('is played on a page without TLS, where browsers have no crypto.randomUUID', async () => {
    const player = await server.openSession(gameId);
    const { page, complaints } = await openPage(browser);
    await page.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, 'randomUUID'));
    await open(page, player);
    await page.getByRole('button', { name: 'Start' }).click();
    const sessions = await until('a play session', async () => {
      const { rows } = await server.services.db.read(listGamePlaySessions, player, { limit: 10, skip: 0 });
      return rows.length > 0 && rows;
    });
    expect(sessions).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a good round is won: the rule notifies, the score counts, the stack is saved, the play session is recorded', async () => {
    const player = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    await launcher.streams();
    const { page, complaints } = await openPage(browser);
    await page.clock.install();
    await open(page, player);
    // From here on only this test advances the page's clock: a slow machine would let the load slide on.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('button', { name: 'Start' }).click();
    for (let container = 1; container <= 12; container++) await dropPerfectly(page, container);

    const won = await launcher.waitForEvent('notifications created');
    expect(won.record).toMatchObject({ type: 'success', message: expect.stringContaining('You won') });
    const score = Number(await page.locator('#score').textContent());
    expect(score).toBe(12 * 50 + 25 * (1 + 2 + 3 + 4 + 8 * 5));

    // The stack is back after a reload: it was saved at each drop.
    const kept = async () =>
      (await server.services.db.read(listPlayerStates, player, { limit: 1, skip: 0 }, 'progress'))[0];
    await until('the stack is kept', async () => (await kept()) !== undefined);
    await page.clock.runFor(100);
    await open(page, player);
    await page.clock.runFor(100);
    await page.getByText('Welcome back').waitFor();
    expect(await page.locator('#score').textContent()).toBe(String(score));

    // Dropped immediately, at the edge, it misses sooner or later.
    const again = page.getByRole('button', { name: 'Play again' });
    while (!(await again.isVisible())) {
      await page.keyboard.press('Space');
      await page.clock.runFor(10 * frameMs);
    }
    const last = Number(await page.locator('#score').textContent());
    await until('the score counts', async () => {
      const found = await server.services.db.read(findScore, player);
      return found?.score === last;
    });
    const board = await requireBoard(
      server.services.db,
      await requireGame(server.services.db, gameId),
      { leaderboard: 'weekly' },
      { isPublic: true },
    );
    await until('the best of the week has it, with how high it was', async () => {
      const best = await server.services.db.read(findBoardScore, board, player);
      const { containers } = best?.metadata ?? {};
      return best?.score === last && typeof containers === 'number' && containers >= 12;
    });
    await until('the feed tells of it', async () => {
      const activities = await server.services.db.read(
        listActivities,
        { gameId, wallet: player.wallet },
        { limit: 9, skip: 0 },
      );
      return (
        activities
          .map(({ eventId }) => eventId)
          .sort()
          .join() === 'personal-best,win'
      );
    });
    expect(complaints).toEqual([]);
  });

  test.each([
    ['reduce', 'is still'],
    ['no-preference', 'moves'],
  ] as const)(
    'with the preference of motion "%s" its sea %s between rounds',
    async (reducedMotion, expected) => {
      const { page } = await openPage(browser, { reducedMotion });
      await page.goto(`${server.url}/demo-game`);
      await signedIn(page);
      // The first picture is complete after two frames; the others are compared with it.
      const pictures = await page.evaluate(async () => {
        const canvas = document.querySelector('canvas');
        const all: (string | undefined)[] = [];
        for (let frame = 0; frame < 40; frame++) {
          await new Promise(requestAnimationFrame);
          if (frame > 1) all.push(canvas?.toDataURL());
        }
        return new Set(all).size;
      });
      if (expected === 'is still') expect(pictures).toBe(1);
      else expect(pictures).toBeGreaterThan(1);
      await page.context().close();
    },
  );

  test('is playable by mouse, by touch and by keyboard', async () => {
    for (const way of ['mouse', 'touch', 'keyboard'] as const) {
      const { page, complaints } = await openPage(browser, way === 'touch' ? phone : undefined);
      await open(page, await server.openSession(gameId));
      const start = page.getByRole('button', { name: 'Start' });
      if (way === 'keyboard') {
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      } else if (way === 'touch') await start.tap();
      else await start.click();
      await until('it began', async () => !(await start.isVisible()));
      if (way === 'keyboard') await page.keyboard.press('Enter');
      else if (way === 'touch') await page.touchscreen.tap(195, 500);
      else await page.mouse.click(600, 400);
      await until(
        `a container dropped by ${way} counts`,
        async () => Number(await page.locator('#score').textContent()) >= 50,
      );
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  test('opened without a launcher it plays as a guest, who is the same after a reload', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${server.url}/demo-game`);
    const name = await signedIn(page);
    expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.keyboard.press('Space');
    await until('it is played', async () => Number(await page.locator('#score').textContent()) >= 50);
    await page.reload();
    expect(await signedIn(page)).toBe(name);
    expect(complaints).toEqual([]);
  });

  test('without an answer it says that nothing is saved, and can be played', async () => {
    const { page } = await openPage(browser);
    await page.route('**/client.js', (route) => route.abort());
    await page.goto(`${server.url}/demo-game`);
    await page.getByText('nothing is saved').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.keyboard.press('Space');
    await until('it is played', async () => Number(await page.locator('#score').textContent()) >= 50);
  });

  test('continues when its session is over, and says so', async () => {
    const player = await server.openSession(gameId);
    const { page } = await openPage(browser);
    await open(page, player);
    await server.services.db.write(revokeSessionById, player.sessionId);
    await page.getByRole('status').filter({ hasText: 'has ended' }).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.keyboard.press('Space');
    await until('it is played', async () => Number(await page.locator('#score').textContent()) >= 50);
  });
});

/** Waits, by the page's own clock, until the load is over the stack, drops it, and waits until it has landed. */
async function dropPerfectly(page: Page, container: number): Promise<void> {
  const score = page.locator('#score');
  const before = await score.textContent();
  await page.clock.runFor((wayToTheHold / speedOf(container)) * 1000);
  await page.keyboard.press('Space');
  await until(`container ${container} has landed`, async () => {
    await page.clock.runFor(frameMs);
    return (await score.textContent()) !== before;
  });
}
