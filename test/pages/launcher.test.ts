import { describe, expect, test } from 'vitest';
import { defaultName } from '../../src/core/schemas/default-name.ts';
import { ban, changeGame } from '../../src/features/administration/commands.ts';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { listChannels } from '../../src/features/messages/queries.ts';
import { findUnread } from '../../src/features/messages/unread.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { until } from '../support/until.ts';
import { noBrowser, phone } from './browser.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import {
  bubbles,
  messageAction,
  type PlayerAtLauncher,
  playRound,
  say,
  signedInAs,
  startConversation,
} from './players.ts';

describe.skipIf(noBrowser !== null)('two players, each in a launcher', () => {
  const demo = useDemoInBrowser();

  function two(): Promise<[ada: PlayerAtLauncher, grace: PlayerAtLauncher]> {
    return Promise.all([demo.play(), demo.play(phone)]);
  }

  test('chat, see each other type, edit and unsend, and see who is online', async () => {
    const [ada, grace] = await two();
    await startConversation(ada, grace.wallet);
    await ada.page.locator('.conversation').getByText('Online').waitFor();
    await say(ada, 'One more ruond?');
    expect(await bubbles(ada)).toEqual(['One more ruond?']);

    // It is unread until it has been viewed, and read afterwards.
    const tab = grace.page.getByRole('tab', { name: /Messages/ });
    await tab.locator('.count').filter({ hasText: '1' }).waitFor();
    await until('the title says so', async () => (await grace.page.title()).startsWith('(1) '));
    await tab.click();
    await grace.page.getByRole('button', { name: /One more ruond\?.*1 unread/ }).click();
    await until('it is read', async () => (await tab.locator('.count').count()) === 0);
    expect(await bubbles(grace)).toEqual(['One more ruond?']);

    await grace.page.getByRole('textbox', { name: 'Write a message' }).pressSequentially('Just');
    await ada.page.getByText(/is typing…/).waitFor();
    await say(grace, 'Just one.');
    await until('Ada reads the answer', async () => (await bubbles(ada)).at(-1) === 'Just one.');
    expect(await ada.page.getByText(/is typing…/).count()).toBe(0);

    await messageAction(ada.page, 'Edit: One more ruond?');
    const field = ada.page.getByRole('textbox', { name: 'Edit your message' });
    await field.fill('One more round?');
    await field.press('Enter');
    await until('Grace reads the correction', async () => (await bubbles(grace))[0] === 'One more round?');
    await grace.page.getByText('edited').waitFor();

    await messageAction(grace.page, 'Unsend: Just one.');
    await grace.page.getByRole('dialog').getByRole('button', { name: 'Unsend' }).click();
    // The two pages are told independently of each other.
    for (const one of [ada, grace])
      await until('it is removed', async () => (await bubbles(one)).length === 1);
    expect([await bubbles(ada), await bubbles(grace)]).toEqual([['One more round?'], ['One more round?']]);

    await grace.page.context().close();
    await ada.page.locator('.conversation').getByText('Offline').waitFor();
  });

  test('shows notifications beside the text field, and not over it', async () => {
    const [ada, grace] = await two();
    await startConversation(ada, grace.wallet);
    await startConversation(grace, ada.wallet);
    const gameId = demo.gameId;
    for (const [{ page, wallet }, width, height, tab] of [
      [ada, 1440, 900, 'Messages'],
      [ada, 1024, 700, 'Messages'],
      [grace, 390, 844, 'Messages'],
      [grace, 390, 844, 'Leaders'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.setViewportSize({ width, height });
      const message = `The harbour closes at eight today: moor at pier ${width}, where the ${tab} are`;
      await demo.server.services.db.write(notifyPlayer, { gameId, wallet }, { message, type: 'error' });
      await page.locator('.toast', { hasText: message }).waitFor();
      const covered = await page.evaluate(() => {
        const boxesOf = (selector: string) =>
          [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
        const toasts = boxesOf('.toast');
        return boxesOf('.composer, .conversation-head, .narrow .tabs').filter((box) =>
          toasts.some(
            ({ left, right, top, bottom }) =>
              left < box.right && right > box.left && top < box.bottom && bottom > box.top,
          ),
        ).length;
      });
      expect([width, covered]).toEqual([width, 0]);
    }
  });

  test('react to a message, see the count, and remove the reaction', async () => {
    const [ada, grace] = await two();
    await startConversation(ada, grace.wallet);
    await say(ada, 'We won');
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /We won/ }).click();
    await messageAction(grace.page, 'React: We won');
    await grace.page.getByRole('button', { name: 'React with: 🎉' }).click();
    const chip = (page: PlayerAtLauncher['page'], count: number) =>
      page.getByRole('button', { name: `🎉, ${count}`, exact: true });
    await chip(ada.page, 1).waitFor();
    expect(await chip(grace.page, 1).getAttribute('aria-pressed')).toBe('true');
    expect(await chip(ada.page, 1).getAttribute('aria-pressed')).toBe('false');
    await chip(ada.page, 1).click();
    await chip(grace.page, 2).waitFor();
    await chip(grace.page, 2).click();
    await chip(ada.page, 1).waitFor();
    expect(await chip(ada.page, 1).getAttribute('aria-pressed')).toBe('true');
    await messageAction(ada.page, 'Edit: We won');
    await ada.page.getByRole('textbox', { name: 'Edit your message' }).fill('We have won');
    await ada.page.keyboard.press('Enter');
    await until('the edit', async () => (await bubbles(grace))[0] === 'We have won');
    expect(await chip(ada.page, 1).getAttribute('aria-pressed')).toBe('true');
    await chip(ada.page, 1).click();
    await until('no reaction', async () => (await grace.page.locator('.reaction').count()) === 0);
  });

  test('unread messages stay unread after a reload, and read ones stay read', async () => {
    const [ada, grace] = await two();
    await startConversation(ada, grace.wallet);
    await say(ada, 'Are you there?');
    const count = grace.page.getByRole('tab', { name: /Messages/ }).locator('.count');
    await count.waitFor();
    await grace.page.reload();
    await count.waitFor();
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /Are you there\?/ }).click();
    const { db } = demo.server.services;
    const owner = { gameId: demo.gameId, wallet: grace.wallet };
    const [channel] = (await db.read(listChannels, owner, { limit: 1, skip: 0 })).rows;
    const marked = async () => (await db.read(findUnread, owner, channel?._id ?? '')).readMarker;
    await until('the mark is kept', async () => (await marked()) !== null);
    await grace.page.reload();
    await grace.page.getByRole('button', { name: 'Back to all messages' }).click();
    await grace.page.getByRole('button', { name: /Are you there\?/ }).waitFor();
    expect(await grace.page.getByText(/unread/).count()).toBe(0);
  });

  test('a score made in the game updates the other’s leaderboard, and activities the feed, without a reload', async () => {
    const [ada, grace] = await two();
    await grace.page.getByRole('tab', { name: 'Leaders' }).click();
    const row = grace.page.locator('.board-row', { hasText: defaultName(ada.wallet) });
    expect(await row.count()).toBe(0);
    const score = await playRound(ada);
    expect(score).toBeGreaterThanOrEqual(50);
    await row.filter({ hasText: score.toLocaleString('en') }).waitFor();
    await ada.page
      .locator('.board-row.own')
      .filter({ hasText: score.toLocaleString('en') })
      .waitFor();

    await grace.page.getByRole('tab', { name: 'Activity' }).click();
    await grace.page.getByText(`stacked a new best: ${score}`).first().waitFor();
  });

  test('a conversation of three has a name, and disappears for a removed participant', async () => {
    const [ada, grace] = await two();
    await startConversation(ada, grace.wallet);
    await say(ada, 'Shall we ask Linus?');
    await ada.page.getByRole('button', { name: 'Participants' }).click();
    const dialog = ada.page.getByRole('dialog', { name: 'Conversation details' });
    await dialog.getByLabel('Add participant').fill('0x7591');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').filter({ hasText: 'wallet' }).waitFor();
    await dialog.getByLabel('Add participant').fill(`0x${'7'.repeat(40)}`);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('3 participants').waitFor();
    await dialog.getByLabel('Name').fill('The crew');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /The crew/ }).click();
    await grace.page.getByText(/of 2 online/).waitFor();

    await grace.page.getByRole('button', { name: 'Participants' }).click();
    await grace.page.getByRole('button', { name: 'Leave conversation' }).click();
    await grace.page.getByRole('button', { name: 'Leave', exact: true }).click();
    await grace.page.getByText('No conversations yet').waitFor();
    await dialog.getByText('2 participants').waitFor();
  });

  test('a player is notified in the corner and in the list', async () => {
    const ada = await demo.play();
    const owner = { gameId: demo.gameId, wallet: ada.wallet };
    await demo.server.services.db.write(notifyPlayer, owner, { message: 'You won a hat', type: 'success' });
    await ada.page.locator('.toast.success').filter({ hasText: 'You won a hat' }).waitFor();
    await ada.page.getByRole('button', { name: 'Notifications, 1 new' }).click();
    await ada.page.getByRole('dialog', { name: 'Notifications' }).getByText('You won a hat').waitFor();
    await ada.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();

    // A long one does not cover the game; the list has all of it.
    const long = `${'Another hat, '.repeat(70)}and the last`;
    await demo.server.services.db.write(notifyPlayer, owner, { message: long, type: 'success' });
    const toast = ada.page.locator('.toast.success').filter({ hasText: 'Another hat' });
    await toast.waitFor();
    expect((await toast.boundingBox())?.height).toBeLessThan(200);
    await ada.page.getByRole('dialog', { name: 'Notifications' }).getByText('and the last').waitFor();
  });

  test.each([
    ['is banned from everything', 'You are banned', null],
    ['is banned from the game', 'You are banned from Demo Game', 'the game'],
  ])('a player who %s is told so', async (_what, words, where) => {
    const [ada, grace] = await two();
    const gameId = where === null ? null : demo.gameId;
    expect(ada.complaints).toEqual([]);
    await demo.server.services.db.write(ban, ada.wallet, gameId, 'cheating');
    await ada.page.getByRole('alert').filter({ hasText: words }).waitFor();
    if (where === null) {
      await ada.page.reload();
      await ada.page.getByRole('button', { name: 'Play as a guest' }).waitFor();
      await ada.page.getByRole('button', { name: /^Continue as/ }).click();
    } else {
      expect(await ada.page.locator('iframe').count()).toBe(0);
      await ada.page.getByRole('link', { name: 'All games' }).click();
      await ada.page.getByRole('button', { name: 'Play Demo Game' }).click();
    }
    // The server's message has the wallet.
    const problem = ada.page.locator('.toast.error, .sign-in .banner.bad');
    expect(await problem.innerText()).toContain(words);
    expect(await problem.innerText()).not.toContain('0x');
    await until(
      'the other one plays on',
      async () => (await grace.connection.getAttribute('data-state')) === 'live',
    );
    // What the page or the game reads after the ban is refused, such as the friends when it has heard of the end.
    ada.complaints.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...ada.complaints.filter((one) => !one.includes('401')),
    );
  });

  test('a player whose session is revoked is told by whom it may have been, and can sign in again', async () => {
    const ada = await demo.play();
    await demo.server.services.db.write(revokeSessionById, ada.sessionId);
    await ada.page.getByRole('alert').filter({ hasText: 'one of your devices was removed' }).waitFor();
    await ada.page.getByRole('button', { name: 'Play as a guest' }).click();
    await ada.game.getByRole('button', { name: 'Start' }).waitFor();
  });

  test('a player sets a display name, which others see in the list and on the account', async () => {
    const ada = await demo.play();
    await ada.page.getByRole('button', { name: /^Account:/ }).click();
    const name = ada.page.getByLabel('Display name');
    await name.fill('Ada\u200dLovelace');
    await ada.page.getByRole('button', { name: 'Save', exact: true }).click();
    await ada.page
      .getByRole('alert')
      .filter({ hasText: /^Must not contain U\+200D/ })
      .waitFor();
    await name.fill('Ada Lovelace');
    await ada.page.getByRole('button', { name: 'Save', exact: true }).click();
    await ada.page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
    const player = await demo.server.services.db.read(findPlayer, ada.wallet);
    expect(player?.username).toBe('Ada Lovelace');

    // Also when signing in again as the same guest.
    await ada.page.getByRole('button', { name: 'Sign out' }).click();
    await ada.page.getByRole('button', { name: 'Continue as Ada Lovelace' }).click();
    await ada.page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
  });

  test('a guest who keeps coming back is not lost to the guests who play in the browser once', async () => {
    const { page, wallet } = await demo.play();
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account:/ }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Play as a guest' }).waitFor();
    };
    await signOut();
    // Others have signed in since, as many as the browser keeps with this one.
    await page.evaluate(() => {
      const key = 'gantry-play-devices';
      const [own] = JSON.parse(localStorage.getItem(key) ?? '[]');
      const others = Array.from({ length: 9 }, (_, at) => ({ wallet: `0x${at}`, deviceSecret: 'gd_other' }));
      localStorage.setItem(key, JSON.stringify([...others, own]));
    });
    await page.reload();
    const own = page.getByRole('button', { name: `Continue as ${defaultName(wallet)}` });
    await own.click();
    await signOut();
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    await signOut();
    await own.click();
    await page.getByRole('button', { name: /^Account:/ }).waitFor();
    expect((await signedInAs(page)).address).toBe(wallet);
  });

  test.each([320, 360, 390, 412])(
    'on a phone of %i pixels the page is as wide as the screen, whatever the state of the connection',
    async (width) => {
      const { page } = await demo.play({ ...phone, viewport: { width, height: 568 } });
      const badge = page.locator('.badge.connection .narrow-only');
      for (const state of ['Live', 'Reconnecting', 'Caught up: 120']) {
        await badge.evaluate((one, text) => {
          one.textContent = text;
        }, state);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), state).toBe(width);
      }
    },
  );

  test('on a very low screen, a game is above the tabs and not behind them', async () => {
    const { page } = await demo.play({ ...phone, viewport: { width: 360, height: 225 } });
    const frame = await page.locator('iframe').boundingBox();
    const tabs = await page.getByRole('tablist', { name: 'Game panels' }).boundingBox();
    expect(frame && frame.y + frame.height).toBeLessThanOrEqual(tabs?.y ?? 0);
  });

  test('a game without an address has details; a token in the fragment reaches the game, and no server', async () => {
    const ada = await demo.play();
    await demo.server.createGame({ name: 'Elsewhere', slug: 'elsewhere' });
    const game = await demo.server.services.db.read(findGameBySlug, 'demo-game');
    if (!game) throw new Error('the demo game is missing');
    const { policies, url } = game;
    await demo.server.services.db.write(changeGame, game.id, { policies: { tokenIn: 'fragment' } });
    try {
      const requested: string[] = [];
      ada.page.on('request', (request) => requested.push(request.url()));
      await ada.page.goto(`${demo.server.url}/play`);
      await ada.page.reload();
      await ada.page.getByRole('button', { name: 'Details of Elsewhere' }).waitFor();
      await ada.page.getByRole('button', { name: `Play ${game.name}` }).click();
      const frame = ada.page.locator('iframe');
      await frame.waitFor();
      expect(await frame.getAttribute('src')).toMatch(new RegExp(`${url}/?#token=.`));
      await ada.page.frameLocator('iframe').getByRole('button').first().waitFor();
      expect(requested.filter((address) => new URL(address).search.includes('token='))).toEqual([]);
    } finally {
      const { tokenIn } = policies;
      await demo.server.services.db.write(changeGame, game.id, { policies: { tokenIn } });
    }
  });

  test('a player signs out, which ends the session and dismisses the notifications', async () => {
    const ada = await demo.play();
    const owner = { gameId: demo.gameId, wallet: ada.wallet };
    const long = 'Only Ada knows where the hat is. '.repeat(10); // stays for a while
    await demo.server.services.db.write(notifyPlayer, owner, { message: long, type: 'success' });
    const toast = ada.page.locator('.toast');
    await toast.waitFor();
    await ada.page.getByRole('button', { name: /Account/ }).click();
    await ada.page.getByRole('button', { name: 'Sign out' }).click();
    await ada.page.getByText('You are signed out').waitFor();
    expect(await toast.count()).toBe(0);
    const found = await demo.server.services.db.read(findSession, ada.sessionId);
    expect(found?.session.endReason).toBe('ended');
    expect(await ada.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('two windows of one browser are two players', async () => {
    const ada = await demo.play();
    const other = await ada.page.context().newPage();
    await other.goto(`${demo.server.url}/play`);
    await other.getByRole('button', { name: 'Play as a guest' }).waitFor();
  });
});
