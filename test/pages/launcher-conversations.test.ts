import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createChannel, removeFromChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { liveSessions } from '../../src/features/sessions/queries.ts';
import { until } from '../support/until.ts';
import { newWallet } from '../support/wallet.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { tabTo } from './operator.ts';
import { bubbles, messageAction, say, showPanel, startConversation } from './players.ts';

describe.skipIf(noBrowser !== null)('conversations in the launcher', () => {
  const demo = useDemoInBrowser((complaint) => complaint.includes('ERR_INTERNET_DISCONNECTED'));

  async function post(path: string, body: object) {
    const response = await fetch(`${demo.server.url}/launcher/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.json();
  }

  /** Players with these names. */
  async function named(...names: string[]) {
    const { db } = demo.server.services;
    const players = await Promise.all(names.map(() => demo.server.openSession(demo.gameId)));
    await Promise.all(
      players.map(({ wallet }, at) => db.write(setProfile, wallet, { username: names[at] ?? '' })),
    );
    return players;
  }

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  test('five hundred messages at once are shown with far fewer renderings', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const [other] = await named('Sailor of the Line');
    if (!other) throw new Error('no player');
    const { _id: channelId } = await db.write(createChannel, other, [wallet]);
    await db.write(sendMessage, other, channelId, 'Ahoy');
    await showPanel(page, /Messages/);
    await page.locator('.conversation-entry').click();
    await page.locator('.bubble', { hasText: 'Ahoy' }).waitFor();
    const renderings = await page.evaluateHandle(() => {
      const counted = { count: 0 };
      const observer = new MutationObserver(() => {
        counted.count += 1;
      });
      observer.observe(document.querySelector('.log') ?? document.body, { childList: true });
      return counted;
    });
    const texts = Array.from({ length: 500 }, (_, at) => `Wave ${at}.`);
    await Promise.all(texts.map((text) => db.write(sendMessage, other, channelId, text)));
    await page.locator('.bubble', { hasText: 'Wave 499.' }).waitFor();
    expect(await bubbles({ page })).toEqual(['Ahoy', ...texts]);
    expect(await renderings.evaluate(({ count }) => count)).toBeLessThan(300);
  });

  test('a long last message leaves room for the time and the unread ones, and is what the conversation opens at', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const [other] = await named('Sailor of the Line');
    if (!other) throw new Error('no player');
    const { _id } = await db.write(createChannel, other, [wallet]);
    for (let count = 1; count <= 40; count++) await db.write(sendMessage, other, _id, `Ahoy ${count}`);
    await db.write(sendMessage, other, _id, `Aho${'y'.repeat(200)}`);
    await page.reload();
    await showPanel(page, /Messages/);
    const row = page.locator('.conversation-entry');
    const count = row.locator('.count', { hasText: '41' });
    for (const part of [count, row.locator('time')]) {
      const [inner, outer] = await Promise.all([part.boundingBox(), row.boundingBox()]);
      if (!inner || !outer) throw new Error('not shown');
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    }
    await row.click();
    await page.locator('.bubble', { hasText: 'Ahoyyy' }).waitFor();
    const below = () =>
      page.locator('.log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
    expect(await below()).toBeLessThan(80); // where the log follows new messages
  });

  test('of fifty conversations, each shows its last message and the name of the other player', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const others = await named(...Array.from({ length: 50 }, (_, at) => `Sailor ${at} of the Line`));
    for (const [at, other] of others.entries()) {
      const { _id } = await db.write(createChannel, other, [wallet]);
      await db.write(sendMessage, other, _id, `Ahoy from ${at}.`);
    }
    await page.reload();
    await showPanel(page, /Messages/);
    const rows = page.locator('.conversation-entry');
    await expect.poll(() => rows.count()).toBe(50);
    const texts = await rows.allTextContents();
    for (const at of others.keys())
      expect(
        texts.filter((text) => new RegExp(`Sailor ${at} of.*Ahoy from ${at}\\.`, 's').test(text)),
      ).toHaveLength(1);
    await picture(page, 'fifty conversations');
  });

  test("in a group, the sender's picture beside a message is as high as wide", async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const [grace, alan] = await named('Grace H', 'Alan T');
    if (!grace || !alan) throw new Error('no players');
    const { _id } = await db.write(createChannel, grace, [wallet, alan.wallet]);
    await db.write(sendMessage, grace, _id, 'Ahoy.');
    await showPanel(page, /Messages/);
    await page.locator('.conversation-entry').click();
    const { width, height } = (await page.locator('.message img').boundingBox()) ?? {};
    expect(height).toBe(width);
  });

  test('a new conversation is started with the keyboard, with a player found at a low rank', async () => {
    const { db } = demo.server.services;
    const longest = 'Wolfeschlegelsteinhausenbergerdorff the 3';
    const [far, long] = await named('Faraway Zed', longest.slice(0, 40));
    if (!far || !long) throw new Error('no players');
    const crowd = await Promise.all(Array.from({ length: 60 }, () => demo.server.openSession(demo.gameId)));
    await Promise.all([...crowd, long].map((one) => db.write(setScore, one, 900_000)));
    await db.write(setScore, far, -1_000);
    const { page } = await demo.play();
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    const field = page.getByLabel('Participants');
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('wolfe');
    await page.locator('.person', { hasText: 'Wolfe' }).waitFor();
    const overflow = () => page.locator('.dialog-body').evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(await overflow()).toBe(0);
    await picture(page, 'new conversation');
    await page.keyboard.press('Enter');
    await page
      .getByRole('checkbox', { name: /^Wolfe/ })
      .and(page.locator(':checked'))
      .waitFor();
    await page.keyboard.type('faraway');
    await page.locator('.person', { hasText: 'Faraway Zed' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Start with 2 players' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('log').waitFor();
    expect(await page.locator('.conversation-title').textContent()).toContain('Faraway Zed');
  });

  test('a message is reacted to with the keyboard, and its actions are large enough to be tapped', async () => {
    const ada = await demo.play();
    const [grace] = await named('Grace');
    if (!grace) throw new Error('no player');
    await startConversation(ada, grace.wallet);
    const { page } = ada;
    await say(ada, 'One');
    await say(ada, 'Two');
    await until('both are sent', async () => (await page.locator('[data-message]').count()) === 2);
    // One time for both.
    expect(await page.locator('.message-meta time:visible').count()).toBe(2);
    expect(await page.locator('.message-meta:not(.visually-hidden)').count()).toBe(1);
    await page.getByRole('log').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, 'React: One');
    await picture(page, 'message actions');
    for (const button of await page.locator('.message-action:visible').all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(32);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'React with' }).waitFor();
    await picture(page, 'emoji picker');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '😃, 1' }).waitFor();
    await page.getByRole('button', { name: 'Insert emoji' }).click();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('textbox', { name: 'Write a message' }).inputValue()).toBe('👍');
  });

  test('without a connection, a conversation does not say who is online, and does so again afterwards', async () => {
    const [ada, grace] = await Promise.all([demo.play(), demo.play()]);
    await startConversation(ada, grace.wallet);
    const { page } = ada;
    const title = page.locator('.conversation-title');
    await title.getByText('Online', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Participants' }).click();
    const members = page.getByRole('dialog', { name: 'Conversation details' }).locator('.member');
    await until('both are online', async () => (await members.getByText('· online').count()) === 2);
    const dots = page.locator('.conversation-title .dot, .member .dot');
    expect(await dots.count()).toBe(3);

    await page.context().setOffline(true);
    await title.getByText('You are offline', { exact: true }).waitFor();
    await picture(page, 'conversation offline');
    expect(await dots.count()).toBe(0);
    expect(await members.getByText(/online|offline/).count()).toBe(0);

    await page.context().setOffline(false);
    await title.getByText('Online', { exact: true }).waitFor();
    expect(await dots.count()).toBe(3);
  });

  test('an own message is announced once: when it has been sent', async () => {
    const [ada, grace] = await Promise.all([demo.play(), demo.play()]);
    await startConversation(ada, grace.wallet);
    const { page } = ada;
    await page.getByText('No messages yet. Say hello.').waitFor();
    const announced = await page.getByRole('log').evaluateHandle((log) => {
      const texts: string[] = [];
      const observer = new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
        for (const node of added)
          if (node instanceof Element && node.closest('[aria-live], [role="log"]') === log)
            texts.push(node.textContent);
      });
      observer.observe(log, { childList: true, subtree: true });
      return texts;
    });
    await say(ada, 'Good game!');
    await page.locator('.message.unsent').waitFor({ state: 'detached' });
    await page.locator('[data-message]', { hasText: 'Good game!' }).waitFor();
    const texts = await announced.jsonValue();
    expect(texts.filter((text) => text.includes('Good game!'))).toEqual([
      expect.stringMatching(/^\s*You: Good game!/),
    ]);
  });

  test('what was typed or could not be sent is still there in the conversation after it was left, and after the session ended', async () => {
    const [ada, grace] = await Promise.all([demo.play(), demo.play()]);
    await startConversation(ada, grace.wallet);
    const { page } = ada;
    const field = page.getByRole('textbox', { name: 'Write a message' });
    await say(ada, 'Good game!');
    await field.fill('Half typed');
    await page.getByRole('button', { name: 'Back to all messages' }).click();
    await page.getByRole('button', { name: /Good game!/ }).click();
    expect(await field.inputValue()).toBe('Half typed');

    await page.context().setOffline(true);
    await page.getByText('Messages are sent when you are connected again').waitFor();
    await field.press('Enter');
    await page.locator('.message.unsent').waitFor();
    await field.fill('Then this');
    await demo.server.services.db.write(revokeSessionById, ada.sessionId);
    await page.context().setOffline(false);
    await page.getByText('Your session was ended').waitFor();
    await page.getByRole('button', { name: /^Continue as/ }).click();
    await field.waitFor();
    expect(await field.inputValue()).toBe('Half typed\nThen this');
    await field.press('Enter');
    await until('it is sent', async () => (await bubbles(ada)).length === 2);
    expect(await field.inputValue()).toBe('');
    ada.complaints.splice(
      0,
      ada.complaints.length,
      ...ada.complaints.filter((one) => !/401|ERR_INTERNET/.test(one)),
    );
  });

  test('a name and an edited message that were typed are still there after the session ended', async () => {
    const [ada, grace] = await Promise.all([demo.play(), demo.play()]);
    await startConversation(ada, grace.wallet);
    const { page } = ada;
    const account = page.getByRole('button', { name: /^Account:/ });
    const name = page.getByLabel('Display name');
    const field = page.locator('.composer textarea');
    await say(ada, 'Good game!');
    await account.click();
    await name.fill('Ada L');
    await page.keyboard.press('Escape');
    await messageAction(page, /^Edit: Good game/);
    await field.fill('Good game, Grace!');

    await demo.server.services.db.write(revokeSessionById, ada.sessionId);
    await page.getByText('Your session was ended').waitFor();
    await page.getByRole('button', { name: /^Continue as/ }).click();
    await page.getByText('Editing your message').waitFor();
    expect(await field.inputValue()).toBe('Good game, Grace!');
    await field.press('Enter');
    await page.locator('.bubble', { hasText: 'Good game, Grace!' }).waitFor();
    await page.getByText('Editing your message').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');

    await account.click();
    expect(await name.inputValue()).toBe('Ada L');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Account: Ada L' }).waitFor();
    // What is saved or cancelled is not offered again.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Back to all messages' }).click();
    await page.getByRole('button', { name: /Good game, Grace!/ }).click();
    await field.waitFor();
    expect(await page.getByText('Editing your message').count()).toBe(0);
    ada.complaints.splice(0, ada.complaints.length, ...ada.complaints.filter((one) => !/401/.test(one)));
  });

  test('a guest is blocked also after getting a wallet', async () => {
    const { db } = demo.server.services;
    const ada = await demo.play();
    const guest = await post('create-guest', { gameId: demo.gameId });
    const owner = { gameId: demo.gameId, wallet: guest.wallet };
    const { _id } = await db.write(createChannel, owner, [ada.wallet]);
    await db.write(sendMessage, owner, _id, 'Buy gold!');
    const { page } = ada;
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.getByRole('button', { name: /Buy gold!/ }).click();
    await page.locator('.bubble', { hasText: 'Buy gold!' }).waitFor();
    const wallet = newWallet();
    const { launcherJwt } = guest;
    const begun = await post('request-guest-upgrade', { launcherJwt, wallet: wallet.address });
    const signature = await wallet.sign(begun.signRequest);
    await post('upgrade-guest', { launcherJwt, channelId: begun.channelId, signature });
    await messageAction(page, /^More about .*Buy gold/);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Block/ })
      .click();
    await page.getByText(/ blocked$/).waitFor();
    await until('it is hidden', async () => (await bubbles(ada)).length === 0);
  });

  test('a notification from while the player was away names its game, and the list is scrolled with the keyboard', async () => {
    const { db } = demo.server.services;
    const other = await demo.server.createGame({ name: 'Orbit', slug: 'orbit' });
    const { page, wallet } = await demo.play();
    await page.goto('about:blank');
    const sessions = await db.read(liveSessions, wallet);
    await until('the launcher is disconnected', async () => {
      const { presence } = demo.server.services;
      const present = await Promise.all(sessions.map(({ session }) => presence.isPresent(session.id)));
      return !present.includes(true);
    });
    for (let sent = 1; sent <= 20; sent++)
      await db.write(
        notifyPlayer,
        { gameId: other.gameId, wallet },
        { message: `Comet ${sent}`, type: 'success' },
      );
    await page.goto(`${demo.server.url}/play`);
    await page
      .locator('.toast', { hasText: /^Orbit: Comet/ })
      .first()
      .waitFor();
    expect(await page.locator('.toast', { hasText: 'a game:' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Notifications/ }).click();
    const list = page.getByRole('list', { name: /^Notifications/ });
    await list.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await expect.poll(() => list.evaluate((one) => one.scrollTop)).toBeGreaterThan(50);
    await picture(page, 'notifications');
  });

  test('the buttons of game cards in a row are level, also when one name wraps', async () => {
    await demo.server.createGame({
      name: 'A game with such a long name that it takes two lines or even three',
    });
    const { page } = await demo.play({ ...desktop, viewport: { width: 1440, height: 900 } });
    await page.goto(`${demo.server.url}/play`);
    await page.locator('.game-card').nth(1).waitFor();
    await picture(page, 'game cards');
    const edges = (part: Locator) =>
      part.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().bottom)));
    const tops = await page
      .locator('.game-card')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const row = tops.filter((top) => top === tops[0]).length;
    expect(row).toBeGreaterThan(1);
    expect(new Set((await edges(page.locator('.game-card .button'))).slice(0, row)).size).toBe(1);
    expect(new Set((await edges(page.locator('.game-card .cover'))).slice(0, row)).size).toBe(1);
    expect(new Set((await edges(page.locator('.game-card > h2'))).slice(0, row)).size).toBeGreaterThan(0);
  });

  test.each([
    ['1440', { ...desktop, viewport: { width: 1440, height: 900 } }],
    ['1024', { ...desktop, viewport: { width: 1024, height: 768 } }],
    ['390', phone],
  ])(
    'the picker and the dialog fit %s pixels, without an issue in light and dark',
    async (width, options) => {
      const ada = await demo.play(options);
      const [grace] = await named('Wolfeschlegelsteinhausenbergerdorff Esq');
      if (!grace) throw new Error('no player');
      await startConversation(ada, grace.wallet);
      await say(ada, 'Shall we play one more round this evening?');
      const { page } = ada;
      const fine = async (name: string) => {
        const issues = await issuesInBothSchemes(page, async () => {
          const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
          const outside = await page.locator('.emoji-picker:popover-open, dialog[open]').evaluateAll(
            (all) =>
              all.filter((one) => {
                const { left, right, top, bottom } = one.getBoundingClientRect();
                return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
              }).length,
          );
          expect([name, outside]).toEqual([name, 0]);
          await picture(page, `play ${name} ${width} ${dark ? 'dark' : 'light'}`);
        });
        expect([name, issues]).toEqual([name, { light: [], dark: [] }]);
      };
      await page.locator('.bubble').click();
      await page.getByRole('button', { name: 'React: Shall we' }).click();
      await fine('picker');
      await page.keyboard.press('Escape');
      await fine('actions');
      await page.getByRole('button', { name: 'Back to all messages' }).click();
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await fine('dialog');
    },
  );

  test('a conversation that the player is no longer in disappears, open or once it is opened', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await demo.play();
    const [ada] = await named('Ada');
    if (!ada) throw new Error('a player is needed');
    await showPanel(page, /Messages/);
    const list = page.getByRole('heading', { name: 'Messages' });
    const over = page.locator('.toast', { hasText: 'You are no longer in this conversation' });
    const entry = page.locator('.conversation-entry', { hasText: 'Ahoy' });
    for (const isOpen of [true, false]) {
      const { _id } = await db.write(createChannel, ada, [wallet, newWallet().lowercase]);
      await db.write(sendMessage, ada, _id, 'Ahoy');
      await entry.waitFor();
      if (isOpen) {
        await entry.click();
        await list.waitFor({ state: 'hidden' });
      }
      await db.write(removeFromChannel, ada, _id, wallet);
      // As every ten seconds.
      if (isOpen) await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      else await entry.click();
      await over.waitFor();
      await list.waitFor();
      expect(await entry.count()).toBe(0);
      await over.getByRole('button').click();
      await page.locator('.toast').waitFor({ state: 'detached' });
    }
  });
});
