import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';
import { focusedName, tabTo } from './operator.ts';
import { fillInbox, fillServer, type SampleWorld } from './pictures/sample-world.ts';
import { signedInAs } from './players.ts';

type Key = 'Tab' | 'Shift+Tab';

describe.skipIf(noBrowser !== null)('with the keyboard alone', () => {
  let server: TestServer;
  let browser: Browser;
  let world: SampleWorld;
  beforeAll(async () => {
    server = await startTestServer();
    world = await fillServer(server);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

  test('a player signs in, plays, writes, reacts, blocks, reports, is renamed and signs out', async () => {
    const { page } = await openPage(browser);
    const { press, opens, focused } = keyboardOf(page);
    await page.goto(`${server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).waitFor();
    await press('Play as a guest');
    await page.locator('.game-card').first().waitFor();
    await press('Skip the games');
    expect(await focused()).toBe('Friends');
    await press('Play Demo Game', 'Shift+Tab');
    await page.getByRole('tab', { name: 'Leaderboard' }).waitFor();
    await tabTo(page, 'Leaderboard');
    await page.locator('.board-row').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('.feed-item').first().waitFor();
    await page.keyboard.press('End');
    expect(await focused()).toBe('Friends');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('Messages');

    await opens('New', 'New conversation', 'Participants');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Hedy');
    await page.locator('.person', { hasText: 'Hedy' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { checked: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('log').waitFor();
    expect(await focused()).toBe('Write a message');
    await page.keyboard.type('Ahoy!');
    await page.keyboard.press('Enter');
    await page.locator('[data-message]').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByText('Editing your message').waitFor();
    await page.keyboard.type(' Hedy');
    await page.keyboard.press('Escape');
    await page.getByText('Editing your message').waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Write a message');

    // Of the message: its actions.
    await tabTo(page, /^Messages with/, 'Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await opens('React: Ahoy!', 'React with', 'React with: 👍');
    await page.locator('.emoji-picker').waitFor({ state: 'detached' });
    await press('React: Ahoy!', null);
    await expect.poll(focused).toBe('React with: 👍');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '❤️, 1' }).waitFor();
    expect(await focused()).toBe('React: Ahoy!');
    await press('Reply to: Ahoy!');
    expect(await focused()).toBe('Write a message');
    await page.keyboard.press('Escape');
    await page.getByText('Replying to').waitFor({ state: 'hidden' });
    await opens('Insert emoji', 'Insert', 'Insert: 👍', 'Shift+Tab');
    await tabTo(page, /^Messages with/, 'Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await opens('Unsend: Ahoy!', 'Unsend this message?', 'Cancel');
    await page.keyboard.press('Enter');
    await press('Unsend');
    await page.locator('[data-message]').waitFor({ state: 'hidden' });
    await expect.poll(focused).toMatch(/^Messages with/);

    // Of the conversation and its participants.
    await opens('Participants', 'Conversation details', 'Name', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await opens(/^Report, block or mute Hedy/, 'Hedy', 'Mute for');
    await page.keyboard.press('Enter');
    await press('Block Hedy');
    await page.getByText('Hedy blocked').waitFor();
    expect(await focused()).toMatch(/^Report, block or mute Hedy/);
    await page.keyboard.press('Escape');
    await press('Back to all messages', 'Shift+Tab');
    await page.getByText('Blocked players (1)').waitFor();
    await opens('Blocked players (1)', 'Blocked players', 'Done');

    const { address } = await signedInAs(page);
    await fillInbox(server, { gameId: world.gameId, wallet: address });
    await page.getByRole('button', { name: 'Notifications, 3 new' }).waitFor();
    await opens(/^Notifications/, 'Notifications', null, 'Shift+Tab');
    await opens(/^Account/, 'Account', null);
    await page.keyboard.press('Enter');
    await tabTo(page, 'Display name');
    await page.keyboard.type('Ada of the Keys');
    await page.keyboard.press('Enter');
    await page.getByText('Name saved').waitFor();
    expect(await focused()).toBe('Display name');
    await press('Sign out');
    await page.getByRole('button', { name: 'Play as a guest' }).waitFor();
    await press(/^Continue as/);
    await page.getByRole('tab', { name: 'Leaderboard' }).waitFor();
  });

  test('an administrator opens and closes every dialog, and mutes, bans, creates and copies', async () => {
    const { page } = await openPage(browser);
    const { press, opens, focused } = keyboardOf(page);
    await page.goto(`${server.url}/console#/games`);
    await page.getByLabel('Admin token').waitFor();
    await page.keyboard.type(server.adminToken);
    await page.keyboard.press('Enter');
    await page.locator('.game-item').first().waitFor();
    const liveOps = 'games/demo-game/live-ops';
    const player = `players/${world.players[0]?.wallet}`;
    for (const [view, name, dialog, first] of [
      ['games/demo-game/settings', 'Rotate', 'Rotate secret of Demo Game', 'Keep old secrets valid for'],
      ['games/demo-game/settings', 'Revoke', /^Revoke secret/, 'Cancel'],
      ['games/demo-game/settings', 'Archive game', 'Archive Demo Game?', 'Cancel'],
      ['games/demo-game/settings', 'Delete game', 'Delete Demo Game?', 'Type demo-game to confirm'],
      ['games/demo-game/leaderboard', 'New leaderboard', 'New leaderboard', 'Name'],
      ['games/demo-game/leaderboard', /^Remove score/, /^Remove/, 'Cancel'],
      ['games/demo-game/leaderboard/weekly', /^End season/, /^End season/, 'Cancel'],
      ['games/demo-game/leaderboard/weekly', 'Edit', /^Edit/, /./],
      ['games/demo-game/leaderboard/weekly', 'Delete', /^Delete/, 'Cancel'],
      ['games/demo-game/states', /^Show state save/, /save/, /./],
      ['games/demo-game/play-sessions', /^Show play session/, 'Play session', 'Close'],
      ['games/demo-game/webhooks', 'New webhook', 'New webhook', 'URL'],
      ['games/demo-game/webhooks', /^Remove webhook/, 'Remove this webhook?', 'Cancel'],
      [`${liveOps}/news`, 'New news item', 'New news item', 'Title'],
      [`${liveOps}/news`, /^Edit/, /^Edit/, 'Title'],
      [`${liveOps}/news`, /^Remove/, 'Remove this news item?', 'Cancel'],
      [`${liveOps}/releases`, 'New release', 'New release', 'Version'],
      [`${liveOps}/releases`, /^Show notes/, /^Release/, 'Close'],
      [`${liveOps}/releases`, /^Remove/, /^Remove release/, 'Cancel'],
      [`${liveOps}/calendar`, 'New event', 'New event', 'Key'],
      [`${liveOps}/calendar`, 'Edit happy-hour', 'Edit happy-hour', 'Title'],
      [`${liveOps}/calendar`, 'Remove happy-hour', 'Remove the event happy-hour?', 'Cancel'],
      [`${liveOps}/maintenance`, 'Plan or start', /./, /./],
      [player, 'Ban from all games', 'Ban this player from all games?', 'Cancel'],
      [player, 'Erase player', /^Permanently erase/, 'Cancel'],
      [player, 'End', 'End this session?', 'Cancel'],
      [`reports/${world.reportId}`, 'Mute player', /^Mute/, 'Cancel'],
      [`reports/${world.reportId}`, 'Remove message', 'Remove this message?', 'Cancel'],
      ['moderation/mutes', /^Unmute/, /^Unmute/, 'Cancel'],
      ['moderation/bans', 'Ban a player', 'Ban a player', 'Player'],
      ['moderation/bans', /^Unban/, /^Unban/, 'Cancel'],
      ['queue', /^Show action/, /./, 'Close'],
      ['requests', /^Show request/, /./, 'Close'],
      ['audit', /^Show /, /./, 'Close'],
      ['administrators', 'New administrator', 'New administrator', 'Name'],
      ['administrators', /^Edit Grace/, 'Edit Grace', 'Name'],
      ['administrators', /^Revoke Grace/, /^Revoke/, 'Cancel'],
      ['backups', 'Create backup', /backup/, /./],
      ['backups', /^Delete gantry/, /^Delete/, 'Cancel'],
    ] as const) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}`);
      await page.getByRole('button', { name }).first().waitFor();
      await opens(name, dialog, first);
    }

    await page.evaluate(() => {
      location.hash = '#/moderation/mutes';
    });
    await page.getByRole('button', { name: 'Mute a player' }).waitFor();
    await press('Mute a player');
    await page.keyboard.type('Hedy');
    await page.locator('dialog .player-cell').waitFor();
    await tabTo(page, /^Reason/);
    await page.keyboard.type('spam');
    await page.keyboard.press('Enter');
    await page.getByText('Player muted').waitFor();
    await page.getByRole('row', { name: /Hedy.*Demo Game.*spam a moderator/ }).waitFor();
    await expect.poll(focused).toBe('Mute a player');

    await page.evaluate(() => {
      location.hash = '#/games';
    });
    await page.getByRole('button', { name: 'New game' }).waitFor();
    await press('New game');
    await page.keyboard.type('Orbit');
    await page.keyboard.press('Enter');
    await page.locator('.secret-text').waitFor();
    // The secret is not lost by the key that created it, nor by Escape.
    await expect.poll(focused).toBe('Copy secret');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.locator('.secret-text').waitFor();
    await press('Close');
    await page.locator('dialog').waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('New game');
  });
});

/** What a person does who has only a keyboard. */
function keyboardOf(page: Page) {
  const focused = () => focusedName(page);
  const atDialog = () =>
    page.evaluate(() => document.activeElement?.closest('dialog[open], [popover]:popover-open') !== null);

  /** Moves to a control, which then shows that it has the focus; `by` is null when it has it already. */
  async function reach(name: string | RegExp, by: Key | null): Promise<void> {
    if (by !== null) await tabTo(page, name, by);
    const shown = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
    expect([name, 'shows the focus', shown]).toEqual([name, 'shows the focus', true]);
  }

  async function press(name: string | RegExp, by: Key | null = 'Tab'): Promise<void> {
    await reach(name, by);
    await page.keyboard.press('Enter');
  }

  /** Opens a dialog or menu, where the focus is on `first`, and closes it: the focus is back on the button. */
  async function opens(
    name: string | RegExp,
    dialog: string | RegExp,
    first: string | RegExp | null,
    by: Key | null = 'Tab',
  ): Promise<void> {
    await press(name, by);
    const top = page.getByRole('dialog', { name: dialog });
    await top.waitFor();
    if (first === null) {
      await page.keyboard.press('Tab'); // into a menu
    } else {
      expect([dialog, await focused()]).toEqual([dialog, expect.stringMatching(first)]);
    }
    expect([dialog, 'has the focus', await atDialog()]).toEqual([dialog, 'has the focus', true]);
    await page.keyboard.press('Escape');
    await top.waitFor({ state: 'hidden' });
    await expect.poll(focused).toMatch(name);
  }

  return { focused, press, opens };
}
