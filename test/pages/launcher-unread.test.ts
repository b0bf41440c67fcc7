import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { moveReadMarker } from '../../src/features/messages/read-marker-commands.ts';
import { findUnread } from '../../src/features/messages/unread.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { connectLauncher } from '../support/launcher.ts';
import { until } from '../support/until.ts';
import { noBrowser } from './browser.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { signedInAs } from './players.ts';

describe.skipIf(noBrowser !== null)('unread messages in the launcher', () => {
  const demo = useDemoInBrowser();

  /** A player with a conversation with each of the others, who has not opened any. */
  async function play(...names: string[]) {
    const { db } = demo.server.services;
    const player = await demo.play();
    const others = await Promise.all(
      names.map(async (username) => {
        const session = await demo.server.openSession(demo.gameId);
        await db.write(setProfile, session.wallet, { username });
        const owner = { gameId: demo.gameId, wallet: session.wallet };
        const channel = await db.write(createChannel, owner, [player.wallet]);
        const say = async (text: string) => (await db.write(sendMessage, owner, channel._id, text))._id;
        return { ...session, owner, channelId: channel._id, say };
      }),
    );
    await player.page.getByRole('tab', { name: /Messages/ }).click();
    return { ...player, owner: { gameId: demo.gameId, wallet: player.wallet }, others };
  }

  const entry = (page: Page, name: string) => page.locator('.conversation-entry').filter({ hasText: name });
  const unreadOf = (page: Page, name: string) => async () =>
    Number((await entry(page, name).locator('.count > [aria-hidden]').allTextContents())[0] ?? 0);
  /** How often a page that is loaded from now on calls an operation. */
  function callsOf(page: Page, operation: string): () => number {
    let calls = 0;
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes(`["${operation}"`)) calls += 1;
      }),
    );
    return () => calls;
  }
  const total = (page: Page) => async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);

  test('follow edits, unsends and what is read elsewhere', async () => {
    const { db } = demo.server.services;
    const { page, owner, others } = await play('Grace H');
    const [grace] = others;
    if (!grace) throw new Error('no player');
    const unread = unreadOf(page, 'Grace H');
    // Of a conversation that the player did not know.
    const [one, two, three] = [await grace.say('One'), await grace.say('Two'), await grace.say('Three')];
    await expect.poll(unread).toBe(3);
    await expect.poll(total(page)).toBe(3);

    // After a reload, only the last one is known.
    await page.reload();
    await expect.poll(unread).toBe(3);
    await db.write(editMessage, grace.owner, one, 'One, corrected');
    await db.write(editMessage, grace.owner, three, 'Three, corrected');
    await entry(page, 'Three, corrected').waitFor();
    expect(await unread()).toBe(3);
    await db.write(unsendMessage, grace.owner, two);
    await expect.poll(unread).toBe(2);
    await db.write(unsendMessage, grace.owner, three);
    await expect.poll(unread).toBe(1);
    await expect.poll(total(page)).toBe(1);
    await entry(page, 'One, corrected').waitFor();
    await db.write(moveReadMarker, owner, grace.channelId, one);
    await expect.poll(unread).toBe(0);
    await expect.poll(total(page)).toBe(0);

    // The player's own message, sent elsewhere, counts what is before it as read, until it is unsent.
    await grace.say('Four');
    await expect.poll(unread).toBe(1);
    const own = await db.write(sendMessage, owner, grace.channelId, 'Five');
    await expect.poll(unread).toBe(0);
    await db.write(editMessage, owner, own._id, 'Five, corrected');
    await grace.say('Six');
    await expect.poll(unread).toBe(1);
    await db.write(unsendMessage, owner, own._id);
    await expect.poll(unread).toBe(2);
  });

  test('an edit of a message of the player does not count those after it as read', async () => {
    const { db } = demo.server.services;
    const { page, owner, others } = await play('Grace H');
    const [grace] = others;
    if (!grace) throw new Error('no player');
    const own = await db.write(sendMessage, owner, grace.channelId, 'Mine');
    await grace.say('Yours');
    const unread = unreadOf(page, 'Grace H');
    await expect.poll(unread).toBe(1);
    await page.reload();
    await expect.poll(unread).toBe(1);
    await db.write(editMessage, owner, own._id, 'Mine, corrected');
    await grace.say('Yours too');
    await entry(page, 'Yours too').waitFor();
    expect(await unread()).toBe(2);
  });

  test('all that were opened one right after the other are read, on every device', async () => {
    const { db } = demo.server.services;
    const { page, owner, others } = await play('Grace H', 'Dorothy V');
    for (const other of others) await other.say('Are you there?');
    for (const name of ['Grace H', 'Dorothy V']) await expect.poll(unreadOf(page, name)).toBe(1);
    // Faster than a marker is sent.
    await entry(page, 'Grace H').click();
    await page.getByRole('button', { name: 'Back to all messages' }).click();
    await entry(page, 'Dorothy V').click();
    await page.getByRole('link', { name: 'All games' }).click();
    for (const { channelId } of others)
      await until('it is read', async () => (await db.read(findUnread, owner, channelId)).unreadCount === 0);
  });

  test('of more conversations than are listed, the list is read once for many messages, also for those of a game', async () => {
    const { db } = demo.server.services;
    const { page } = await demo.signIn();
    const { address: wallet, gameId: launcherGameId } = await signedInAs(page);
    const other = await demo.server.openSession(demo.gameId);
    const owner = { gameId: demo.gameId, wallet: other.wallet };
    const inGame = await db.write(createChannel, owner, [wallet]);
    const outside: { owner: typeof owner; channelId: string }[] = [];
    for (let count = 0; count < 30; count++) {
      const from = { gameId: launcherGameId, wallet: (await demo.server.openSession(demo.gameId)).wallet };
      const { _id: channelId } = await db.write(createChannel, from, [wallet]);
      await db.write(sendMessage, from, channelId, `Ahoy ${count}`);
      outside.push({ owner: from, channelId });
    }
    const reads = callsOf(page, 'getMessageChannels');
    await page.reload();
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByRole('button', { name: 'Show earlier' }).waitFor();
    await page.locator('.badge.connection', { hasText: 'Live' }).waitFor();
    for (const round of ['once', 'again']) {
      for (let count = 0; count < 200; count++)
        await db.write(sendMessage, owner, inGame._id, `In the game ${count}`);
      const [oldest] = outside.splice(0, 1);
      if (!oldest) throw new Error('no conversation');
      await db.write(sendMessage, oldest.owner, oldest.channelId, `Ahoy ${round}`);
      await entry(page, `Ahoy ${round}`).waitFor();
    }
    expect(reads()).toBeLessThan(20);
  });

  test('a message in a conversation that is not listed leaves the list and the open conversation as they are', async () => {
    const { db } = demo.server.services;
    const { page } = await demo.signIn();
    const { address: wallet, gameId } = await signedInAs(page);
    const say = async (from: { gameId: string; wallet: string }, channelId: string, text: string) =>
      void (await db.write(sendMessage, from, channelId, text));
    const outside = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const from = { gameId, wallet: (await demo.server.openSession(demo.gameId)).wallet };
        const { _id: channelId } = await db.write(createChannel, from, [wallet]);
        return { say: (text: string) => say(from, channelId, text), at };
      }),
    );
    for (const one of outside) await one.say(`Ahoy ${one.at}.`);
    const latest = outside.at(-1);
    for (let count = 0; count < 120; count++) await latest?.say(`Long story ${count}.`);
    const reads = callsOf(page, 'getMessageChannels');
    await page.reload();
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await expect.poll(() => page.locator('.conversation-entry').count()).toBe(50);
    await entry(page, 'Long story 119.').click();
    await page.getByRole('button', { name: 'Show earlier messages' }).click();
    await page.getByText('Long story 20.', { exact: true }).waitFor();

    const before = await total(page)();
    await outside[0]?.say('Remember me?');
    await expect.poll(total(page)).toBeGreaterThan(before);
    await page.getByText('Long story 20.', { exact: true }).waitFor();
    expect(await page.locator('.bubble').count()).toBe(100);
    await page.getByRole('button', { name: 'Back to all messages' }).click();
    await entry(page, 'Remember me?').waitFor();
    expect(await page.locator('.conversation-entry').count()).toBe(51);
    await page.getByRole('button', { name: 'Show earlier' }).click();
    await expect.poll(() => page.locator('.conversation-entry').count()).toBe(60);
    expect(reads()).toBe(4);
  });

  test("a game's conversation that is open in a reload is not searched for outside of games", async () => {
    const { db } = demo.server.services;
    const { page, others } = await play('Grace H');
    const { address: wallet, gameId } = await signedInAs(page);
    for (let count = 0; count < 30; count++) {
      const from = { gameId, wallet: (await demo.server.openSession(demo.gameId)).wallet };
      await db.write(createChannel, from, [wallet]);
    }
    await others[0]?.say('Are you there?');
    await entry(page, 'Grace H').click();
    const reads = callsOf(page, 'getMessageChannels');
    await page.reload();
    await page.locator('.bubble').getByText('Are you there?').waitFor();
    expect(reads()).toBe(2);
  });

  test('are counted once when many messages are unsent together', async () => {
    const { db } = demo.server.services;
    const { page, others } = await play('Grace H');
    const [grace] = others;
    if (!grace) throw new Error('no player');
    const sent: string[] = [];
    for (let count = 0; count < 100; count++) sent.push(await grace.say(`Ahoy ${count}`));
    const unread = unreadOf(page, 'Grace H');
    await expect.poll(unread).toBe(100);
    const counts = callsOf(page, 'getUnreadCount');
    await page.reload();
    await expect.poll(unread).toBe(100);
    for (const messageId of sent.slice(1)) await db.write(unsendMessage, grace.owner, messageId);
    await expect.poll(unread).toBe(1);
    expect(counts()).toBeLessThan(20);
  });

  test('requests to be friends are counted until they are withdrawn or answered elsewhere', async () => {
    const { page, wallet, others } = await play('Grace H', 'Dorothy V');
    const tab = page.getByRole('tab', { name: /^Friends/ });
    const count = async () => Number((await tab.locator('.count > [aria-hidden]').allTextContents())[0] ?? 0);
    const sockets = await Promise.all(
      others.map(({ launcherJwt }) => connectLauncher(demo.server.url, { launcherJwt })),
    );
    const [grace, dorothy] = sockets;
    const own = await page.evaluate(() => sessionStorage.getItem('gantry-play-player'));
    using elsewhere = await connectLauncher(demo.server.url, {
      launcherJwt: JSON.parse(own ?? '{}').launcherJwt,
    });
    await grace?.call('addFriend', { wallet });
    await dorothy?.call('addFriend', { wallet });
    await expect.poll(count).toBe(2);
    await grace?.call('removeFriend', { wallet });
    await expect.poll(count).toBe(1);
    await elsewhere.call('declineFriendRequest', { wallet: others[1]?.wallet });
    await expect.poll(count).toBe(0);
    for (const one of sockets) one.socket.disconnect();
  });
});
