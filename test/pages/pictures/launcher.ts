import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { ban } from '../../../src/features/administration/commands.ts';
import { addFriend, updateFriend } from '../../../src/features/friends/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { befriend } from '../../support/befriend.ts';
import { post } from '../../support/http.ts';
import { connectLauncher } from '../../support/launcher.ts';
import type { TestServer } from '../../support/server.ts';
import { bearer } from '../../support/world.ts';
import { desktop, openPage } from '../browser.ts';
import {
  messageAction,
  type PlayerAtLauncher,
  playDemoGame,
  say,
  signedInAs,
  startConversation,
} from '../players.ts';
import type { Camera } from './camera.ts';
import { fillBlocked, fillInbox } from './sample-world.ts';

/** The launcher, from signing in to a ban. */
export async function takeLauncher(camera: Camera): Promise<void> {
  await takeBeginning(camera);
  const { browser, options, server, world, take } = camera;
  const { ada, grace } = await twoPlayers(browser, server, options);
  const { page } = ada;
  const isPhone = camera.width === '390';
  await take(page, 'play-game');
  const tab = (name: RegExp) => page.getByRole('tab', { name }).click();

  await tab(/^Lead/);
  await page.locator('.board-row').first().waitFor();
  await take(page, 'play-board');
  await page.getByRole('combobox', { name: 'Leaderboard' }).selectOption({ label: 'Weekly' });
  await page.getByText(/^Season \d+ ends/).waitFor();
  await take(page, 'play-board-weekly');
  await page.getByRole('combobox', { name: 'Season' }).selectOption('1');
  await page.getByText('Season 1 is over').waitFor();
  await take(page, 'play-board-season');
  await tab(/^Activity/);
  await page.locator('.feed-item').first().waitFor();
  await take(page, 'play-activity');

  await tab(/^Messages/);
  await page.locator('.conversation-entry').first().waitFor();
  await take(page, 'play-conversations');
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await take(page, 'play-new-conversation');
  await page.keyboard.press('Escape');
  await page.locator('.conversation-entry').first().click();
  await page.getByRole('log').waitFor();
  await say(grace, 'The one who loses buys the hats, and I mean the good ones: https://hats.example/winter');
  await messageAction(page, /^Reply to: The one/);
  await take(page, 'play-replying');
  await say(ada, 'Deal.');
  await messageAction(page, /^React: The one/);
  await take(page, 'play-emoji');
  await page.getByRole('button', { name: 'React with: 🎉' }).click();
  await page.locator('.reaction').waitFor();
  await page.getByText('Sending…').waitFor({ state: 'hidden' });
  while (!(await page.getByText(/is typing/).isVisible())) {
    await grace.page.getByRole('textbox', { name: 'Write a message' }).press('h');
    await pause(200); // typing is not announced again right away
  }
  await page.mouse.move(0, 0);
  await take(page, 'play-conversation');
  await page.locator('.message').last().hover();
  await take(page, 'play-conversation-hover');
  await messageAction(page, /^Edit: Deal/);
  await take(page, 'play-editing');
  await page.keyboard.press('Escape');
  await messageAction(page, /^Unsend: Deal/);
  await take(page, 'play-unsend');
  await page.keyboard.press('Escape');
  await messageAction(page, /^More about .*The one/);
  await take(page, 'play-player-actions');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Participants' }).click();
  await take(page, 'play-participants');
  await page.keyboard.press('Escape');
  await takeGroup(camera, page);
  await takeFriends(camera, ada);

  await fillInbox(server, { gameId: world.gameId, wallet: ada.wallet });
  await page.locator('.toast').first().waitFor();
  await take(page, 'play-toasts');
  await page.mouse.move(0, 0); // a toast under the pointer stays
  await page.locator('.toast').first().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('dialog', { name: 'Notifications' }).getByText('You won a hat').waitFor();
  await take(page, 'play-inbox');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Account/ }).click();
  await take(page, 'play-account');
  await page.getByLabel('Display name').fill('Gr\u200dace');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('#player-menu .problem').waitFor();
  await take(page, 'play-name-refused');
  await page.keyboard.press('Escape');
  await fillBlocked(server, { gameId: world.gameId, wallet: ada.wallet }, world.players.slice(2, 5));
  // What was closed goes back in the browser's history a moment later, which would cut off the reload.
  await page.waitForURL(({ hash }) => !hash.includes('?'));
  await page.reload();
  await tab(/^Messages/);
  await page.getByRole('button', { name: /^Blocked players/ }).click();
  await take(page, 'play-blocked');
  await page.keyboard.press('Escape');

  await page.locator('.conversation-entry').first().click();
  await page.getByRole('log').waitFor();
  await page.context().setOffline(true);
  await ada.connection.filter({ hasNotText: /^Connected/ }).waitFor();
  await say(ada, 'Are you still there?');
  await page.getByText('Waiting for the connection…').waitFor();
  await take(page, 'play-offline');
  await page.context().setOffline(false);
  await page.getByText('Waiting for the connection…').waitFor({ state: 'hidden' });

  await server.services.db.write(ban, ada.wallet, world.gameId, 'cheating');
  if (isPhone) await tab(/^Game/);
  await page.getByText('You are banned from Demo Game').waitFor();
  await take(page, 'play-banned-from-game');
  await server.services.db.write(ban, ada.wallet, null, 'cheating');
  await page.getByText('You are banned').first().waitFor();
  await page.locator('.sign-in').waitFor();
  await take(page, 'play-banned');
}

/** The friends' panel and its dialogs. */
async function takeFriends(
  { server, world, take }: Camera,
  { page, wallet }: PlayerAtLauncher,
): Promise<void> {
  const { db } = server.services;
  const { gameId } = world;
  const [playing, away, asking, asked] = world.players;
  if (!playing || !away || !asking || !asked) throw new Error('there are too few players');
  using socket = await connectLauncher(server.url, { launcherJwt: playing.launcherJwt });
  await socket.call('setRichPresence', {
    details: 'Level 4, on the way to the harbor of a far away city with 450 points',
    group: { id: 'race', size: 2, max: 4 },
    connect: 'race',
  });
  await befriend(db, gameId, playing.wallet, wallet);
  await befriend(db, gameId, away.wallet, wallet);
  const note = 'We met at the harbor, and you said that I should write to you here some day.';
  await db.write(updateFriend, wallet, away.wallet, { favorite: true, note });
  const request = { hasCode: false, message: note, gameId };
  await db.write(addFriend, asking.wallet, { ...request, wallet });
  await db.write(addFriend, wallet, { ...request, wallet: asked.wallet });
  await page.getByRole('tab', { name: /^Friends/ }).click();
  await page.getByRole('button', { name: 'Join Katherine' }).waitFor();
  await page.getByRole('button', { name: /^Cancel the request/ }).waitFor();
  await page.locator('.toast').first().waitFor({ state: 'hidden' });
  await take(page, 'play-friends');
  await page.getByRole('button', { name: 'Add friend' }).click();
  await page.getByLabel('Or search by name').fill('kat');
  await page.getByText('2 found').waitFor();
  await page.locator('.own-code code').filter({ hasText: '-' }).waitFor();
  await take(page, 'play-add-friend');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More about Hedy' }).click();
  await take(page, 'play-friend');
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await take(page, 'play-block-friend');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByLabel('Who can send you friend requests').waitFor();
  await take(page, 'play-privacy');
  await page.keyboard.press('Escape');
}

/** A conversation of several players that this one created. */
async function takeGroup({ world, take }: Camera, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Back to all messages' }).click();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  for (const { wallet } of world.players.slice(0, 5)) {
    await page.getByLabel('Participants').fill(wallet);
    await page.keyboard.press('Enter');
  }
  await take(page, 'play-new-group');
  await page.keyboard.press('Enter');
  await page.getByRole('log').waitFor();
  await page.getByRole('button', { name: 'Participants' }).click();
  await take(page, 'play-group-info');
  await page.getByRole('button', { name: 'Leave conversation' }).click();
  await take(page, 'play-leave-group');
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Back to all messages' }).click();
  await page.getByRole('button', { name: /^Grace/ }).click();
  await page.getByRole('log').waitFor();
}

/** Signed in, before there is any data; and without a connection. */
async function takeBeginning(camera: Camera): Promise<void> {
  const { browser, options, server, take } = camera;
  const { page } = await openPage(browser, options);
  await page.route('**/launcher/get-games', (route) => route.abort());
  await page.goto(`${server.url}/play`);
  await page.getByText('Could not load the sign-in options').waitFor();
  await take(page, 'play-sign-in-failed');
  await page.unroute('**/launcher/get-games');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('button', { name: 'Play as a guest' }).click();
  await page.locator('.game-card').first().waitFor();
  await take(page, 'play-library');
  await page.getByRole('button', { name: 'About Demo Game' }).click();
  await page.getByText('Version').waitFor();
  await take(page, 'play-about-game');
  await page.keyboard.press('Escape');
  for (const name of ['News', 'Friends']) {
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
    await page.getByText(name === 'News' ? 'A new cup every week' : 'No friends yet').waitFor();
    await take(page, `play-${name.toLowerCase()}-first`);
  }
  if (camera.width === '390') await page.getByRole('tab', { name: 'Games' }).click();
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByText('No notifications').waitFor();
  await take(page, 'play-inbox-empty');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Details of A game/ }).click();
  await page.getByText('This game has no page to open').waitFor();
  const next = async (name: RegExp, shows: string | RegExp) => {
    await page.getByRole('tab', { name }).click();
    await page.getByText(shows).first().waitFor();
  };
  await take(page, 'play-elsewhere');
  await next(/^Lead/, 'No scores yet');
  await take(page, 'play-board-empty');
  await next(/^Activity/, /^No activit/);
  await take(page, 'play-activity-empty');
  await next(/^Messages/, 'No conversations yet');
  await take(page, 'play-conversations-empty');
  const { jti: sessionId } = await signedInAs(page);
  await post(`${server.url}/admin/revoke-session`, { sessionId }, bearer(server.adminToken));
  await page.getByText('Your session was ended').waitFor();
  await take(page, 'play-session-ended');
}

/** Two players with a game open, in conversation. */
export async function twoPlayers(
  inBrowser: Browser,
  server: TestServer,
  options: BrowserContextOptions = desktop,
): Promise<{ ada: PlayerAtLauncher; grace: PlayerAtLauncher }> {
  const [ada, grace] = await Promise.all([
    playDemoGame(inBrowser, server.url, options),
    playDemoGame(inBrowser, server.url, options),
  ]);
  const { db } = server.services;
  await db.write(setProfile, ada.wallet, { username: 'Ada' });
  await db.write(setProfile, grace.wallet, { username: 'Grace' });
  await startConversation(grace, ada.wallet);
  await say(grace, 'One more round?');
  await ada.page.getByRole('tab', { name: /Messages/ }).click();
  await ada.page.getByRole('button', { name: /One more round\?/ }).click();
  await say(ada, 'Just one. I nearly had you.');
  await grace.page.getByText('Just one.').waitFor();
  // On a phone the game is one of the tabs.
  await firstPanel(ada.page).click();
  await playForAWhile(ada.page);
  return { ada, grace };
}

/** Drops two containers in the open demo game. */
export async function playForAWhile(page: Page): Promise<void> {
  await page.frameLocator('iframe').getByRole('button', { name: 'Start' }).click();
  for (let drops = 0; drops < 2; drops++) {
    await pause(400); // the crane keeps moving
    await page.keyboard.press('Space');
  }
  // The first one always hits the hold.
  await page.frameLocator('iframe').locator('#score').filter({ hasNotText: /^0$/ }).waitFor();
}

function firstPanel(page: Page): Locator {
  return page.getByRole('tab', { name: /^(Game|Leaderboard)/ }).first();
}
