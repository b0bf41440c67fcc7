import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { changeGame } from '../../src/features/administration/commands.ts';
import { sendInvites } from '../../src/features/friends/invite-commands.ts';
import { friendWallets } from '../../src/features/friends/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { befriend } from '../support/befriend.ts';
import { until } from '../support/until.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { signedInAs } from './players.ts';

const smallest = { ...phone, viewport: { width: 320, height: 568 } };

describe.skipIf(noBrowser !== null)('the history of the launcher', () => {
  const demo = useDemoInBrowser((complaint) => /status of 403|frame-src/.test(complaint));

  /** A guest in the library with a friend, Grace H. */
  async function signIn(options: BrowserContextOptions = desktop): Promise<Page> {
    const { page } = await demo.signIn('', options);
    const grace = await demo.server.openSession(demo.gameId);
    await demo.server.services.db.write(setProfile, grace.wallet, { username: 'Grace H' });
    await befriend(demo.server.services.db, demo.gameId, grace.wallet, (await signedInAs(page)).address);
    return page;
  }

  const hashOf = (page: Page) => new URL(page.url()).hash;
  const entries = (page: Page) => page.evaluate(() => history.length);
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
  const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name, selected: true });

  test.each([
    ['1280', desktop],
    ['320', smallest],
  ])(
    'Back closes what was opened last, Forward opens it again, and a reload keeps it, %s pixels wide',
    async (_width, options) => {
      const page = await signIn(options);
      const friends = page.getByRole('button', { name: 'More about Grace H' });
      const log = page.getByRole('log');
      const newOne = page.getByRole('button', { name: 'New', exact: true });
      await page.getByRole('tab', { name: /^News/ }).click();
      await page.getByRole('tab', { name: /^Friends/ }).click();
      const clicked = await entries(page);
      await page.keyboard.press('ArrowRight');
      await tab(page, /^Messages/).waitFor();
      await page.keyboard.press('ArrowLeft');
      await tab(page, /^Friends/).waitFor();
      expect(await entries(page)).toBe(clicked);
      await page.getByRole('button', { name: 'Message Grace H' }).click();
      await log.waitFor();
      await page.getByRole('button', { name: 'Participants' }).click();
      await dialog(page, 'Conversation details').waitFor();
      await page.getByRole('button', { name: /^Report, block or mute/ }).click();
      await dialog(page, 'Grace H').waitFor();

      await page.goBack();
      await dialog(page, 'Grace H').waitFor({ state: 'hidden' });
      await page.goBack();
      await dialog(page, 'Conversation details').waitFor({ state: 'hidden' });
      await log.waitFor();
      await page.goForward();
      await dialog(page, 'Conversation details').waitFor();
      await page.goForward();
      await dialog(page, 'Grace H').waitFor();
      await page.reload();
      await dialog(page, 'Grace H').waitFor();
      await dialog(page, 'Conversation details').waitFor();
      await page.goBack();
      await page.goBack();
      await log.waitFor();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await page.goBack();
      await friends.waitFor();
      await page.goBack();
      await tab(page, /^News/).waitFor();
      await page.goForward();
      await page.goForward();
      await log.waitFor();
      await page.reload();
      await log.waitFor();

      // It was opened from the friends, not from the list, and is left for the list.
      const before = await entries(page);
      await page.getByRole('button', { name: 'Back to all messages' }).click();
      await newOne.waitFor();
      expect(await entries(page)).toBe(before);
      await page.goBack();
      await friends.waitFor();
    },
  );

  test('Escape and the close button leave no entry, also after a reload, and dialogs that cannot be opened are left', async () => {
    const page = await signIn();
    await page.getByRole('tab', { name: /^News/ }).click();
    await page.getByRole('tab', { name: /^Friends/ }).click();
    const open: [string | RegExp, string | RegExp][] = [
      ['Add friend', 'Add friend'],
      ['Privacy', 'Privacy'],
      ['More about Grace H', 'Grace H'],
      ['About Demo Game', 'Demo Game'],
      [/^Notifications/, 'Notifications'],
      [/^Account/, 'Account'],
    ];
    for (const [button, name] of open) {
      for (const close of [
        'Escape',
        'a button',
        'Escape after a reload',
        'Back',
        'going forward and Escape',
      ]) {
        await page.getByRole('button', { name: button }).click();
        await dialog(page, name).waitFor();
        if (close === 'a button') {
          const isMenu = (await page.locator('[popover]:popover-open').count()) > 0;
          if (isMenu) await page.getByRole('button', { name: button }).click();
          else await dialog(page, name).getByRole('button', { name: 'Close' }).first().click();
        } else if (close === 'Back') await page.goBack();
        else {
          if (close === 'Escape after a reload') {
            await page.reload();
            await dialog(page, name).waitFor();
          } else if (close.startsWith('going')) {
            await page.goBack();
            await dialog(page, name).waitFor({ state: 'hidden' });
            await page.goForward();
            await dialog(page, name).waitFor();
          }
          await page.keyboard.press('Escape');
        }
        await dialog(page, name).waitFor({ state: 'hidden' });
        await expect.poll(() => hashOf(page), { message: `${name}: ${close}` }).toBe('#/friends');
      }
    }
    await page.goBack();
    await tab(page, /^News/).waitFor();

    for (const nothing of [
      '#/friends?friend=0x1',
      '#/messages/none',
      '#?about=none',
      '#none',
      '#none/messages',
    ]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, nothing);
      await expect.poll(() => hashOf(page), { message: nothing }).not.toContain('none');
      await expect.poll(() => hashOf(page), { message: nothing }).not.toContain('?');
    }
  });

  test('a game is opened, with a panel and a conversation, by its address and by Back and Forward', async () => {
    const page = await signIn();
    const start = page.frameLocator('iframe').getByRole('button', { name: 'Start' });
    const log = page.getByRole('log');
    await page.getByRole('button', { name: 'About Demo Game' }).click();
    await dialog(page, 'Demo Game').getByRole('button', { name: 'Play' }).click();
    await start.waitFor();
    await page.getByRole('tab', { name: 'Friends' }).click();
    await page.getByRole('button', { name: 'Message Grace H' }).click();
    await log.waitFor();
    await page.reload();
    await start.waitFor();
    await log.waitFor();
    await page.goBack();
    await tab(page, /^Friends/).waitFor();
    await page.goBack();
    await tab(page, /^Leaderboard/).waitFor();
    // The dialog's entry became the game's.
    await page.goBack();
    await page.getByRole('heading', { name: 'Choose a game' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goForward();
    await start.waitFor();
    await page.getByRole('link', { name: 'All games' }).click();
    await page.getByRole('heading', { name: 'Choose a game' }).waitFor();
    await page.goBack();
    await start.waitFor();
    await page.goForward();

    // Refused: the address is that of what is shown.
    const access = {
      type: 'user-owns-tokens',
      standard: 'erc721',
      chainId: 1,
      contract: `0x${'ab'.repeat(20)}`,
      name: 'Founders Pass',
      operator: 'gte',
      amount: '1',
    } as const;
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access } });
    await page.getByRole('button', { name: 'Play Demo Game' }).click();
    await dialog(page, 'Demo Game')
      .getByText('What you are missing')
      .or(page.getByText('you have 0 of 1'))
      .first()
      .waitFor();
    await expect.poll(() => hashOf(page)).toBe('#?about=demo-game');
    await page.keyboard.press('Escape');
    await expect.poll(() => hashOf(page)).toBe('');
    await demo.server.services.db.write(changeGame, demo.gameId, { policies: { access: null } });
  });

  test('what a game adds to the history is not taken back by closing something', async () => {
    const page = await signIn();
    await page.getByRole('button', { name: 'Play Demo Game' }).click();
    const start = page.frameLocator('iframe').getByRole('button', { name: 'Start' });
    await start.waitFor();
    await page.getByRole('tab', { name: 'Friends' }).click();
    await page.getByRole('button', { name: 'More about Grace H' }).click();
    const frame = page.frames()[1];
    await frame?.evaluate(() => {
      location.hash = 'level-2';
    });
    await page.keyboard.press('Escape');
    await dialog(page, 'Grace H').waitFor({ state: 'hidden' });
    await expect.poll(() => hashOf(page)).toBe('#demo-game/friends');
    expect(await frame?.evaluate(() => location.hash)).toContain('level-2');
  });

  test('a game that was added since the list was loaded opens by its address', async () => {
    const page = await signIn();
    await demo.server.createGame({ name: 'Added', slug: 'added' });
    await page.goto(`${demo.server.url}/play#added`);
    await page.getByRole('heading', { name: 'Added', level: 1 }).waitFor();
    expect(hashOf(page)).toBe('#added');
    await page.goto(`${demo.server.url}/play#missing`);
    await page.getByText('There is no such game here').waitFor();
    await expect.poll(() => hashOf(page)).toBe('#added');
  });

  test('an unlisted game opens by its address, and for players who are invited to it', async () => {
    const { db } = demo.server.services;
    const { gameId } = await demo.server.createGame({ name: 'Beta', slug: 'beta', listing: 'unlisted' });
    const page = await signIn();
    await page.goto(`${demo.server.url}/play#beta`);
    const opened = page.getByRole('heading', { name: 'Beta', level: 1 });
    await opened.waitFor();
    await page.getByRole('link', { name: 'All games' }).click();
    await page.getByRole('button', { name: 'Play Demo Game' }).waitFor();
    expect(await page.getByRole('button', { name: 'Play Beta' }).count()).toBe(0);
    await page.reload();
    const { address } = await signedInAs(page);
    const [grace = ''] = await db.read(friendWallets, address);
    await db.write(sendInvites, grace, [address], { gameId, connect: 'room 7', message: '' });
    await page.getByRole('button', { name: 'Accept the invite of Grace H' }).click();
    await opened.waitFor();
    expect(hashOf(page)).toBe('#beta');
  });

  test('a game on a host that is registered after the page was loaded opens too', async () => {
    const host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<h1>Level 1</h1>');
    });
    await once(host.listen(0, '127.0.0.1'), 'listening');
    const page = await signIn();
    const { port } = host.address() as AddressInfo;
    await demo.server.createGame({ name: 'Later', slug: 'later', url: `http://127.0.0.1:${port}/` });
    await page.evaluate(() => {
      location.hash = '#later';
    });
    await page.frameLocator('iframe').getByRole('heading', { name: 'Level 1' }).waitFor();
    host.close();
  });

  test('a game that is added while the list is loading opens by its address', async () => {
    const { page } = await demo.open(desktop);
    let arrive: (() => void) | null = null;
    await page.routeWebSocket(/socket\.io/, (socket) => {
      socket.connectToServer().onMessage((message) => {
        if (arrive === null && String(message).includes('"tokenIn"')) arrive = () => socket.send(message);
        else socket.send(message);
      });
    });
    await page.goto(`${demo.server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    const listed = await until('the list, which is held up', () => arrive);
    await demo.server.createGame({ name: 'Late', slug: 'late' });
    await page.goto(`${demo.server.url}/play#late`);
    listed();
    await page.getByRole('heading', { name: 'Late', level: 1 }).waitFor();
  });
});
