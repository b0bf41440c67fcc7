import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { changeGame } from '../../src/features/administration/commands.ts';
import { setFavorite } from '../../src/features/games/library-commands.ts';
import { listFavorites } from '../../src/features/games/library-queries.ts';
import { moveNewsMark } from '../../src/features/news/commands.ts';
import { findSessions, liveSessions } from '../../src/features/sessions/queries.ts';
import { befriend } from '../support/befriend.ts';
import { post } from '../support/http.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { layoutIssues } from './layout.ts';
import { playDemoGameOn, signedInAs } from './players.ts';

const hourMs = 60 * 60 * 1000;
/** Where it is noon: times of the next two hours are of the same day, those of a day later never. */
const atNoon = {
  ...desktop,
  timezoneId: `Etc/GMT${new Date().getUTCHours() < 12 ? '' : '+'}${new Date().getUTCHours() - 12}`,
};
/** A game's access that no guest has. */
const foundersOnly = {
  type: 'user-owns-tokens',
  standard: 'erc721',
  chainId: 1,
  contract: `0x${'ab'.repeat(20)}`,
  name: 'Founders Pass',
  operator: 'gte',
  amount: '1',
} as const;
/** With pictures, also a width in between. */
const widths = process.env.PICTURES ? [390, 1024, 1440] : [390, 1440];

describe.skipIf(noBrowser !== null)('the home of the launcher', () => {
  const demo = useDemoInBrowser((complaint) => /status of (403|426|503)/.test(complaint));

  const admin = async (path: string, body: object) => {
    const answer = await post(`${demo.server.url}/admin/${path}`, body, bearer(demo.server.adminToken));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return Object(answer.body);
  };

  /** A page whose calls that open a game, or set a favorite, are held up after `hold`, until they `arrive` at the server. */
  async function openSlowly(options: BrowserContextOptions) {
    const watched = await demo.open(options);
    const { page } = watched;
    let held: (() => void)[] | null = null;
    await page.routeWebSocket(/socket\.io/, (socket) => {
      const toServer = socket.connectToServer();
      socket.onMessage((message) => {
        const isHeld = /"(openChannelSession|channelStatus|getGames|setFavoriteGame)"/.test(String(message));
        if (held && isHeld) held.push(() => toServer.send(message));
        else toServer.send(message);
      });
    });
    return {
      page,
      hold() {
        held = [];
      },
      async arrive(what: string) {
        await until(what, () => held !== null && held.length > 0);
        for (const pass of held?.splice(0) ?? []) pass();
      },
      release() {
        held = null;
      },
    };
  }

  /** Whether the player has had one session in the game, which has ended. */
  async function isOnlySessionEnded(wallet: string, gameId: string): Promise<boolean> {
    const { rows } = await demo.server.services.db.read(
      findSessions,
      { wallet, gameId },
      { limit: 10, skip: 0 },
    );
    return rows.length === 1 && rows[0]?.session.endReason === 'ended';
  }

  /** Neither axe nor measuring the layout finds anything, at each width. */
  async function fine(page: Page, name: string) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      let scheme = 0;
      const issues = await issuesInBothSchemes(page, async () => {
        const file = `${process.env.PICTURES}/${name} ${width} ${++scheme === 1 ? 'light' : 'dark'}.png`;
        if (process.env.PICTURES) await page.screenshot({ path: file });
      });
      expect(issues, `${name} at ${width}`).toEqual({ light: [], dark: [] });
      expect(await layoutIssues(page), `${name} at ${width}`).toEqual([]);
    }
  }

  test('news are counted until they are shown; their Markdown becomes elements, never HTML', async () => {
    const { page } = await demo.signIn();
    await page.getByRole('tab', { name: /^News.*1 new/ }).click();
    await page.getByText('A new cup every week').waitFor(); // the demo game's
    await page.getByRole('tab', { name: 'Friends' }).click();

    const body =
      'The **harbor** is *open*: `crane`, [the plan](https://example.com/plan), [a trick](javascript:alert(1)).\n\n<img src=x onerror=alert(2)>\n\n- one\n- two\n\n1. first\n\n![A ship](/shared/icon.svg) ![Elsewhere](https://example.com/a.png)';
    await admin('publish-news', {
      title: 'Harbor news',
      body,
      gameId: demo.gameId,
      image: '/shared/icon.svg',
      pinned: true,
    });
    await admin('publish-news', {
      title: 'Of the <b>installation</b>',
      image: 'https://example.com/cup.png',
    });
    await page.getByRole('tab', { name: /^News.*2 new/ }).click();
    const news = page.getByRole('list', { name: 'News', exact: true });
    const [first, second] = [news.getByRole('article').nth(0), news.getByRole('article').nth(1)];
    await first.getByText(/^Pinned · Demo Game · .*new$/).waitFor();
    await second.getByRole('heading', { name: 'Of the <b>installation</b>' }).waitFor();
    await second.getByRole('link', { name: 'Picture' }).waitFor();
    await page.getByRole('tab', { name: 'News', exact: true }).waitFor();
    expect(await first.locator('.markdown').innerHTML()).toBe(
      '<p>The <strong>harbor</strong> is <em>open</em>: <code>crane</code>, <a href="https://example.com/plan" target="_blank" rel="noopener noreferrer">the plan</a>, a trick.</p>' +
        '<p>&lt;img src=x onerror=alert(2)&gt;</p><ul><li>one</li><li>two</li></ul><ol start="1"><li>first</li></ol>' +
        '<p><img src="/shared/icon.svg" alt="A ship" loading="lazy"> <a href="https://example.com/a.png" target="_blank" rel="noopener noreferrer">Image: Elsewhere</a></p>',
    );
    await fine(page, 'news');

    // Those that were unread stay marked when another arrives.
    await admin('publish-news', { title: 'Late news' });
    await news.getByRole('heading', { name: 'Late news' }).waitFor();
    await first.getByText(/^Pinned · Demo Game · .*new$/).waitFor();

    // What was shown is read, on the next visit too.
    await page.reload();
    await page.getByRole('heading', { name: 'Choose a game' }).waitFor();
    await page.getByRole('tab', { name: 'News', exact: true }).click();
    await first.getByText(/^Pinned/).waitFor();
    expect(await news.locator('.unread').count()).toBe(0);
  });

  test('news that were read on another device are not new here once the page is looked at again', async () => {
    const { page } = await demo.signIn();
    await page.getByRole('tab', { name: /^News.* new/ }).waitFor();
    const { address } = await signedInAs(page);
    const { items } = await admin('list-news-items', {});
    await demo.server.services.db.write(moveNewsMark, address, '', items[0].newsId);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('tab', { name: 'News', exact: true }).click();
    const news = page.getByRole('list', { name: 'News', exact: true });
    await news.getByText('A new cup every week').waitFor();
    expect(await news.locator('.unread').count()).toBe(0);
  });

  test('news that expire disappear from a page that stays open', async () => {
    const { page } = await demo.signIn();
    await page.clock.install({ time: Date.now() });
    await page.getByRole('tab', { name: /^News/ }).click();
    const expiresAt = Date.now() + 15_000;
    const { item } = await admin('publish-news', { title: 'Nearly over', publishAt: 0, expiresAt });
    const shown = page.getByRole('heading', { name: 'Nearly over' });
    await shown.waitFor();
    await admin('remove-news', { newsId: item.newsId }); // launchers are not told, as when it expires
    await page.clock.fastForward(20_000);
    await shown.waitFor({ state: 'hidden' });
  });

  test('how long ago something was is right at once when the page is looked at again', async () => {
    const { page } = await demo.signIn();
    await page.getByRole('tab', { name: /^News/ }).click();
    const time = page.getByRole('list', { name: 'News', exact: true }).locator('time').last();
    await time.filter({ hasText: /now|sec|min/ }).waitFor();
    const texts = await page.evaluate(() => {
      const now = Date.now();
      Date.now = () => now + 3 * 60 * 60 * 1000; // timers do not run meanwhile
      document.dispatchEvent(new Event('visibilitychange'));
      return new Promise((resolve) => {
        requestAnimationFrame(() => {
          setTimeout(() => resolve([...document.querySelectorAll('time')].map((one) => one.textContent)));
        });
      });
    });
    expect(texts).toContain('3 hr. ago');
  });

  test('favorites come first, games say how many play them and what is played lately; nothing moves after loading', async () => {
    const { gameId: last } = await demo.server.createGame({ name: 'Zeppelin', slug: 'zeppelin' });
    const { page } = await demo.signIn();
    const cards = page.locator('.game-card');
    const names = () => cards.locator('h2').allTextContents();
    await cards.nth(1).waitFor();
    expect((await names()).at(-1)).toBe('Zeppelin');
    const favorite = page.getByRole('button', { name: 'Favorite: Zeppelin' });
    await favorite.press('Enter');
    await expect.poll(() => favorite.getAttribute('aria-pressed')).toBe('true');
    const { address } = await signedInAs(page);
    const marked = await demo.server.services.db.read(listFavorites, address);
    expect(marked.map(({ game }) => game.id)).toEqual([last]);

    const { page: other } = await demo.signIn('demo-game');
    await page.getByText('1 playing').waitFor();
    await other.close();
    await page.getByText('1 playing').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Play Demo Game' }).click();
    await page.getByRole('link', { name: 'All games' }).click();
    await expect.poll(names).toEqual(['Zeppelin', 'Demo Game']);
    await page.getByRole('link', { name: /^Demo Game/ }).waitFor();
    await fine(page, 'library');

    // No card moves while the page loads.
    await page.addInitScript(() => {
      const moved: string[] = [];
      Reflect.set(globalThis, 'moved', moved);
      const nodesOf = (shift: PerformanceEntry): { node: Node }[] => Reflect.get(shift, 'sources');
      new PerformanceObserver((list) => {
        const nodes = list.getEntries().flatMap(nodesOf);
        // A text within a card is no card: after "1 min", "just now" moves.
        for (const { node } of nodes)
          if (node instanceof Element && node.parentElement?.closest('.games, .recent-games'))
            moved.push(`${node.textContent}`);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.reload();
    await page.getByRole('link', { name: /^Demo Game/ }).waitFor();
    await page.getByText('No friends yet').waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'moved'))).toEqual([]);
  });

  test('the dialog of a game shows its page, events and releases, and what a player is missing to open it', async () => {
    await admin('update-game', {
      gameId: demo.gameId,
      description: 'Stack containers.\nMind the wind.',
      tags: ['arcade', 'one player'],
      ageRating: 'PEGI 3',
      media: [
        { kind: 'image', url: '/shared/icon.svg', alt: 'A crane' },
        { kind: 'video', url: 'https://example.com/trailer.mp4', alt: 'Trailer' },
      ],
    });
    await admin('publish-release', {
      gameId: demo.gameId,
      version: '1.4.2',
      notes: 'Now with **wind**.',
      required: true,
    });
    const now = Date.now();
    await admin('create-event', {
      gameId: demo.gameId,
      key: 'storm',
      title: 'Storm week',
      startsAt: now,
      endsAt: now + hourMs,
    });
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: foundersOnly } });
    const { page } = await demo.signIn();
    const about = page.getByRole('dialog', { name: 'Demo Game' });
    await page.getByRole('button', { name: 'About Demo Game' }).press('Enter');
    await about.getByText('Mind the wind.').waitFor();
    await about.getByText('PEGI 3').waitFor();
    await about.getByText('Founders Pass').waitFor();
    await about.getByText('Storm week').waitFor();
    await about.getByText(/^Now, until /).waitFor();
    await about.locator('.markdown strong', { hasText: 'wind' }).waitFor();
    await fine(page, 'game');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('About Demo Game');

    await page.getByRole('button', { name: 'Play Demo Game' }).press('Enter');
    await about
      .getByRole('list', { name: 'What you are missing' })
      .getByText('ERC-721: you have 0 of 1')
      .waitFor();
    await about.getByText('Mind the wind.').waitFor();
    await fine(page, 'refused');
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: null } });
    await about.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.locator('iframe').waitFor();
  });

  test.each([
    ['desktop', desktop],
    ['phone', phone],
  ])(
    'a tab that is chosen while a game is being opened on a slow network counts for the game, on a %s',
    async (device, options) => {
      const { page, hold, arrive, release } = await openSlowly(options);
      const chosen = (list: string, name: RegExp) =>
        page.getByRole('tablist', { name: list }).getByRole('tab', { name, selected: true }).waitFor();
      const choose = async (name: RegExp) => {
        await page.getByRole('tablist', { name: /news/ }).getByRole('tab', { name }).click();
        await chosen('news', name);
      };
      await page.goto(`${demo.server.url}/play`);
      await page.getByRole('button', { name: 'Play as a guest' }).click();
      const play = page.getByRole('button', { name: /Play.*Demo|Demo.*Play/ }).first();
      await play.waitFor();

      hold();
      await play.click();
      await choose(/^Messages/);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/opening.png` });
      await arrive('the session');
      await chosen('Game panels', /^Messages/);

      // After a reload, the games are not loaded yet.
      await page.reload();
      await choose(/^Friends/);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/reloading.png` });
      await arrive('the games');
      await arrive('the session');
      await chosen('Game panels', /^Friends/);

      // For that game only.
      release();
      await page.goto(`${demo.server.url}/play#`);
      const isPhone = device === 'phone';
      await choose(isPhone ? /^Games/ : /^Messages/);
      await play.click();
      await chosen('Game panels', isPhone ? /^Game/ : /^Leaderboard/);
    },
  );

  test.each([
    ['desktop', desktop],
    ['phone', phone],
  ])(
    'that a game is being opened is shown wherever it was chosen, until it is open, fails or is left, on a %s',
    async (_device, options) => {
      const ada = await demo.play();
      const { page, hold, arrive, release } = await openSlowly(options);
      await page.goto(`${demo.server.url}/play`);
      await page.getByRole('button', { name: 'Play as a guest' }).click();
      await page.locator('.game-card').first().waitFor();
      const { address } = await signedInAs(page);
      await befriend(demo.server.services.db, demo.gameId, ada.wallet, address);
      const opening = page.getByRole('status').getByText('Opening Demo Game…');
      const game = page.locator('iframe');
      const gone = () => opening.waitFor({ state: 'hidden' });

      await page.getByRole('tab', { name: /^Friends/ }).click();
      const join = page.getByRole('button', { name: /^Join/ });
      await join.waitFor();
      hold();
      const before = await join.boundingBox();
      await join.click();
      await opening.waitFor();
      expect(await join.boundingBox()).toEqual(before);
      await page.goBack();
      await gone();
      // The answer that was on its way opens nothing, and the next game is not opened to join the friend.
      await arrive('the session that is not wanted any more');
      release();
      await until('its session has ended', () => isOnlySessionEnded(address, demo.gameId));
      if (options === phone) await page.getByRole('tab', { name: 'Games' }).click();
      await page.getByRole('button', { name: 'Play Demo Game' }).click();
      await page.frameLocator('iframe').getByRole('button', { name: 'Start' }).waitFor();
      await gone();
      expect(await page.frameLocator('iframe').getByText('You race with').count()).toBe(0);

      // It is lately played, and then it cannot be opened; nor, at first, once more.
      await page.getByRole('link', { name: 'All games' }).click();
      await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: foundersOnly } });
      const recent = page.getByRole('list', { name: 'Recently played' }).getByRole('link');
      for (const attempt of ['the first', 'the second']) {
        hold();
        await recent.click();
        await opening.waitFor();
        await arrive(attempt);
        await page.getByRole('dialog', { name: 'Demo Game' }).waitFor();
        await gone();
        await page.keyboard.press('Escape');
      }
      await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: null } });
      release();
      await recent.click();
      await game.waitFor();
      await gone();
    },
  );

  test('the dialog of a game that is not open is brought up to date when an event of it starts', async () => {
    const { gameId } = await demo.server.createGame({ name: 'Airship', slug: 'airship' });
    const { page } = await demo.signIn();
    await page.clock.install({ time: Date.now() });
    const startsAt = Date.now() + 15_000;
    const plan = (key: string) => admin('create-event', { gameId, key, startsAt, endsAt: startsAt + hourMs });
    await plan('fog');
    await page.getByRole('button', { name: 'About Airship' }).press('Enter');
    const about = page.getByRole('dialog', { name: 'Airship' });
    await about.getByText('fog').waitFor();
    await plan('rain'); // of which the launcher is not told
    await page.clock.fastForward(20_000);
    await about.getByText('rain').waitFor();
  });

  test('a game that was left while it was opening does not say that it is refused', async () => {
    const { page, hold, arrive } = await openSlowly(desktop);
    await page.goto(`${demo.server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    const play = page.getByRole('button', { name: 'Play Demo Game' });
    const opening = page.getByRole('status').getByText('Opening Demo Game…');
    await play.waitFor();
    hold();
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: foundersOnly } });
    await play.click();
    await opening.waitFor();
    await page.goBack();
    await opening.waitFor({ state: 'hidden' });
    await arrive('the opening');
    // Answered later than the refusal.
    await page.getByRole('button', { name: 'Favorite: Demo Game' }).click();
    await arrive('the favorite');
    await page.getByRole('button', { name: 'Favorite: Demo Game', pressed: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: null } });
  });

  test('back from a game that is still opening, the one before stays open', async () => {
    const other = await demo.server.createGame({ name: 'Rapids', slug: 'rapids', url: '/demo-game/' });
    const { page, hold, arrive } = await openSlowly(desktop);
    const { game, wallet } = await playDemoGameOn({ page, complaints: [] }, demo.server.url);
    const opening = page.getByRole('status').getByText('Opening Rapids…');
    hold();
    await page.evaluate(() => {
      location.hash = 'rapids';
    });
    await opening.waitFor();
    await page.goBack();
    await opening.waitFor({ state: 'hidden' });
    await arrive('the opening');
    await until('its session has ended', () => isOnlySessionEnded(wallet, other.gameId));
    await game.getByRole('button', { name: 'Start' }).waitFor();
    expect(await page.title()).toContain('Demo Game');
    expect(
      (await demo.server.services.db.read(liveSessions, wallet)).map((one) => one.session.gameId),
    ).toContain(demo.gameId);
  });

  test('a call that fails because its player signs out is not reported to the next one', async () => {
    const { page, hold, release } = await openSlowly(desktop);
    await page.goto(`${demo.server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    const favorite = page.getByRole('button', { name: 'Favorite: Demo Game' });
    await favorite.waitFor();
    hold();
    await favorite.click();
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    release();
    expect(await page.locator('.toast').count()).toBe(0);
    await page.getByRole('button', { name: /^Continue as/ }).click();
    await favorite.waitFor();
    expect(await page.locator('.toast').count()).toBe(0);
  });

  test('a release offers to reload the open game; a version that is too old says what to install', async () => {
    const { page } = await demo.signIn('demo-game');
    await page.frameLocator('iframe').getByRole('button', { name: 'Start' }).waitFor();
    await page
      .getByRole('button', { name: /^Message/ })
      .first()
      .waitFor();
    await admin('publish-release', { gameId: demo.gameId, version: '2.0', notes: 'Rewritten.' });
    await page.getByText('Version 2.0 of Demo Game is out.').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('Version 2.0 of Demo Game is out.').waitFor({ state: 'hidden' });
    await admin('publish-release', { gameId: demo.gameId, version: '2.1', notes: 'Mended.', required: true });
    await page.getByText('Version 2.1 of Demo Game is required.').waitFor();
    await fine(page, 'release');
    await page.getByRole('button', { name: 'What is new' }).click();
    await page.getByRole('dialog').getByText('Mended.').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
    const frame = await page.locator('iframe').elementHandle();
    await page.getByRole('button', { name: 'Reload the game' }).click();
    await page.frameLocator('iframe').getByRole('button', { name: 'Start' }).waitFor();
    expect(await frame?.evaluate((one) => one.isConnected)).toBe(false);
    await page.getByText('is required').waitFor({ state: 'hidden' });
  });

  test('maintenance is announced before it begins and while it lasts, and refused changes say so', async () => {
    const { page } = await demo.signIn('', atNoon);
    const { page: inGame } = await demo.signIn('demo-game', atNoon);
    await page.locator('.game-card').first().waitFor();
    const now = Date.now();
    const message = 'A new crane is being installed';
    await admin('set-maintenance', {
      gameId: demo.gameId,
      from: now + hourMs,
      until: now + 2 * hourMs,
      message,
    });
    const clock = (time: number) => page.evaluate((at) => new Date(at).toTimeString().slice(0, 5), time);
    await inGame
      .getByText(
        `Maintenance of Demo Game from ${await clock(now + hourMs)} until ${await clock(now + 2 * hourMs)}`,
      )
      .waitFor();
    await admin('set-maintenance', {
      gameId: demo.gameId,
      from: now + hourMs,
      until: now + 24 * hourMs,
      message,
    });
    await inGame.getByText(/from \d\d:\d\d until \w{3} \d+, \d{4}, \d\d:\d\d/).waitFor();
    await admin('set-maintenance', { until: now + hourMs, message });
    await page.getByText(`Maintenance until ${await clock(now + hourMs)}`).waitFor();
    await fine(page, 'maintenance');
    await page.getByRole('button', { name: 'Favorite: Demo Game' }).click();
    await page.locator('.toast', { hasText: message }).waitFor();
    await page.getByRole('button', { name: 'Play Demo Game' }).click();
    await page.locator('.toast', { hasText: message }).nth(1).waitFor();

    await page.reload();
    await page.locator('.maintenance').waitFor();
    await admin('end-maintenance', {});
    await admin('end-maintenance', { gameId: demo.gameId });
    await page.locator('.maintenance').waitFor({ state: 'hidden' });
    await inGame.locator('.maintenance').first().waitFor({ state: 'hidden' });
  });

  test('lists all games and marks all favorites, also more than fit a page of the lists', async () => {
    const many: string[] = [];
    for (let at = 0; at < 300; at++)
      many.push((await demo.server.createGame({ name: `Fleet ${at}`, slug: `fleet-${at}` })).gameId);
    const { page } = await demo.signIn();
    const { address: wallet } = await signedInAs(page);
    for (const gameId of many) await demo.server.services.db.write(setFavorite, { gameId, wallet }, true);
    await page.reload();
    await page.getByRole('button', { name: /^(Play|Details of) Fleet 299$/ }).waitFor();
    expect(await page.locator('.game-card', { hasText: 'Fleet' }).count()).toBe(300);
    expect(await page.getByRole('button', { name: /^Favorite: Fleet/, pressed: true }).count()).toBe(300);
  });
});
