import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readMutes } from '../../src/features/moderation/queries.ts';
import { readReports } from '../../src/features/moderation/reports/queries.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { listUnread } from '../../src/features/notifications/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { until } from '../support/until.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { bubbles, messageAction, say, showPanel, startConversation } from './players.ts';

const wholePage = { limit: 250, skip: 0 };
const inKolkata = { ...desktop, timezoneId: 'Asia/Kolkata' };
/** How much it is later there than in UTC. */
const kolkataMs = 5.5 * 60 * 60 * 1000;

describe.skipIf(noBrowser !== null)('in the launcher', () => {
  const demo = useDemoInBrowser();

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  /** The two in conversation, with Grace's message; she is in Kolkata. */
  async function inConversation(content: string) {
    const [ada, grace] = await Promise.all([demo.play(), demo.play(inKolkata)]);
    await startConversation(ada, grace.wallet);
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /No messages yet/ }).click();
    await say(grace, content);
    await until('Ada has it', async () => (await bubbles(ada)).includes(content));
    return { ada, grace };
  }

  /** The same player on another device, at a place. */
  async function secondDevice(player: { page: Page }, place: string): Promise<Page> {
    const storageState = await player.page.context().storageState();
    const { page } = await demo.open({ ...desktop, storageState });
    const kept = await player.page.evaluate(() => Object.entries(sessionStorage));
    await page.addInitScript((entries) => {
      if (window !== top) return; // a game's frame has no storage
      for (const [key, value] of entries) sessionStorage.setItem(key, value);
    }, kept);
    await page.goto(`${demo.server.url}/play#${place}`);
    return page;
  }

  test('a named leaderboard can be chosen, updates live, and shows its finished seasons', async () => {
    const { db } = demo.server.services;
    const ada = await demo.play();
    const { page } = ada;
    await page.getByRole('combobox', { name: 'Leaderboard' }).selectOption({ label: 'Weekly' });
    await page.getByText(/^Season \d+ ends/).waitFor();
    const margaret = page.locator('.board-row').filter({ hasText: 'Margaret' });
    await margaret.getByText('Containers: 21').waitFor();
    // Rows out of sight do not lengthen the page.
    await page.setViewportSize({ width: 1024, height: 400 });
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(400);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByText('You have no score yet.').waitFor();
    const owner = { gameId: demo.gameId, wallet: ada.wallet };
    await db.write(setLeaderboardScore, owner, 'weekly', 5_000, { metadata: { containers: 40 } });
    const own = page.locator('.board-row.own');
    await own.getByText('Containers: 40').waitFor();
    expect(await own.locator('.place').textContent()).toContain('1');
    await picture(page, 'play weekly');

    const next = await db.write(endSeason, demo.gameId, 'weekly');
    await page.getByText('No scores yet').waitFor();
    await page.getByRole('combobox', { name: 'Season' }).selectOption({ label: `Season ${next}, current` });
    const finished = page
      .getByLabel('Season')
      .locator('option')
      .filter({ hasText: `Season ${next - 1}, ended` });
    await page
      .getByRole('combobox', { name: 'Season' })
      .selectOption((await finished.getAttribute('value')) ?? '');
    await page.getByText(`Season ${next - 1} is over`).waitFor();
    await own.getByText('5,000').waitFor();
    await picture(page, 'play finished season');
    // Live updates do not affect the finished board.
    await db.write(setLeaderboardScore, owner, 'weekly', 7_000);
    await page.getByRole('combobox', { name: 'Season' }).selectOption('');
    await own.getByText('7,000').waitFor();
    await page.getByRole('combobox', { name: 'Leaderboard' }).selectOption({ label: 'All time' });
    await page.locator('.board-row').filter({ hasText: '2,020' }).waitFor();
  });

  test('scores of different ranks look different, and long ones leave room for who reached them', async () => {
    const { db } = demo.server.services;
    const [ada, grace] = await Promise.all([demo.play(phone), demo.play()]);
    const { gameId } = demo;
    await db.write(setLeaderboardScore, { gameId, wallet: ada.wallet }, 'weekly', 12.3456);
    await showPanel(ada.page, /Leader/);
    await ada.page.getByRole('combobox', { name: 'Leaderboard' }).selectOption({ label: 'Weekly' });
    await ada.page.locator('.board-row.own').getByText('12.3456', { exact: true }).waitFor();
    const long = ada.page.locator('.board-row').first();
    for (const [score, shown] of [
      [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
      [1.234567890123e300, '1.234567890123E300'],
    ] as const) {
      await db.write(setLeaderboardScore, { gameId, wallet: grace.wallet }, 'weekly', score);
      await long.getByText(shown, { exact: true }).waitFor();
      const width = async (part: string) => (await long.locator(part).boundingBox())?.width ?? 0;
      expect(await width('.board-name')).toBeGreaterThan(60);
      const button = await long.getByRole('button', { name: /^Message/ }).boundingBox();
      expect((button?.x ?? Infinity) + (button?.width ?? 0)).toBeLessThan(phone.viewport?.width ?? 0);
    }
  });

  test('a player replies to a message, which is quoted until it is unsent', async () => {
    const { ada, grace } = await inConversation('Shall we play tomorrow?');
    await messageAction(ada.page, 'Reply to: Shall we play');
    await ada.page.getByText(/^Replying to .*: Shall we play tomorrow\?$/).waitFor();
    await say(ada, 'At eight.');
    for (const { page } of [ada, grace]) {
      const reply = page
        .locator('.message')
        .filter({ has: page.locator('.bubble', { hasText: 'At eight.' }) });
      await reply.locator('.replied').getByText('Shall we play tomorrow?').waitFor();
    }
    await picture(ada.page, 'play reply');
    expect(await ada.page.getByText(/^Replying to/).count()).toBe(0);
    // Escape cancels the reply.
    await messageAction(ada.page, 'Reply to: Shall we play');
    await ada.page.keyboard.press('Escape');
    await ada.page.getByText(/^Replying to/).waitFor({ state: 'hidden' });
    await messageAction(grace.page, 'Unsend: Shall we play');
    await grace.page.getByRole('button', { name: 'Unsend', exact: true }).click();
    await ada.page.getByText('Message removed').waitFor();
  });

  test('unread messages are counted, and reading them on one device marks them as read on all', async () => {
    const { ada, grace } = await inConversation('One');
    await ada.page.getByRole('button', { name: 'Back to all messages' }).click();
    await say(grace, 'Two');
    await say(grace, 'Three');
    const entry = ada.page.getByRole('button', { name: /Three.*2 unread/ });
    await entry.waitFor();
    // The same player on a second device, and then on the first again.
    const page = await secondDevice(ada, 'demo-game');
    await showPanel(page, /Messages/);
    await page.getByRole('button', { name: /Three.*2 unread/ }).click();
    await page.getByRole('log').waitFor();
    await until('it is read on the first one', async () => !(await entry.isVisible()));
    expect(await ada.page.getByText(/unread/).count()).toBe(0);
    await until('its title counts nothing', async () => !(await ada.page.title()).startsWith('('));
  });

  test('a player blocks another, receives nothing more from them, and unblocks them', async () => {
    const { ada, grace } = await inConversation('Buy gold!');
    await messageAction(ada.page, /^More about .*Buy gold/);
    const dialog = ada.page.getByRole('dialog').filter({ hasText: 'Report to the moderators' });
    await picture(ada.page, 'play player actions');
    await dialog.getByRole('button', { name: /^Block/ }).click();
    await ada.page.getByText(/ blocked$/).waitFor();
    // The element the dialog was opened from is gone: the focus returns to its place.
    const focused = () => ada.page.evaluate(() => document.activeElement?.role);
    await expect.poll(focused).toBe('log');
    await until('it is hidden', async () => (await bubbles(ada)).length === 0);
    await say(grace, 'Cheap gold!');
    await until('it was said', async () => (await bubbles(grace)).length === 2);
    await say(ada, 'Nothing from you');
    await until('Grace receives it', async () => (await bubbles(grace)).length === 3);
    expect(await bubbles(ada)).toEqual(['Nothing from you']);
    await demo.server.services.db.write(setProfile, grace.wallet, { username: 'Grace Hopper' });
    await ada.page.reload();
    await ada.page.getByRole('button', { name: 'Back to all messages' }).click();
    // A player on no leaderboard also has a name in the list of conversations.
    await ada.page.getByRole('button', { name: /^Grace Hopper.*Nothing from you/ }).waitFor();
    await ada.page.getByRole('button', { name: 'Blocked players (1)' }).click();
    await ada.page.getByRole('button', { name: /^Unblock/ }).click();
    await ada.page.getByText('No blocked players.').waitFor();
    expect(await ada.page.evaluate(() => document.activeElement?.textContent)).toBe('Done');
    await ada.page.keyboard.press('Enter');
    await expect.poll(focused).toBe('tabpanel');
    await ada.page.getByRole('button', { name: /Nothing from you/ }).click();
    await until('all of it is back', async () => (await bubbles(ada)).length === 3);
  });

  test("a player reports a message, and the conversation's creator mutes the other one", async () => {
    const { db } = demo.server.services;
    const { ada, grace } = await inConversation('You all play badly');
    await messageAction(ada.page, /^More about .*You all play/);
    await ada.page.getByLabel('Reason').selectOption('Harassment');
    await ada.page.getByLabel('Comment (optional)').fill('Every evening');
    await ada.page.getByRole('button', { name: 'Report', exact: true }).click();
    await ada.page.getByText('Reported to the moderators').waitFor();
    const { rows } = await db.read(readReports, { subject: grace.wallet }, wholePage);
    expect(rows).toMatchObject([{ reporter: ada.wallet, reason: 'harassment', comment: 'Every evening' }]);
    await messageAction(ada.page, /^More about .*You all play/);
    await ada.page.getByRole('button', { name: 'Report', exact: true }).click();
    await ada.page
      .getByRole('alert')
      .getByText(/already/)
      .waitFor();

    await ada.page.getByLabel('Mute for').selectOption('1 day');
    await ada.page.getByRole('button', { name: 'Mute', exact: true }).click();
    await ada.page.getByText(/is muted$/).waitFor();
    const mutes = await db.read(readMutes, { wallet: grace.wallet }, wholePage);
    expect(mutes.rows).toHaveLength(1);
    await say(grace, 'Hello?');
    await grace.page.getByText('Not sent').waitFor();
    const [date, time] = new Date((mutes.rows[0]?.until ?? 0) + kolkataMs).toISOString().split(/[T.]/);
    const toast = await grace.page.locator('.toast', { hasText: /muted/ }).textContent();
    expect(toast).toContain(`${Number(date?.slice(8))}, ${date?.slice(0, 4)}, ${time}`);
  });

  test('notifications stay in the inbox, with the unread ones marked, and are read on every device', async () => {
    const { db } = demo.server.services;
    const ada = await demo.play();
    const owner = { gameId: demo.gameId, wallet: ada.wallet };
    const expiring = { message: 'A hat for a second', type: 'success', expiresInSeconds: 1 } as const;
    await db.write(notifyPlayer, owner, expiring);
    await ada.page.locator('.toast').getByText('A hat for a second').waitFor();
    await ada.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor(); // none is unread
    for (let sent = 1; sent <= 32; sent++)
      await db.write(notifyPlayer, owner, { message: `Hat ${sent}`, type: 'success' });
    await ada.page.getByRole('button', { name: 'Notifications, 32 new' }).waitFor();
    await ada.page.reload();
    await ada.page.getByRole('button', { name: 'Notifications, 32 new' }).click();
    const inbox = ada.page.getByRole('dialog', { name: 'Notifications' });
    await inbox.getByText('Hat 32', { exact: true }).waitFor();
    await picture(ada.page, 'play inbox');
    await ada.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await inbox.getByRole('button', { name: 'Show earlier' }).click();
    await inbox.getByText('Hat 1', { exact: true }).waitFor();
    await ada.page.reload(); // the list stays open
    await inbox.getByText('Hat 32', { exact: true }).waitFor();
    expect(await inbox.locator('.notification.unread').count()).toBe(0);
  });

  test('six hundred notifications are read without loading the list again, and are in the page only while the menu is open', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const owner = { gameId: demo.gameId, wallet };
    const hats = Array.from({ length: 600 }, (_, at) => `Hat ${at}`);
    await Promise.all(hats.map((message) => db.write(notifyPlayer, owner, { message, type: 'success' })));
    await page.getByRole('button', { name: 'Notifications, 600 new' }).waitFor();
    expect(await page.locator('.notification').count()).toBe(0);
    const lists: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('["listNotifications"')) lists.push(String(payload));
      }),
    );
    await page.reload();
    await page.getByRole('button', { name: 'Notifications, 600 new' }).click();
    const rows = page.getByRole('dialog', { name: 'Notifications' }).locator('.notification');
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await expect.poll(() => rows.count()).toBe(60);
    await until('all are read', async () => (await db.read(listUnread, owner, 1)).length === 0);
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expect(lists.filter((payload) => payload.includes('"limit":30'))).toHaveLength(2);
    expect(await rows.count()).toBe(60);
  });

  test('a game is turned off from its notification and on again, in the list and on its page, on every device', async () => {
    const { db } = demo.server.services;
    const loud = await demo.server.createGame({ name: 'Loud' });
    const ada = await demo.play();
    const { page } = ada;
    const notify = (gameId: string, message: string) =>
      db.write(notifyPlayer, { gameId, wallet: ada.wallet }, { message, type: 'success' });
    await notify(demo.gameId, 'You won a hat');
    await notify(loud.gameId, 'Come back!');
    const second = await secondDevice(ada, '');
    await page.getByRole('button', { name: 'Notifications, 2 new' }).click();
    const inbox = page.getByRole('dialog', { name: 'Notifications' });
    await inbox.getByRole('button', { name: 'Turn off notifications from Loud' }).press('Enter');
    const on = inbox.getByRole('button', { name: 'Turn on notifications from Loud' });
    await on.waitFor();
    await expect.poll(() => on.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await inbox.getByText('Come back!').count()).toBe(0);
    await inbox.getByText('You won a hat').waitFor();
    await picture(page, 'play muted game');
    await second.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await notify(loud.gameId, 'A canary');
    await notify(demo.gameId, 'You won another hat');
    await second.getByRole('button', { name: 'Notifications, 1 new' }).waitFor();
    await page.locator('.toast').getByText('another hat').waitFor();
    expect(await page.getByText('A canary').count()).toBe(0);

    await second.getByRole('button', { name: 'About Loud' }).click();
    const toggle = second.getByRole('dialog').getByRole('button', { name: 'Notifications' });
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
    await toggle.click();
    await expect.poll(() => toggle.getAttribute('aria-pressed')).toBe('true');
    await inbox.getByText('A canary').waitFor();
    await on.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Notifications, 2 new' }).waitFor();
    await inbox.getByRole('button', { name: 'Turn off notifications from Loud' }).first().click();
    await on.press('Enter');
    await on.waitFor({ state: 'hidden' });
    await expect.poll(() => inbox.evaluate((dialog) => dialog === document.activeElement)).toBe(true);
  });

  test.each([
    ['1440', { ...desktop, viewport: { width: 1440, height: 900 } }],
    ['390', phone],
  ])('none of it has an accessibility issue %s pixels wide, light and dark', async (width, options) => {
    const { db } = demo.server.services;
    const longNamed = { name: 'A game with a long name that is hosted elsewhere', slug: `long-${width}` };
    await demo.server.createGame(longNamed);
    const [ada, grace] = await Promise.all([demo.play(options), demo.play()]);
    await db.write(
      notifyPlayer,
      { gameId: demo.gameId, wallet: ada.wallet },
      { message: 'A hat', type: 'success' },
    );
    await startConversation(ada, grace.wallet);
    await grace.page.getByRole('tab', { name: /Messages/ }).click();
    await grace.page.getByRole('button', { name: /No messages yet/ }).click();
    await say(grace, 'Shall we play one more round this evening, or tomorrow?');
    await messageAction(ada.page, 'Reply to: Shall we');
    await say(ada, 'At eight.');
    const { page } = ada;
    // On touch screens, the actions appear at the tapped message.
    const message = page.locator('.bubble', { hasText: 'Shall we play' });
    await message.click();
    await messageAction(ada.page, 'Reply to: Shall we');
    const fine = async (name: string) => {
      const issues = await issuesInBothSchemes(page, async () => {
        const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
        const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        expect([name, await page.evaluate(over)]).toEqual([name, 0]);
        expect([name, await beyondScreen(page)]).toEqual([name, []]);
        await picture(page, `play ${name} ${width} ${dark ? 'dark' : 'light'}`);
      });
      expect([name, issues]).toEqual([name, { light: [], dark: [] }]);
    };
    await page.locator('.toast').waitFor({ state: 'hidden' });
    await fine('reply');
    const sent = page.locator('.message', { has: message }).locator('time');
    const edges = await Promise.all([message.boundingBox(), sent.boundingBox()]);
    expect((edges[1]?.x ?? 0) - (edges[0]?.x ?? 0)).toBeLessThan(8);
    await message.click();
    await messageAction(page, /^More about/);
    await fine('player actions');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /^Lead/ }).click();
    await page.getByRole('combobox', { name: 'Leaderboard' }).selectOption({ label: 'Weekly' });
    await page.getByText(/^Season \d+ ends/).waitFor();
    await fine('leaderboard');
    await page.getByRole('button', { name: /^Notifications/ }).click();
    await page.getByText('A hat').first().waitFor();
    await fine('inbox');
    await page.evaluate((slug) => {
      location.hash = slug;
    }, longNamed.slug);
    await page.getByText('This game has no page to open').waitFor();
    await fine('a long name');
  });
});

/** The parts of the launcher's panels that overflow the screen, or begin at the very edge of the panel. */
function beyondScreen(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const panel = document.querySelector('.side')?.getBoundingClientRect().left ?? 0;
    const isOut = (one: Element) => {
      const { left, right, width } = one.getBoundingClientRect();
      const isRow = one.matches('.board-row, .feed-item, .conversation-entry');
      return width > 0 && (right > innerWidth + 1 || (isRow && left < panel + 4));
    };
    return [...document.querySelectorAll('.side *, .game-bar *')]
      .filter((one) => !one.closest('.truncate') && isOut(one))
      .map((one) => `${one.className}: ${one.textContent}`);
  });
}
