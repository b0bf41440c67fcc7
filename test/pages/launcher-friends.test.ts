import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addFriend, updateFriend } from '../../src/features/friends/commands.ts';
import { sendInvites } from '../../src/features/friends/invite-commands.ts';
import { privacyOf } from '../../src/features/friends/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { befriend } from '../support/befriend.ts';
import { connectLauncher } from '../support/launcher.ts';
import { until } from '../support/until.ts';
import { desktop, noBrowser, openPage, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { useDemoInBrowser } from './demo-in-browser.ts';
import { say, signedInAs } from './players.ts';

interface Friend extends WatchedPage {
  wallet: string;
}

describe.skipIf(noBrowser !== null)('friends in the launcher', () => {
  const demo = useDemoInBrowser((complaint) => complaint.includes('ERR_INTERNET_DISCONNECTED'));

  /** A guest in the launcher, in the library unless a game is named. */
  async function signIn(name: string, game = '', options: BrowserContextOptions = desktop): Promise<Friend> {
    const watched = await demo.signIn(game, options);
    const { address: wallet } = await signedInAs(watched.page);
    await demo.server.services.db.write(setProfile, wallet, { username: name });
    return { ...watched, wallet };
  }

  /** The launcher of the player of a page, in a browser of its own. */
  async function inAnotherBrowser(page: Page) {
    const session = await page.evaluate(() => Object.entries(sessionStorage));
    const opened = await demo.open(desktop);
    await opened.page.addInitScript((entries) => {
      for (const [key, value] of entries) sessionStorage.setItem(key, value);
    }, session);
    await opened.page.goto(`${demo.server.url}/play`);
    return opened;
  }

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };
  const rowOf = (page: Page, name: string) =>
    page.locator('.friend', { has: page.getByText(name, { exact: true }) });

  test('a request by code, accepting it, seeing what is played, joining, inviting, appearing offline, blocking', async () => {
    const [ada, grace, margaret] = await Promise.all([
      signIn('Ada L', 'demo-game'),
      signIn('Grace H'),
      signIn('Margaret H'),
    ]);
    await ada.page.getByRole('tab', { name: /^Friends/ }).click();
    await ada.page.getByText('No friends yet').waitFor();

    await demo.server.services.db.write(setScore, { gameId: demo.gameId, wallet: ada.wallet }, 900, 'best');

    // By code, with the keyboard only: the focus begins in the field and returns to the button.
    await ada.page.getByRole('button', { name: 'Add friend' }).click();
    const code = (await ada.page.locator('.own-code code').filter({ hasText: '-' }).textContent()) ?? '';
    await ada.page.keyboard.press('Escape');
    await grace.page.getByRole('button', { name: 'Add friend' }).press('Enter');
    await grace.page.getByLabel('Message with the request').fill('It is me, from the harbor');
    await grace.page.getByLabel('Friend code', { exact: true }).fill(code.toLowerCase());
    await grace.page.keyboard.press('Enter');
    await grace.page.getByText('Friend request sent').waitFor();
    await grace.page.keyboard.press('Escape');
    await expect
      .poll(() => grace.page.evaluate(() => document.activeElement?.textContent))
      .toBe('Add friend');
    await rowOf(grace.page, 'Ada L').getByText('Not answered yet').waitFor();

    // It is told at once, and counted.
    await ada.page.getByText('Grace H would like to be friends').waitFor();
    await ada.page.getByRole('tab', { name: /^Friends.*1 new/ }).waitFor();
    await rowOf(ada.page, 'Grace H').getByText('It is me, from the harbor').waitFor();
    await picture(ada.page, 'friends request');
    await ada.page.getByRole('button', { name: 'Accept Grace H' }).press('Enter');
    await grace.page.getByText('Ada L and you are friends now').waitFor();
    await rowOf(ada.page, 'Grace H').getByText('Online').waitFor();

    // A message from the library, outside of games: a player in a game is told of it.
    await grace.page.getByRole('button', { name: 'Message Ada L' }).click();
    await say(grace, 'Is there room for one more?');
    await ada.page.getByText('Grace H sent you a message: it is under All games').waitFor();
    await grace.page.getByRole('button', { name: 'Back to all messages' }).click();
    await grace.page.getByRole('button', { name: /Ada L.*You: Is there room/ }).waitFor();
    await grace.page.getByRole('tab', { name: /^Friends/ }).click();

    // What is played, and joining it: the game joins by itself.
    await rowOf(grace.page, 'Ada L').getByText('Between rounds').waitFor();
    await picture(grace.page, 'friends library');
    await grace.page.getByRole('button', { name: 'Join Ada L' }).click();
    const game = grace.page.frameLocator('iframe');
    await game.getByText('You race with').waitFor();
    // The game compares friends' scores, and invites to the same race.
    await game.locator('#friends-list li').filter({ hasText: 'Ada L900' }).waitFor();
    await picture(grace.page, 'friends scores');
    await game.getByRole('button', { name: 'Invite Ada L' }).click();
    await ada.page.getByText('Grace H invites you to Demo Game').waitFor();
    await ada.page.getByRole('button', { name: 'Decline the invite of Grace H' }).click();
    await ada.page.frameLocator('iframe').getByRole('button', { name: 'Start' }).click();
    await ada.page.keyboard.press('Space');
    await game.locator('#race').getByText('Ada L').waitFor();
    await picture(grace.page, 'friends race');

    // Found by name; the other accepts it as an own request.
    await ada.page.getByRole('button', { name: 'Add friend' }).click();
    await ada.page.getByLabel('Or search by name').fill('margaret h');
    await ada.page.getByRole('button', { name: 'Add Margaret H' }).click();
    await ada.page.getByText('Request sent', { exact: true }).waitFor();
    await ada.page.keyboard.press('Escape');
    await margaret.page.getByRole('button', { name: 'Accept Ada L' }).click();

    // Invited, which opens the game.
    await ada.page.getByRole('button', { name: 'Invite Margaret H to Demo Game' }).click();
    const invite = margaret.page.getByRole('region', { name: 'Invites' });
    await invite.getByText('Ada L invites you to Demo Game').waitFor();
    await picture(margaret.page, 'friends invite');
    await ada.page.getByRole('button', { name: 'Cancel the invite to Margaret H' }).click();
    await until('it is withdrawn', async () => !(await invite.getByRole('button').first().isVisible()));
    await ada.page.getByRole('button', { name: 'Invite Margaret H to Demo Game' }).click();
    await invite.getByRole('button', { name: 'Accept the invite of Ada L' }).click();
    await margaret.page.frameLocator('iframe').getByText('You race with').waitFor();
    await rowOf(ada.page, 'Margaret H').getByText('Demo Game').waitFor();

    // The message is in the library; the player's own name is there after a reload.
    await margaret.page.getByRole('link', { name: 'All games' }).click();
    await margaret.page.getByRole('button', { name: 'Message Ada L' }).click();
    await say(margaret, 'Later');
    await margaret.page.reload();
    await margaret.page.getByRole('button', { name: 'Account: Margaret H' }).waitFor();
    await margaret.page.getByRole('button', { name: 'Back to all messages' }).click();
    await margaret.page.getByRole('button', { name: /Ada L.*You: Later/ }).click();
    await margaret.page.getByRole('log').getByText('Later').waitFor();

    // A friend who appears offline is not seen as playing, also after a reload. Away comes first: friends have seen the
    // reload before, too, as offline.
    await margaret.page.getByRole('button', { name: /^Account/ }).click();
    await margaret.page.getByLabel('Status').selectOption({ label: 'Away' });
    await rowOf(ada.page, 'Margaret H').getByText('Away').waitFor();
    await margaret.page.getByLabel('Status').selectOption({ label: 'Appear offline' });
    await margaret.page.getByText('Friends see you as offline.').waitFor();
    await rowOf(ada.page, 'Margaret H').getByText('Offline').waitFor();
    await margaret.page.reload();
    await margaret.page.locator('.connection', { hasText: /Live/ }).waitFor();
    expect(await rowOf(ada.page, 'Margaret H').innerText()).toContain('Offline');

    // A blocked friend is gone from both lists, and is not told.
    await ada.page.getByRole('button', { name: 'More about Grace H' }).click();
    const dialog = ada.page.getByRole('dialog', { name: 'Grace H' });
    await dialog.getByRole('button', { name: 'Favorite' }).click();
    await dialog.getByLabel('Note').fill('From the harbor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByText('Note saved').waitFor();
    await picture(ada.page, 'friends dialog');
    await dialog.getByRole('button', { name: 'Block' }).click();
    await dialog.getByRole('button', { name: 'Block' }).click();
    await ada.page.getByText('Grace H blocked').waitFor();
    expect(await rowOf(ada.page, 'Grace H').count()).toBe(0);
    await grace.page.getByRole('tab', { name: /^Friends/ }).click();
    await grace.page.getByText('No friends yet').waitFor();
    expect(await grace.page.getByText(/block/i).count()).toBe(0);
  });

  test('who appears offline does so after someone else has played in the browser, and in another browser', async () => {
    const ada = await signIn('Ada L', 'demo-game');
    const grace = await demo.server.openSession(demo.gameId);
    await befriend(demo.server.services.db, demo.gameId, ada.wallet, grace.wallet);
    using watching = await connectLauncher(demo.server.url, { launcherJwt: grace.launcherJwt });
    const seen = async (page: Page) => {
      await page.locator('.connection', { hasText: /Live/ }).waitFor();
      return ((await watching.call('followPresence')) as { friends: unknown[] }).friends;
    };
    expect(await seen(ada.page)).toHaveLength(1);
    const choose = async (page: Page, label: string, hint: string) => {
      await page.getByRole('button', { name: /^Account/ }).click();
      await page.getByLabel('Status').selectOption({ label });
      await page.getByText(hint).waitFor();
    };
    await choose(ada.page, 'Appear offline', 'Friends see you as offline.');
    const beside = await ada.page.context().newPage();
    await beside.goto(`${demo.server.url}/play`);
    await beside.getByRole('button', { name: 'Play as a guest' }).click();
    await choose(beside, 'Away', 'Friends see it.');
    await beside
      .getByRole('button', { name: /^Account/ })
      .locator('.dot.away')
      .waitFor();
    await ada.page.reload();
    expect(await seen(ada.page)).toEqual([]);

    const { page } = await inAnotherBrowser(ada.page);
    await ada.page.close();
    expect(await seen(page)).toEqual([]);
  });

  test('a name that is chosen in one browser is shown in the others once they are looked at', async () => {
    const one = (await signIn('Ada L', '')).page;
    const other = (await inAnotherBrowser(one)).page;
    await other.locator('.connection', { hasText: /Live/ }).waitFor();
    await other
      .getByRole('button', { name: /^Account/ })
      .filter({ hasText: 'Ada L' })
      .waitFor();
    await one.getByRole('button', { name: /^Account/ }).click();
    await one.getByLabel('Display name').fill('Ada K');
    await one.keyboard.press('Enter');
    await one.getByText('Name saved').waitFor();
    await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await other
      .getByRole('button', { name: /^Account/ })
      .filter({ hasText: 'Ada K' })
      .waitFor();
  });

  test('a status that is chosen in one browser is shown in the others', async () => {
    const one = (await signIn('Ada L', '')).page;
    const other = (await inAnotherBrowser(one)).page;
    for (const page of [one, other]) {
      await page.locator('.connection', { hasText: /Live/ }).waitFor();
      await page.getByRole('button', { name: /^Account/ }).click();
    }
    const shows = (page: Page, status: string, text: string) =>
      until(status, async () => {
        const shown = [page.getByLabel('Status'), page.getByLabel('Message to friends')];
        const [value, words] = await Promise.all(shown.map((field) => field.inputValue()));
        return value === status && words === text;
      });
    await one.getByLabel('Status').selectOption({ label: 'Busy' });
    await shows(other, 'busy', '');
    await other.getByLabel('Message to friends').fill('In a raid');
    await other.getByRole('button', { name: 'Set', exact: true }).click();
    await shows(one, 'busy', 'In a raid');
    await one.getByLabel('Message to friends').fill('Half a');
    await other.getByLabel('Message to friends').fill('Back soon');
    const set = other.getByRole('button', { name: 'Set', exact: true });
    await set.click();
    await until('it is set', () => set.isDisabled());
    await other.getByLabel('Status').selectOption({ label: 'Online' });
    await shows(one, 'online', 'Half a');
    await one.reload();
    await one.getByRole('button', { name: /^Account/ }).click();
    await shows(one, 'online', 'Back soon');
  });

  test('a status that is chosen while the message is being set keeps the message', async () => {
    const { page } = await signIn('Ada L', '');
    const other = (await inAnotherBrowser(page)).page;
    for (const one of [page, other]) {
      await one.locator('.connection', { hasText: /Live/ }).waitFor();
      await one.getByRole('button', { name: /^Account/ }).click();
    }
    await page.getByLabel('Message to friends').fill('In a raid');
    const set = page.getByRole('button', { name: 'Set', exact: true });
    await until('it can be set', () => set.isEnabled());
    await page.getByLabel('Status').evaluate((select: HTMLSelectElement) => {
      document.querySelector<HTMLInputElement>('[aria-label="Message to friends"]')?.form?.requestSubmit();
      select.value = 'busy';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await until('busy', async () => (await other.getByLabel('Status').inputValue()) === 'busy');
    expect(await other.getByLabel('Message to friends').inputValue()).toBe('In a raid');
  });

  test('a long name without spaces is broken within the dialog about a friend', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await signIn('Ada L', '', { ...phone, viewport: { width: 360, height: 740 } });
    const long = await demo.server.openSession(demo.gameId);
    await db.write(setProfile, long.wallet, { username: 'W'.repeat(32) });
    await befriend(db, demo.gameId, long.wallet, wallet);
    await page.getByRole('tab', { name: /^Friends/ }).click();
    await page.getByRole('button', { name: /^More about W/ }).click();
    const dialog = page.getByRole('dialog', { name: /^W/ });
    const cutOff = () =>
      dialog.evaluate((one) => one.scrollWidth - one.clientWidth + (one.scrollLeft > 0 ? 1 : 0));
    expect(await cutOff()).toBe(0);
    await dialog.getByRole('button', { name: 'Block' }).click();
    const question = await dialog.getByText(/is not notified/).boundingBox();
    expect(question?.x).toBeGreaterThanOrEqual((await dialog.boundingBox())?.x ?? Infinity);
    expect(await cutOff()).toBe(0);
  });

  test('every state of the panel has no serious issue and fits, on wide and narrow screens, light and dark', async () => {
    const { db } = demo.server.services;
    const { page, wallet } = await signIn('Katherine J', 'demo-game');
    const others = await Promise.all(Array.from({ length: 4 }, () => demo.server.openSession(demo.gameId)));
    const names = ['Dorothy V', 'Someone with a name as long as names get', 'Mary J', 'Annie E'];
    await Promise.all(
      others.map((one, at) => db.write(setProfile, one.wallet, { username: names[at] ?? '' })),
    );
    const [dorothy, long, mary, annie] = others;
    if (!dorothy || !long || !mary || !annie) throw new Error('they have signed in');
    using playing = await connectLauncher(demo.server.url, { launcherJwt: dorothy.launcherJwt });
    await playing.call('setRichPresence', {
      details: 'Level 4, on the way to the harbor of a far away city with 450 points',
      group: { id: 'race', size: 2, max: 4 },
      connect: 'race',
    });
    await befriend(db, demo.gameId, dorothy.wallet, wallet);
    await befriend(db, demo.gameId, long.wallet, wallet);
    const longText =
      'We met at the harbor, and you said that I should write to you here some day. So here I am.';
    await db.write(updateFriend, wallet, long.wallet, { favorite: true, note: longText });
    const request = { hasCode: false, message: longText, gameId: demo.gameId };
    await db.write(addFriend, mary.wallet, { ...request, wallet });
    await db.write(addFriend, wallet, { ...request, wallet: annie.wallet });

    const fine = async (name: string) => {
      const issues = await issuesInBothSchemes(page, async () => {
        const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
        await picture(page, `friends ${name} ${dark ? 'dark' : 'light'}`);
      });
      expect([name, issues]).toEqual([name, { light: [], dark: [] }]);
      expect([name, await tooSmallOrOutside(page)]).toEqual([name, []]);
    };
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('tab', { name: /^Friends/ }).click();
      await page.getByRole('button', { name: 'Join Dorothy V' }).waitFor();
      await page.getByRole('button', { name: 'Cancel the request to Annie E' }).waitFor();
      await page.locator('.toast button').evaluateAll((all) => {
        for (const dismiss of all) if (dismiss instanceof HTMLElement) dismiss.click();
      });
      await fine(`panel ${width}`);
    }
    const close = () => page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add friend' }).click();
    await page.getByLabel('Or search by name').fill('dor');
    await page.getByText('1 found').waitFor();
    await page.locator('.own-code code').filter({ hasText: '-' }).waitFor();
    await fine('adding 390');
    await close();
    await page.getByRole('button', { name: 'More about Dorothy V' }).click();
    await fine('friend 390');
    await close();
    await page.getByRole('button', { name: 'Privacy' }).click();
    await page.getByLabel('Who can send you friend requests').selectOption({ label: 'Nobody' });
    await page.getByLabel('Other players can find you').uncheck();
    await fine('privacy 390');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Privacy saved').waitFor();
    expect(await db.read(privacyOf, wallet)).toMatchObject({ requests: 'nobody', searchable: false });
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByLabel('Message to friends').fill('On the night shift');
    await page.keyboard.press('Enter');
    await page.getByLabel('Status').selectOption({ label: 'Busy' });
    await fine('status 390');
    await close();
    await db.write(sendInvites, dorothy.wallet, [wallet], {
      gameId: demo.gameId,
      connect: 'race',
      message: longText,
    });
    await page.getByRole('button', { name: 'Accept the invite of Dorothy V' }).waitFor();
    await fine('invite 390');
    await page.getByRole('button', { name: 'Decline the invite of Dorothy V' }).press('Enter');
    await page.getByText(/invites you/).waitFor({ state: 'hidden' });
    await page.evaluate(() => {
      location.hash = '';
    });
    const home = page.getByRole('tablist', { name: 'Games, friends, messages and news' });
    await home.getByRole('tab', { name: /^Friends/ }).click(); // the game, which has one too, is left a moment later
    await page.getByRole('button', { name: 'Join Dorothy V' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Not connected').waitFor();
    await fine('offline 390');
  });

  test('an invite that is accepted while the connection is lost opens the game', async () => {
    const { db } = demo.server.services;
    const [ada, { page, wallet }] = await Promise.all([signIn('Ada L'), signIn('Grace H')]);
    await befriend(db, demo.gameId, ada.wallet, wallet);
    await loseAnswerOf(page, 'respondToInvite');
    await page.reload();
    await rowOf(page, 'Ada L').getByText('Online').waitFor();
    await db.write(sendInvites, ada.wallet, [wallet], { gameId: demo.gameId, connect: '', message: '' });
    await page.getByRole('button', { name: 'Accept the invite of Ada L' }).click();
    await page.frameLocator('iframe').getByRole('button', { name: 'Start' }).waitFor();
  });

  test('says when the panel cannot be loaded, and loads it then', async () => {
    const { page } = await openPage(demo.browser);
    await page.route('**/bundles/play/views-*', (route) => route.abort());
    await page.goto(`${demo.server.url}/play`);
    await page.getByRole('button', { name: 'Play as a guest' }).click();
    await page.getByText('Could not load friends').waitFor();
    await page.unroute('**/bundles/play/views-*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('No friends yet').waitFor();
  });
});

/** Closes the page's connection, once, instead of passing on the answer to this operation. */
async function loseAnswerOf(page: Page, operation: string): Promise<void> {
  let state: 'waiting' | 'called' | 'lost' = 'waiting';
  await page.routeWebSocket(/socket\.io/, (client) => {
    const server = client.connectToServer();
    client.onMessage((message) => {
      if (state === 'waiting' && message.includes(operation)) state = 'called';
      server.send(message);
    });
    server.onMessage((message) => {
      if (state === 'called' && /^43/.test(message.toString())) {
        state = 'lost';
        void Promise.all([server.close(), client.close()]);
      } else client.send(message);
    });
  });
}

/** Controls smaller than 24 pixels (WCAG 2.2, 2.5.8), and what is wider than the screen. */
function tooSmallOrOutside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const named = (one: Element) => `${one.tagName} ${one.ariaLabel ?? one.textContent}`;
    const scope = document.querySelector('dialog[open]') ?? document;
    const boxes = [...scope.querySelectorAll('button, input, select, .friend, .friend-notice')]
      .map((one) => ({ one, box: (one.closest('label') ?? one).getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    const small = boxes.filter(
      ({ one, box }) => !one.matches('.friend') && Math.min(box.width, box.height) < 24,
    );
    const outside = boxes.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1);
    return [...small, ...outside].map(({ one }) => named(one));
  });
}
