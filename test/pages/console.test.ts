import { readFile } from 'node:fs/promises';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defaultName, shortAddress } from '../../src/core/schemas/default-name.ts';
import { completeErasingGame } from '../../src/features/administration/game-eraser.ts';
import { beginErasingGame } from '../../src/features/administration/game-erasing-commands.ts';
import { addFriend } from '../../src/features/friends/commands.ts';
import { countFriendships } from '../../src/features/friends/queries.ts';
import { findGame, findGameBySlug } from '../../src/features/games/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { deleteMessage, sendMessage } from '../../src/features/messages/message-commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { enqueueActions } from '../../src/features/queue/commands.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { readRules } from '../../src/features/rules/queries.ts';
import type { Rule } from '../../src/features/rules/rule.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { revokeSessionById } from '../../src/features/sessions/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { readWebhooks } from '../../src/features/webhooks/queries.ts';
import { seedDemo } from '../../src/tools/demo/seed.ts';
import { befriend } from '../support/befriend.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';
import { accessibilityIssues } from './axe.ts';
import {
  desktop,
  launchBrowser,
  launchOwnBrowser,
  noBrowser,
  openPage,
  phone,
  type WatchedPage,
} from './browser.ts';
import { hasLoaded, openConsole, showView, tabTo, writeOver } from './operator.ts';
import { playDemoGame } from './players.ts';

describe.skipIf(noBrowser !== null)('an operator in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let opened: WatchedPage[] = [];

  beforeAll(async () => {
    server = await startTestServer({ STORAGE_QUOTA_MEGABYTES: '1' });
    await seedDemo(server.services.db, server.box);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    const complaints = opened.flatMap((one) => one.complaints);
    await Promise.all(opened.map(({ page }) => page.context().close()));
    opened = [];
    expect(complaints).toEqual([]);
  });

  async function open(view = '', options = desktop) {
    const watched = await openConsole(browser, server, view, options);
    opened.push(watched);
    return watched.page;
  }

  test('signs in by the link that the start prints, once, and not with the code in the address', async () => {
    const link = `${server.url}/console#sign-in=${server.newConsoleCode()}`;
    const [watched, second] = [await openPage(browser), await openPage(browser)];
    opened.push(watched, second);
    await watched.page.goto(link);
    await watched.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(watched.page.url()).toBe(`${server.url}/console`);
    await watched.page.reload();
    await watched.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await second.page.goto(link);
    await second.page.getByText('This link was used before').waitFor();
    await second.page.getByLabel('Admin token').waitFor();
    expect(second.page.url()).toBe(`${server.url}/console`);
    // A tab beside one that is signed in needs no link.
    const beside = await watched.page.context().newPage();
    await beside.goto(link);
    await beside.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await second.page.getByLabel('Admin token').fill('not-the-admin-token');
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByText('Invalid admin token.').waitFor();
    expect(await second.page.getByText('This link was used before').count()).toBe(0);
    // A further link in the address of the same page, which the browser does not load again.
    const goTo = (code: string) =>
      second.page.evaluate((hash) => {
        location.hash = hash;
      }, `#sign-in=${code}`);
    await goTo(server.newConsoleCode());
    await second.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await goTo(server.newConsoleCode());
    await expect.poll(() => second.page.url()).toBe(`${server.url}/console`);
    expect(await second.page.getByText('Page not found').count()).toBe(0);
    // The browser reports both 401s itself.
    expect(second.complaints.splice(0)).toEqual(Array(2).fill(expect.stringContaining('401')));
  });

  test('signs in with the admin token and nothing else, and it stays in the tab', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(`${server.url}/console`);
    await page.getByLabel('Admin token').fill('not-the-admin-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid admin token.').waitFor();
    // The browser reports the 401 itself.
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    opened.push(watched);
    await page.getByLabel('Admin token').fill(server.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const kept = await page.evaluate(() => ({
      local: JSON.stringify({ ...localStorage }),
      session: JSON.stringify({ ...sessionStorage }),
      cookies: document.cookie,
    }));
    expect(kept.session).toContain(server.adminToken);
    expect(kept.local + kept.cookies).not.toContain(server.adminToken);
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("sees the server's status live", async () => {
    const page = await open();
    const requests = page.locator('.chart-card').filter({ hasText: 'Requests per second' });
    await requests.locator('canvas').waitFor();
    await expect.poll(() => page.locator('.chart-card canvas').count()).toBe(8);
    expect(await page.locator('.chart > span').count()).toBe(0); // the element that the colours were read from is gone
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    await until('the requests show', async () => {
      await post(`${server.url}/launcher/channel-status`, { launcherJwt });
      return Number(await requests.locator('.figure-value').textContent()) > 5;
    });
  });

  test('sees who was refused, why, and how often', async () => {
    const { gameId } = await server.createGame({ name: 'Full Store' });
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const save = (label: string) =>
      post(`${server.url}/launcher/set-state`, { launcherJwt, label, state: `"${'a'.repeat(700_000)}"` });
    expect((await save('one')).status).toBe(200);
    for (let times = 0; times < 3; times++) expect((await save('two')).status).toBe(413);
    const page = await open('refusals');
    const row = page.getByRole('row').filter({ hasText: 'storage_full' });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells.map((cell) => cell.trim().replace(/\s+/g, ' ')).slice(0, 5)).toEqual([
      'storage_full setState',
      expect.stringContaining(`${wallet.slice(0, 6)}…${wallet.slice(-4)}`),
      '127.0.0.1',
      'Full Store',
      '3',
    ]);
    await page.getByLabel('Reason').selectOption('rate_limited');
    await page.getByText('No refusals').waitFor();
    await page.getByLabel('Reason').selectOption('storage_full');
    await row.getByRole('link', { name: 'Show requests refused with storage_full' }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await page.getByText('3 rows', { exact: true }).waitFor();
    expect(await page.getByRole('row', { name: /413 setState storage_full/ }).count()).toBe(3);
  });

  test('creates a game, whose secret works, and rotates and revokes secrets', async () => {
    const page = await open('games');
    await page.getByRole('button', { name: 'New game' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Lunar Lander');
    await page.getByLabel('Slug').fill('Not A Slug');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('must be lowercase letters').first().waitFor();
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('Slug').fill('lunar-lander');
    await page.getByLabel('Allowed origins').fill('https://lunar.example\n\nhttps://beta.lunar.example');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This secret is shown only once').waitFor();
    const secret = (await page.locator('.secret-text').textContent()) ?? '';
    await page.getByRole('button', { name: 'Open game' }).click();
    await page.getByRole('heading', { name: 'Lunar Lander', level: 1 }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    const game = await server.services.db.read(findGameBySlug, 'lunar-lander');
    expect(game?.allowedOrigins).toEqual(['https://lunar.example', 'https://beta.lunar.example']);

    const player = await server.openSession(game?.id ?? '');
    const works = async (tried: string) =>
      (await post(`${server.url}/launcher/revoke-channel-session`, { wallet: player.wallet }, bearer(tried)))
        .status;
    expect(await works(secret)).toBe(200);
    expect(await works(`${secret}x`)).toBe(401);

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('This secret is shown only once').waitFor();
    const second = (await page.locator('.secret-text').textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await works(second)).toBe(200);
    expect(await works(secret)).toBe(200); // for an hour
    await until(
      'both are listed',
      async () => (await page.getByRole('button', { name: 'Revoke' }).count()) === 2,
    );
    await page.getByRole('button', { name: 'Revoke' }).last().click();
    await page.getByRole('dialog').getByText('cannot be undone').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await until('the first is refused', async () => (await works(secret)) === 401);
    expect(await works(second)).toBe(200);
  });

  test('changes origins and policies', async () => {
    const { gameId } = await server.createGame({ name: 'Strokes', slug: 'strokes' });
    const page = await open('games/strokes/settings');
    await page.getByLabel('Allowed origins').fill('https://strokes.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until('the origin is kept', async () => {
      const { allowedOrigins } = (await server.services.db.read(findGame, gameId)) ?? {};
      return allowedOrigins?.join() === 'https://strokes.example';
    });
    await page.getByLabel('Sort order').selectOption('asc');
    await page.getByLabel('One session per player').check();
    await page.getByText('sees and changes friends and requests of players who are in it').waitFor();
    await page.getByLabel('Friends').selectOption('none');
    await page.getByText('The game sees no friends').waitFor();
    await page.getByLabel('Writes: calls').fill('3');
    await page.getByText('Fill in both, or neither').waitFor();
    expect(await page.getByRole('button', { name: 'Save policies' }).isDisabled()).toBe(true);
    await page.getByLabel('Writes: in seconds').fill('4000');
    await page.getByRole('button', { name: 'Add token' }).click();
    const token = page.getByRole('group', { name: 'Token 1' });
    await token.getByLabel('Chain ID').fill('137');
    await token.getByLabel('Token contract').fill('0x12');
    await token.getByLabel('Amount', { exact: true }).fill('500');
    await token.getByLabel('Amount per player').fill('5');
    await page.getByRole('button', { name: 'Save policies' }).click();
    await page.getByText(/Seconds: must be at most 3,?600/).waitFor();
    await page.getByText('Correct the marked fields.').waitFor();
    expect(await token.getByLabel('Token contract').getAttribute('aria-invalid')).toBe('true');
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('Writes: in seconds').fill('10');
    await token.getByLabel('Token contract').fill(`0x${'12'.repeat(20)}`);
    await page.getByLabel('Transactions', { exact: true }).fill('20');
    await page.getByLabel('Transactions per player').fill('2');
    await page.getByRole('checkbox', { name: 'Scores' }).check();
    await page.getByRole('checkbox', { name: 'Rule triggers' }).check();
    await page.getByRole('checkbox', { name: 'Rule triggers' }).uncheck();
    await page.getByRole('button', { name: 'Save policies' }).click();
    const policies = async () => (await server.services.db.read(findGame, gameId))?.policies;
    await until('the policies are kept', async () => (await policies())?.leaderboard.order === 'asc');
    await page.getByText('Saved').first().waitFor();
    expect(await policies()).toMatchObject({
      serverOnly: ['setUserScore'],
      leaderboard: { keep: 'best', order: 'asc' },
      oneSessionPerPlayer: true,
      friends: 'none',
      limits: { write: { points: 3, seconds: 10 } },
      spending: {
        transactionsPerDay: 20,
        transactionsPerPlayerPerDay: 2,
        tokens: [{ chainId: 137, contract: `0x${'12'.repeat(20)}`, perDay: '500', perPlayerPerDay: '5' }],
      },
    });
  });

  test('archives a game, lists it again, and deletes it once its slug is typed', async () => {
    const { gameId } = await server.createGame({ name: 'Doomed', slug: 'doomed' });
    const page = await open('games/doomed/settings');
    const listing = async () => (await server.services.db.read(findGame, gameId))?.listing;
    await page.getByLabel('Order', { exact: true }).fill('5');
    await page.getByLabel('Unlisted').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until('unlisted', async () => (await listing()) === 'unlisted');
    expect((await server.services.db.read(findGame, gameId))?.order).toBe(5);
    await page.getByRole('button', { name: 'Archive game' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await until('archived', async () => (await listing()) === 'archived');
    await page.getByRole('button', { name: 'List again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'List again' }).click();
    await until('listed', async () => (await listing()) === 'listed');
    await page.getByRole('button', { name: 'Delete game' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Delete game' });
    await dialog.getByLabel('Type doomed to confirm').fill('doome');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type doomed to confirm').fill('doomed');
    await confirm.click();
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    expect(await server.services.db.read(findGame, gameId)).toBeNull();
  });

  test('shows that a game is being deleted, and nothing to change in it', async () => {
    const { gameId } = await server.createGame({ name: 'Leaving', slug: 'leaving' });
    await server.services.db.write(beginErasingGame, gameId);
    const page = await open('games/leaving/settings');
    await page.getByText('This game is being deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await completeErasingGame(server.services.db, server.services.tables, gameId);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('Game not found').waitFor();
  });

  test('edits a rule, sees an error at its line, tries it, saves it, and it fires', async () => {
    const { gameId } = await server.createGame({ name: 'Ruled', slug: 'ruled' });
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const page = await open('games/ruled/rules');
    const editor = page.getByLabel('Rules (JSON array)');
    const store = page.getByRole('button', { name: 'Save rules' });
    await page.getByText('No rules, valid').waitFor();

    await writeOver(editor, '[\n  {\n    "trigger": "win",\n');
    await page.locator('.problem-line').waitFor();
    const rules = (type: string) =>
      `[\n  {\n    "trigger": "win",\n    "actions": [\n      {\n        "type": "${type}",\n        "message": "Well done: {value}",\n        "conditions": [{ "type": "payload-value-condition", "operator": "gte", "value": 10 }]\n      }\n    ]\n  }\n]`;
    await writeOver(editor, rules('Notifi'));
    const problem = page.getByRole('button', { name: /unknown action type "Notifi"/ });
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/Line [56]/);
    expect(await store.isDisabled()).toBe(true);
    const complaints = opened[0]?.complaints.splice(0) ?? [];
    expect(complaints.length).toBeGreaterThan(0);
    expect(complaints.every((one) => one.includes('400'))).toBe(true);

    await writeOver(editor, rules('Notify'));
    await page.getByText('1 rule, valid').waitFor();
    await page.getByLabel('Player wallet').fill(wallet);
    await page.getByLabel('Trigger').fill('win');
    await page.getByLabel('Value').fill('7');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('would not run').waitFor();
    await page.getByLabel('Value').fill('twelve'); // as a game may send it
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('requires the value gte 10, but it is not set').waitFor();
    await page.getByLabel('Value').fill('12');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('would run').waitFor();
    expect((await server.services.db.read(readRules, gameId)).version).toBe(0);

    await store.click();
    await page.getByText('Version 1').waitFor();
    await page.getByRole('link', { name: 'Live events' }).last().click();
    const fired = await post(`${server.url}/launcher/trigger-rules-engine`, {
      launcherJwt,
      trigger: 'win',
      value: 12,
    });
    expect(fired.body).toMatchObject({ actions: ['Notify'] });
    await page.getByRole('row', { name: /notifications created.*Well done: 12/ }).waitFor();
  });

  const notify = (message: string): Rule[] => [
    { trigger: 'win', actions: [{ type: 'Notify', message, notificationType: 'success' }] },
  ];

  test('keeps edited rules when others are saved meanwhile, and offers the choice', async () => {
    const { gameId } = await server.createGame({ name: 'Contended', slug: 'contended' });
    const { db } = server.services;
    const stored = async () => JSON.stringify((await db.read(readRules, gameId)).rules);
    const page = await open('games/contended/rules');
    const editor = page.getByLabel('Rules (JSON array)');
    const store = page.getByRole('button', { name: 'Save rules' });

    await writeOver(editor, JSON.stringify(notify('mine')));
    await db.write(replaceRules, gameId, notify('theirs'));
    await store.click();
    await page.getByText('Version 1 was saved in the meantime.').waitFor();
    expect(await editor.innerText()).toContain('mine');
    expect(await stored()).toContain('theirs');
    expect(await store.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Keep my changes' }).click();
    await store.click();
    await page.getByText('Version 2', { exact: true }).waitFor();
    expect(await stored()).toContain('mine');

    await writeOver(editor, JSON.stringify(notify('mine again')));
    await db.write(replaceRules, gameId, notify('theirs again'));
    await store.click();
    await page.getByRole('button', { name: 'Load version 3' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Load' }).click();
    await page.getByText('Version 3', { exact: true }).waitFor();
    expect(await editor.innerText()).toContain('theirs again');
    expect(await stored()).toContain('theirs again');
    // The browser reports each refusal (409) too.
    const refusals = opened[0]?.complaints.splice(0) ?? [];
    expect(refusals.map((one) => one.includes('409'))).toEqual([true, true]);
  });

  test('has the rules validated again when the server is back, and is notified of those saved meanwhile', async () => {
    const { gameId } = await server.createGame({ name: 'Returned', slug: 'returned' });
    const { db } = server.services;
    const page = await open('games/returned/rules');
    const editor = page.getByLabel('Rules (JSON array)');
    await page.getByText('No rules, valid').waitFor();
    await page.route(/admin|readyz/, (route) => route.abort());
    await writeOver(editor, JSON.stringify(notify('mine')));
    await page.getByRole('button', { name: /Cannot reach the server/ }).waitFor();
    await db.write(replaceRules, gameId, notify('theirs'));
    await page.unroute(/admin|readyz/);
    await page.getByText('1 rule, valid').waitFor();
    await page.getByText('Version 1 was saved in the meantime.').waitFor();
    expect(await editor.innerText()).toContain('mine');

    // Without edits there is nothing to choose.
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Version 1', { exact: true }).waitFor();
    expect(await editor.innerText()).toContain('theirs');
    const complaints = opened[0]?.complaints.splice(0) ?? [];
    expect(complaints.every((one) => one.includes('ERR_FAILED'))).toBe(true);
  });

  test('keeps unsaved rules when their view is left, and asks before discarding them', async () => {
    await server.createGame({ name: 'Left', slug: 'left' });
    const page = await open('games/left/rules');
    const editor = page.getByLabel('Rules (JSON array)');
    await writeOver(editor, JSON.stringify(notify('not saved')));
    await page.getByRole('link', { name: 'Players' }).first().click();
    await page.getByRole('heading', { name: 'Players', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('Unsaved changes', { exact: true }).waitFor();
    expect(await editor.innerText()).toContain('not saved');
    await page.getByRole('link', { name: 'Leaderboard' }).click();
    await page.getByRole('link', { name: /^Rules.*unsaved changes/ }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page
      .getByRole('dialog', { name: /discard unsaved changes/ })
      .getByText('Cancel')
      .click();
    await page.getByRole('link', { name: /^Rules.*unsaved changes/ }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No rules, valid').waitFor();
    expect(await page.getByText('unsaved changes').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out').waitFor();
  });

  test('adds an action from the reference, which is generated from the schema', async () => {
    await server.createGame({ name: 'Helped', slug: 'helped' });
    const page = await open('games/helped/rules');
    await page.locator('summary').filter({ hasText: 'SendCustomActivity' }).click();
    await page.getByRole('button', { name: 'Add a rule with SendCustomActivity' }).click();
    await page.getByText('1 rule, valid').waitFor();
    expect(await page.getByLabel('Rules (JSON array)').innerText()).toContain('"SendCustomActivity"');
    expect(await page.locator('.help-part').count()).toBe(16);
  });

  test('with text twice as large on a phone, no page scrolls sideways', async () => {
    const large = await launchOwnBrowser('--blink-settings=defaultFontSize=32');
    onTestFinished(() => large.close());
    const player = await playDemoGame(large, server.url, phone);
    const { page } = await openConsole(large, server, '', phone);
    const beyond = (one: Page) =>
      one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await beyond(player.page)).toBe(0);
    const game = 'games/demo-game';
    for (const view of [
      '',
      'games',
      ...[
        game,
        ...['settings', 'leaderboard', 'live-ops/maintenance', 'webhooks'].map((tab) => `${game}/${tab}`),
      ],
      `players/${player.wallet}`,
    ]) {
      await showView(page, view);
      await hasLoaded(page);
      expect([view, await beyond(page)]).toEqual([view, 0]);
    }
  });

  test('bans a player, whose launcher says so, and unbans them', async () => {
    const player = await playDemoGame(browser, server.url, phone);
    opened.push(player);
    const page = await open('games/demo-game/players');
    await page.getByLabel('Search players').fill(player.wallet);
    await page.getByRole('link', { name: `Manage ${defaultName(player.wallet)}` }).click();
    await page.getByLabel('Reason (for moderators)').fill('cheating');
    await page.getByRole('button', { name: 'Ban from Demo Game' }).click();
    await page
      .getByRole('dialog', { name: /Ban this player/ })
      .getByText('sessions there end immediately')
      .waitFor();
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await player.page.getByRole('alert').filter({ hasText: 'You are banned from Demo Game' }).waitFor();
    await page.getByRole('button', { name: 'Unban from Demo Game' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unban', exact: true }).click();
    await page.getByRole('button', { name: 'Ban from Demo Game' }).waitFor();
    await player.page.getByRole('link', { name: 'All games' }).click();
    await player.page.getByRole('button', { name: 'Play Demo Game' }).click();
    await player.game.getByRole('button', { name: 'Start' }).waitFor();
  });

  test('renames a player, ends a session, and erases a player only once the last four digits are typed', async () => {
    const { gameId } = await server.createGame({ name: 'Managed', slug: 'managed' });
    const { wallet, sessionId } = await server.openSession(gameId);
    const page = await open('games/managed/players');
    await page.getByRole('link', { name: /^Manage/ }).click();
    await page.getByLabel('Name').fill('Katherine');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Katherine', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Export data' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Saved .* records/).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent?.trim()))
      .toBe('Export data');
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByText('None.').waitFor();
    const ended = await server.services.db.read(findSession, sessionId);
    expect(ended?.session.endReason).toBe('revoked');

    await page.getByRole('button', { name: 'Erase player' }).click();
    await page.getByRole('button', { name: 'Erase permanently' }).click();
    await page.getByRole('alert').filter({ hasText: 'to confirm' }).waitFor();
    await page.getByLabel(/Type the last four/).fill(wallet.slice(-4));
    await page.getByRole('button', { name: 'Erase permanently' }).click();
    await page.getByText('Player erased').waitFor();
    expect(await server.services.db.read(findSession, sessionId)).toBeNull();
  });

  test("shows a player's whole data on one page, in one game and in all", async () => {
    const { gameId } = await server.createGame({ name: 'Known', slug: 'known' });
    const elsewhere = await server.createGame({ name: 'Elsewhere', slug: 'elsewhere' });
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    await server.openSession(elsewhere.gameId, ada.wallet);
    const { db: store } = server.services;
    await store.write(setProfile, ada.wallet, { username: 'Ada of Known' });
    for (const score of [30, 10, 20]) await store.write(setScore, ada, score);
    const call = (path: string, body: object) =>
      post(`${server.url}/launcher/${path}`, { launcherJwt: ada.launcherJwt, ...body });
    await call('set-state', { label: 'hero', state: '{"level":3}' });
    const sessionId = crypto.randomUUID();
    await call('track-game-sessions', { sessionId, state: '{}' });
    await call('send-custom-activity', { label: '{username} found the key', eventId: 'key' });
    const channel = await store.write(createChannel, ada, [grace.wallet]);
    await store.write(sendMessage, ada, channel._id, 'Written by Ada');
    await store.write(sendMessage, grace, channel._id, 'Written by Grace');
    using _launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });

    const page = await open('games/known/leaderboard');
    await page.getByRole('link', { name: 'Ada of Known' }).click();
    await page.getByRole('heading', { name: 'Ada of Known', level: 1 }).waitFor();
    await page.getByText('online now').waitFor();
    await page.getByRole('row', { name: /Known 1 .* online/ }).waitFor();
    await page.getByRole('row', { name: /Elsewhere 1 .* offline/ }).waitFor();
    const tabs = page.getByRole('navigation', { name: 'Player tabs' });
    const show = (tab: string) => tabs.getByRole('link', { name: tab, exact: true }).click();
    await show('Sessions');
    await page.getByText('2 rows', { exact: true }).waitFor();
    await page.getByLabel('Game', { exact: true }).selectOption('known');
    await page.getByText('1 row', { exact: true }).waitFor();
    await show('Scores');
    await page.getByText('rank 1', { exact: true }).waitFor();
    const scores = async () => (await page.locator('tbody td:first-child').allTextContents()).join();
    await until('the scores are listed', async () => (await scores()) === '20,10,30');
    await page.getByRole('button', { name: 'Remove score 30' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await until('it is removed', async () => (await scores()) === '20,10');
    await show('States');
    await page.getByRole('row', { name: /^hero/ }).waitFor();
    await show('Play sessions');
    await page.getByRole('row', { name: new RegExp(`^${sessionId}`) }).waitFor();
    await show('Activities');
    await page.getByRole('row', { name: /found the key/ }).waitFor();
    await show('Messages');
    await page.getByRole('row', { name: /Written by Ada Known/ }).waitFor();
    expect(await page.getByText('Written by Grace').count()).toBe(0);
    await page.getByRole('button', { name: 'Written by Ada' }).click();
    await page
      .getByRole('dialog', { name: 'Message' })
      .locator('.quote', { hasText: 'Written by Ada' })
      .waitFor();
    await page.keyboard.press('Escape');

    await page.goto(`${server.url}/console#/players/${randomWallet()}`);
    await page.getByText('Never seen, or erased.').waitFor();
    await page.goto(`${server.url}/console#/players/0xzz`);
    await page.getByText('Not a wallet').waitFor();
    await page.getByRole('link', { name: 'All players', exact: true }).waitFor();
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    await page.route('**/admin/get-player-details', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${server.url}/console#/players/${ada.wallet}`);
    await page.getByText('Could not load this').waitFor();
    await page.unroute('**/admin/get-player-details');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Ada of Known', level: 1 }).waitFor();
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('500')]);
  });

  test("sees a player's friends, requests and privacy, and ends a friendship", async () => {
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Social', slug: 'social' });
    const [ada, grace, linus] = [
      await server.openSession(gameId),
      await server.openSession(gameId),
      await server.openSession(gameId),
    ];
    await db.write(setProfile, ada.wallet, { username: 'Ada of Social' });
    await db.write(setProfile, grace.wallet, { username: 'Grace of Social' });
    await befriend(db, gameId, ada.wallet, grace.wallet);
    const request = { wallet: ada.wallet, hasCode: false, message: '', gameId };
    await db.write(addFriend, linus.wallet, request);

    const page = await open(`players/${ada.wallet}/friends`, phone);
    const row = (text: RegExp) => page.getByRole('row').filter({ hasText: text });
    await row(/Grace of Social.*friend/s).waitFor();
    await row(/received/).waitFor();
    const facts = (region: string) => page.getByRole('region', { name: region }).locator('dl').innerText();
    expect((await facts('Friends')).split(/\s*\n\s*/)).toEqual([
      ...['Friends', '1', 'Requests sent', '0', 'Requests received', '1'],
    ]);
    expect(await facts('Privacy')).toMatch(/Requests from\s+everyone/);
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'End friendship with Grace of Social' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End friendship' }).click();
    await page.getByText('Friendship ended').waitFor();
    await page.getByText('1 row', { exact: true }).waitFor();
    expect(await db.read(countFriendships, grace.wallet)).toEqual({ friend: 0, sent: 0, received: 0 });
  });

  test('lists the players who are online now, or banned', async () => {
    const { gameId } = await server.createGame({ name: 'Manned', slug: 'manned' });
    const [ada, grace, alan] = [
      await server.openSession(gameId),
      await server.openSession(gameId),
      await server.openSession(gameId),
    ];
    using _launcher = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
    await post(`${server.url}/admin/ban-player`, { wallet: grace.wallet, gameId }, bearer(server.adminToken));
    const filter = { gameId, present: true };
    await until('Ada is online', async () => {
      const { body } = await post(`${server.url}/admin/list-players`, filter, bearer(server.adminToken));
      return Object(body).total === 1;
    });
    const page = await open('games/manned/players');
    for (const [status, wallets] of [
      ['', [ada.wallet, grace.wallet, alan.wallet]],
      ['online', [ada.wallet]],
      ['banned', [grace.wallet]],
      ['offline', [grace.wallet, alan.wallet]],
    ] as const) {
      await page.getByLabel('Status', { exact: true }).selectOption(status);
      await until(`those are listed: ${status}`, async () => {
        const shown = await page
          .getByRole('link', { name: /^Manage/ })
          .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
        const wanted = wallets.map((wallet) => `Manage ${defaultName(wallet)}`);
        return shown.toSorted().join() === wanted.toSorted().join();
      });
    }
  });

  test("finds a player's live session behind hundreds of ended ones", async () => {
    const { gameId } = await server.createGame({ name: 'Frequent', slug: 'frequent' });
    const { db: store } = server.services;
    const { wallet, sessionId } = await server.openSession(gameId);
    for (let opened = 0; opened < 600; opened += 100) {
      const later = await Promise.all(Array.from({ length: 100 }, () => server.openSession(gameId, wallet)));
      await Promise.all(later.map((one) => store.write(revokeSessionById, one.sessionId)));
    }
    const page = await open('games/frequent/players');
    await page.getByRole('link', { name: /^Manage/ }).click();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByText('None.').waitFor();
    expect((await store.read(findSession, sessionId))?.session.endReason).toBe('revoked');
  });

  test('says so when a player has more sessions than are searched', async () => {
    const { gameId } = await server.createGame({ name: 'Endless', slug: 'endless' });
    await server.openSession(gameId);
    const page = await open('games/endless/players');
    const skips: number[] = [];
    await page.route('**/admin/list-sessions', async (route) => {
      const answer = await (await route.fetch({ postData: { gameId } })).json();
      const { limit, skip } = route.request().postDataJSON();
      skips.push(skip);
      const ended = { ...answer.data[0], endedAt: 1, endReason: 'revoked' };
      const data = Array.from({ length: limit }, (_, index) => ({ ...ended, sessionId: `${skip + index}` }));
      await route.fulfill({ json: { ...answer, total: 1_000_000, data } });
    });
    await page.getByRole('link', { name: /^Manage/ }).click();
    await page.getByText('Only the newest 5,000 sessions were searched').waitFor();
    expect(skips).toHaveLength(20);
  });

  test('finds a player on the leaderboard, removes a score, and exports the table', async () => {
    const { gameId } = await server.createGame({ name: 'Board', slug: 'board' });
    const { db: store } = server.services;
    const wallets = [randomWallet(), randomWallet(), randomWallet()];
    for (const [index, wallet] of wallets.entries()) {
      await server.openSession(gameId, wallet);
      await store.write(setProfile, wallet, { username: ['=HYPERLINK("x")', 'Grace', '＝A1, "A"'][index] });
      await store.write(setScore, { gameId, wallet }, 100 - index);
    }
    const page = await open('games/board/leaderboard');
    for (const search of ['Gra', 'race', shortAddress(wallets[1] ?? '')]) {
      await page.getByLabel('Search players').fill(search);
      await page.getByRole('row', { name: /^2 Grace.* 99 / }).waitFor();
      await page.getByLabel('Search players').fill('nobody');
      await page.getByText('No matching players').waitFor();
    }
    await page.getByLabel('Search players').fill('');

    const download = async (name: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ]);
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const csv = await download('Export as CSV');
    expect(csv.name).toBe('board-leaderboard.csv');
    const lines = csv.text.split('\r\n');
    expect(lines[0]).toBe('\uFEFFRank,Player,Wallet,Score,Updated');
    expect(lines[1]).toMatch(`1,"'=HYPERLINK(""x"")",${wallets[0]},100,`);
    expect(lines[3]).toMatch(`3,"'＝A1, ""A""",${wallets[2]},98,`);
    const json = await download('Export as JSON');
    expect(JSON.parse(json.text)).toMatchObject([{ score: 100 }, { score: 99, position: 2 }, { score: 98 }]);

    await page.getByRole('button', { name: 'Remove score of Grace' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('row', { name: /^2 ＝A1/ }).waitFor();
    expect(await store.read(readPlace, defaultBoardOf(gameId), wallets[1] ?? '')).toBeNull();
  });

  test('stays at its place in a long table, also with the keyboard, when a row is removed', async () => {
    const { gameId } = await server.createGame({ name: 'Deep', slug: 'deep' });
    const { db: store } = server.services;
    const wallets = Array.from({ length: 600 }, randomWallet);
    await Promise.all(
      wallets.map((wallet, index) => store.write(setScore, { gameId, wallet }, 10_000 - index)),
    );
    const page = await open('games/deep/leaderboard');
    const table = page.getByRole('region', { name: 'Leaderboard of Deep' });
    await until('all rows are loaded', async () => {
      await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return page.getByText('600 rows', { exact: true }).isVisible();
    });
    await table.evaluate((element) => element.scrollTo({ top: 580 * 44 }));
    const name = defaultName(wallets[585] ?? '');
    await page.getByRole('button', { name: `Remove score of ${name}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('599 rows', { exact: true }).waitFor();
    await page.getByRole('row', { name: /^586 .* 9,414 / }).waitFor();
    expect(await table.evaluate((element) => element.scrollTop)).toBe(580 * 44);
    expect(await table.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('with larger text, scrolling a long table by what is visible passes no row', async () => {
    const { gameId } = await server.createGame({ name: 'Large', slug: 'large' });
    const { db: store } = server.services;
    const wallets = Array.from({ length: 200 }, randomWallet);
    await Promise.all(wallets.map((wallet, index) => store.write(setScore, { gameId, wallet }, 999 - index)));
    const page = await open('games/large/overview');
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '28px';
    });
    await page.getByRole('link', { name: 'Leaderboards', exact: true }).click();
    const table = page.getByRole('region', { name: 'Leaderboard of Large' });
    const rank = (number: number) => page.getByRole('row', { name: new RegExp(`^${number} `) });
    const height = (await rank(1).boundingBox())?.height ?? 0;
    await table.evaluate((element, top) => element.scrollTo({ top }), 100 * height);
    await rank(101).waitFor();
    const from = (await table.getByRole('columnheader').first().boundingBox()) ?? { y: 0, height: 0 };
    const y = (await rank(101).boundingBox())?.y ?? 0;
    expect(Math.abs(y - from.y - from.height)).toBeLessThan(2);
  });

  test('a completely loaded table requests nothing more when it is enlarged', async () => {
    const { gameId } = await server.createGame({ name: 'Roomy', slug: 'roomy' });
    const { db: store } = server.services;
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        store.write(setScore, { gameId, wallet: randomWallet() }, index),
      ),
    );
    const page = await open('games/roomy/leaderboard');
    const table = page.getByRole('region', { name: 'Leaderboard of Roomy' });
    const toTheEnd = () => table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await until('all rows are loaded', async () => {
      await toTheEnd();
      return (await page.getByText('300 rows', { exact: true }).count()) === 1;
    });
    await toTheEnd();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.postData() ?? ''));
    const drawn = await table.getByRole('row').count();
    await page.setViewportSize({ width: 1280, height: 1600 });
    await until('more rows are drawn', async () => (await table.getByRole('row').count()) > drawn);
    const again = page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('"skip":0'),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await again;
    await page.route('**/admin/list-leaderboard-scores', (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Could not load the current rows.').waitFor();
    await page.unroute('**/admin/list-leaderboard-scores');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Could not load the current rows.').waitFor({ state: 'hidden' });
    expect(requested.filter((body) => body.includes('"skip":300'))).toEqual([]);
    expect(opened[0]?.complaints.splice(0).every((one) => one.includes('ERR_FAILED'))).toBe(true);
  });

  test('sorts a table by any of its columns, with all of its rows, and on a phone too', async () => {
    const { gameId } = await server.createGame({ name: 'Sorted', slug: 'sorted' });
    const { db: store } = server.services;
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        store.write(setScore, { gameId, wallet: randomWallet() }, index),
      ),
    );
    const page = await open('games/sorted/leaderboard');
    const first = page.locator('tbody tr:not(.spacer)').first();
    const firstIs = (rank: number, score: number) =>
      until(`${score} is first`, async () => {
        const [shownRank, , shownScore] = await first.getByRole('cell').allTextContents();
        return shownRank === String(rank) && shownScore === String(score);
      });
    await firstIs(1, 299);
    const score = page.getByRole('columnheader', { name: 'Score' });
    await score.getByRole('button').click();
    await firstIs(300, 0);
    expect(await score.getAttribute('aria-sort')).toBe('ascending');
    await page.getByText('300 rows', { exact: true }).waitFor();
    await score.getByRole('button').click();
    await firstIs(1, 299);
    expect(await score.getAttribute('aria-sort')).toBe('descending');
    await score.getByRole('button').click();
    expect(await score.getAttribute('aria-sort')).toBeNull();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel('Sort', { exact: true }).selectOption({ label: 'Score, ascending' });
    await firstIs(300, 0);
  });

  test('reads states, play sessions, activities and messages, and unsends a message', async () => {
    const { gameId } = await server.createGame({ name: 'Kept', slug: 'kept' });
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    const call = (path: string, body: object) =>
      post(`${server.url}/launcher/${path}`, { launcherJwt: ada.launcherJwt, ...body });
    await call('set-state', { label: 'hero', state: '{"level":3,"items":["key",null],"name":"Zoë"}' });
    for (const level of [1, 2]) {
      await call('set-state', { label: 'card', state: `{"level":${level}}`, public: true });
    }
    await call('track-game-sessions', { sessionId: crypto.randomUUID(), state: '{"hp":7}' });
    await call('send-custom-activity', { label: '{wallet} found the key', eventId: 'found-key' });
    const { db: store } = server.services;
    const channel = await store.write(createChannel, ada, [grace.wallet]);
    const message = await store.write(sendMessage, ada, channel._id, 'Something rude');

    await store.write(setProfile, ada.wallet, { username: 'Ada Lovelace' });
    await store.write(setProfile, grace.wallet, { username: 'Grace Hopper' });

    const page = await open('games/kept/states');
    await page.getByRole('row', { name: / card 2 Yes / }).waitFor();
    await page.getByRole('row', { name: / hero 1 No / }).waitFor();
    const filter = page.getByLabel('Filter by player');
    await filter.fill('e');
    await page.getByText('2 players match').waitFor();
    await filter.fill('hopper');
    await page.getByText('No states').waitFor();
    await filter.fill(shortAddress(ada.wallet));
    await page.getByRole('button', { name: 'Show state hero' }).click();
    await page.getByRole('group', { name: 'State hero' }).getByText('"Zoë"').waitFor();
    const editor = page.getByLabel('State (JSON)');
    const save = page.getByRole('button', { name: /^Save/ });
    const owner = { gameId, wallet: ada.wallet };
    const level = async () => {
      const [state] = await store.read(listPlayerStates, owner, { limit: 1, skip: 0 }, 'hero');
      return JSON.parse(state?.json ?? '{}').level;
    };
    await page.getByRole('button', { name: 'Edit' }).click();
    await editor.fill('{"level":4,');
    await page.getByText('Invalid JSON').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await editor.fill('{"level":4,"name":"Zoë"}');
    await page.keyboard.press('Escape');
    await call('set-state', { label: 'hero', state: '{"level":9}' });
    await save.click();
    await page.getByText('The game has saved another state in the meantime.').waitFor();
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    expect(await level()).toBe(9);
    await save.click();
    await page.getByRole('group', { name: 'State hero' }).getByText('4').waitFor();
    expect(await level()).toBe(4);
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'Play sessions' }).click();
    await page.getByRole('button', { name: /Show play session/ }).click();
    await page
      .getByRole('group', { name: /Play session/ })
      .getByText('7')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Activities' }).click();
    await page.getByRole('row', { name: /found the key.*found-key/ }).waitFor();
    await page.getByRole('link', { name: 'Messages' }).click();
    await page.getByLabel('Filter by participant').fill('lovelace');
    await page.getByRole('button', { name: /^View .*Ada Lovelace/ }).click();
    await page.getByRole('button', { name: 'Something rude' }).click();
    await page
      .getByRole('dialog', { name: 'Message' })
      .locator('.quote', { hasText: 'Something rude' })
      .waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /Something rude/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No messages').waitFor();
    await expect(store.write(deleteMessage, message._id)).rejects.toMatchObject({
      reason: 'message_unknown',
    });
  });

  test('lists all message channels when their participants fill more than one page', async () => {
    const { gameId } = await server.createGame({ name: 'Crowded', slug: 'crowded' });
    const ada = await server.openSession(gameId);
    const crowd = () => Array.from({ length: 255 }, randomWallet);
    for (let count = 0; count < 33; count++) await server.services.db.write(createChannel, ada, crowd());
    const page = await open('games/crowded/messages');
    await page.getByLabel('Filter by participant').fill('0x');
    await page.getByText('33 rows, 33 match').waitFor();
  });

  test('lists each activity, also when a player did the same thing twice in a millisecond', async () => {
    const { gameId } = await server.createGame({ name: 'Twice', slug: 'twice' });
    const activity = { type: 'SendCustomActivity', label: 'found a star', eventId: 'star' } as const;
    const rules: Rule[] = [{ trigger: 'stars', actions: [activity, activity] }];
    await server.services.db.write(replaceRules, gameId, rules);
    const { launcherJwt } = await server.openSession(gameId);
    await post(`${server.url}/launcher/trigger-rules-engine`, { launcherJwt, trigger: 'stars' });
    const page = await open('games/twice/activities');
    await page.getByText('2 rows').waitFor();
    expect(await page.getByRole('row', { name: /found a star/ }).count()).toBe(2);
  });

  test('cancels an action of the queue and retries it', async () => {
    const { gameId } = await server.createGame({ name: 'Queued', slug: 'queued' });
    const { wallet } = await server.openSession(gameId);
    const action = {
      kind: 'chain',
      lane: '1:0x',
      type: 'IssueToken',
      gameId,
      wallet,
      payload: { to: wallet },
    };
    await server.services.db.write(enqueueActions, [action]);
    const page = await open('games/queued/queue');
    await page.getByRole('button', { name: 'Show action IssueToken' }).click();
    await page.getByRole('button', { name: 'Cancel action' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByText('cancelled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page
      .getByRole('dialog', { name: 'Retry this action?' })
      .getByRole('button', { name: 'Retry' })
      .click();
    await page.getByRole('dialog').getByText('queued', { exact: true }).waitFor();
  });

  test('registers a webhook, whose secret is shown once, disables it and removes it', async () => {
    const { gameId } = await server.createGame({ name: 'Hooked', slug: 'hooked' });
    const page = await open('games/hooked/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('http://127.0.0.1:9/hooks');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').first().waitFor(); // a private address is refused with a clear error
    expect(opened[0]?.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    await page.getByLabel('URL').fill('https://game.example/hooks');
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await page.locator('.secret-text').textContent()).toMatch(/^whsec_/);
    expect(await page.getByText('unsaved changes').count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('Pending deliveries fail').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    const [webhook] = await server.services.db.read(readWebhooks, gameId);
    expect(webhook).toMatchObject({ url: 'https://game.example/hooks', filter: 'all', enabled: false });
    await page.getByRole('button', { name: /^Remove webhook/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No webhooks').waitFor();
  });

  test('a ping may take longer than other calls, and a timeout of it does not count as the server being down', async () => {
    const { gameId } = await server.createGame({ name: 'Pinged', slug: 'pinged' });
    const url = 'https://game.example/hooks';
    const body = { gameId, url };
    await post(`${server.url}/admin/create-webhook`, body, bearer(server.adminToken));
    const page = await open('games/pinged/webhooks');
    await page.evaluate(() => {
      // A timeout longer than the server waits for a receiver ends immediately; the others stay as they are.
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms > 15_000 ? 1 : ms);
    });
    await page.route('**/admin/test-webhook', () => {}); // never answered
    const looked = page.waitForResponse('**/readyz');
    await page.getByRole('button', { name: `Ping ${url}` }).click();
    await page.getByText('The server did not respond within 25 s').waitFor();
    await looked;
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    expect(await page.getByText('Cannot reach the server').count()).toBe(0);
  });

  test('shows that a ping is under way, and sends one ping for two clicks', async () => {
    const { gameId } = await server.createGame({ name: 'Clicked', slug: 'clicked' });
    const body = { gameId, url: 'https://game.example/hooks' };
    await post(`${server.url}/admin/create-webhook`, body, bearer(server.adminToken));
    const page = await open('games/clicked/webhooks');
    const pings: Route[] = [];
    await page.route('**/admin/test-webhook', (route) => void pings.push(route));
    const ping = page.getByRole('button', { name: /^Ping/ });
    await ping.click();
    await page.locator('button[aria-busy=true]', { hasText: 'Ping' }).waitFor();
    await ping.click({ force: true }); // without waiting until it is enabled
    await page.getByRole('button', { name: 'Disable' }).click(); // after both clicks were handled
    expect(pings).toHaveLength(1);
    await pings[0]?.fulfill({
      json: { success: true, delivered: true, status: 204, error: null, durationMs: 7 },
    });
    await page.getByText('The receiver responded with 204 in 7 ms').waitFor();
    expect(await ping.getAttribute('aria-busy')).toBeNull();
  });

  test('a call that times out on an unresponsive server shows it as down', async () => {
    const page = await open('games');
    await page.evaluate(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = () => timeout(1);
    });
    await page.route('**/*', () => {});
    await page.getByRole('link', { name: 'Queue', exact: true }).click();
    await page.getByText('may be out of date').waitFor();
  });

  test('after signing out nothing is polled, and no refusal signs out the next administrator', async () => {
    const page = await open('audit'); // which does not request the games
    await page.clock.install();
    const held: Route[] = [];
    await page.route('**/admin/list-games', (route) => void held.push(route));
    await page.route('**/readyz', (route) => void held.push(route));
    await page.getByRole('link', { name: 'Games', exact: true }).click();
    await until('the games are requested', () => held.length === 1);
    await page.route('**/admin/list-audit-log', (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log', exact: true }).click();
    await page.getByText('may be out of date').waitFor();
    await page.clock.runFor(2_000);
    await until('the server is polled', () => held.length === 2);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.unroute('**/admin/list-audit-log');
    await page.getByLabel('Admin token').fill(server.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    const [games, ready] = held;
    const refused = page.waitForResponse('**/admin/list-games');
    await games?.fulfill({ status: 401, json: { data: { reason: 'admin_token_invalid' } } });
    await (await refused).finished();
    const failed = page.waitForEvent('requestfailed');
    await ready?.abort();
    await failed;
    await page.clock.runFor(10_000);
    await page.reload();
    await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    expect(held).toHaveLength(2);
    expect(opened[0]?.complaints.splice(0).every((one) => /401|ERR_FAILED/.test(one))).toBe(true);
  });

  test('reads past actions in the audit log', async () => {
    const { gameId } = await server.createGame();
    await post(`${server.url}/admin/update-game`, { gameId, name: 'Audited' }, bearer(server.adminToken));
    await post(`${server.url}/admin/update-game`, { gameId, name: 'Unnoticed' }, bearer(server.adminToken));
    const page = await open('audit');
    await page.getByRole('row', { name: /Unnoticed/ }).waitFor();
    await page.getByLabel('Filter by text').fill('an unknown message');
    await page.getByText('No matching rows').waitFor();
    await page.getByLabel('Filter by text').fill('admin token');
    await page.getByRole('row', { name: /Unnoticed/ }).waitFor();
    await page.getByLabel('Filter by text').fill('AUDITED');
    await page.getByRole('row', { name: /updateGame.*Audited.*ok/ }).waitFor();
    await page.getByRole('row', { name: /Unnoticed/ }).waitFor({ state: 'hidden' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as JSON' }).click(),
    ]);
    const exported = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(exported).toEqual([expect.objectContaining({ input: { gameId, name: 'Audited' } })]);
    await page.getByText('Saved 1 row as').waitFor();
    await page
      .getByRole('row', { name: /updateGame.*Audited.*ok/ })
      .getByRole('button', { name: 'Show' })
      .click();
    await page.getByRole('group', { name: 'Input' }).getByText('"Audited"').waitFor();
  });

  test('does everything by keyboard: signs in, opens the games, creates one, opens a tab', async () => {
    const watched = await openPage(browser);
    opened.push(watched);
    const { page } = watched;
    await page.goto(`${server.url}/console`);
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(server.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await tabTo(page, 'Games');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    await tabTo(page, 'New game');
    await page.keyboard.press('Enter');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('By Keyboard');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Open game');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By Keyboard', level: 1 }).waitFor();
    await tabTo(page, 'Leaderboards');
    await page.keyboard.press('Enter');
    await page.getByText('No scores yet').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Signed out').waitFor();
  });
});
