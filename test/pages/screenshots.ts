/**
 * Takes a picture of every page on a desktop and a phone, light and dark, to be looked at:
 *
 *     node_modules/.bin/node test/pages/screenshots.ts [directory]
 *
 * With `--readme` in place of a directory it takes the two of the README instead.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { seedDemo } from '../../src/demo/seed.ts';
import { findGameBySlug } from '../../src/games/queries.ts';
import { setProfile } from '../../src/players/commands.ts';
import { enqueueActions } from '../../src/queue/commands.ts';
import { readActions } from '../../src/queue/queries.ts';
import { setScore } from '../../src/scores/commands.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';
import { desktop, launchBrowser, openPage, phone } from './browser.ts';
import { openConsole } from './operator.ts';
import { type PlayerAtLauncher, playDemoGame, say, startConversation } from './players.ts';
import { consoleViews } from './views.ts';

const ofReadme = fileURLToPath(new URL('../../public/docs/pictures/', import.meta.url));
/** So that the charts have something to show. */
const busySeconds = 60;

const names = [
  'Katherine',
  'Hedy',
  'Annie',
  'Radia',
  'Barbara',
  'Edsger',
  'Donald',
  'Frances',
  'Jean',
  'Kathleen',
];

const screens: readonly [string, BrowserContextOptions][] = [
  ['desktop-light', { ...desktop, colorScheme: 'light' }],
  ['desktop-dark', { ...desktop, colorScheme: 'dark' }],
  ['phone-light', { ...phone, colorScheme: 'light' }],
  ['phone-dark', { ...phone, colorScheme: 'dark' }],
];

const [target] = process.argv.slice(2);
const directory = target === '--readme' ? ofReadme : (target ?? join(tmpdir(), 'gantry-screenshots'));
await mkdir(directory, { recursive: true });

const server = await startTestServer();
const browser = await launchBrowser();
try {
  await seedDemo(server.services.db, server.box);
  const players = await fill(server);
  const busy = keepBusy(server, players);
  if (target === '--readme') await takeForReadme(busy);
  else for (const [screen, options] of screens) await takeAll(screen, options, busy);
} finally {
  await browser.close();
  await server.close();
}
process.stdout.write(`The pictures are in ${directory}\n`);
process.exit(0); // launchers that are connected would keep the process

function take(page: Page, name: string): Promise<Buffer> {
  return page.screenshot({ path: join(directory, `${name}.png`) });
}

async function takeForReadme(busy: Promise<void>): Promise<void> {
  const { ada } = await twoPlayers(browser, server.url, { ...desktop, colorScheme: 'light' });
  await take(ada.page, 'launcher');
  const { page } = await openConsole(browser, server, '', { ...desktop, colorScheme: 'dark' });
  await busy;
  await page.locator('.chart canvas').first().waitFor();
  await take(page, 'console');
}

async function takeAll(screen: string, options: BrowserContextOptions, busy: Promise<void>): Promise<void> {
  for (const [path, shows] of [
    ['', 'main'],
    ['play', 'button'],
    ['demo-game', 'canvas'],
    ['docs', 'article h2'],
    ['docs/errors', 'article table'],
    ['docs/reference', '.opblock'],
    ['console', 'input'],
    ['nothing-here', 'main'],
  ] as const) {
    const { page } = await openPage(browser, options);
    await page.goto(`${server.url}/${path}`);
    await page.locator(shows).first().waitFor();
    await page.waitForLoadState('networkidle');
    await take(page, `${path.replaceAll('/', '-') || 'home'}-${screen}`);
    await page.context().close();
  }
  const { ada, grace } = await twoPlayers(browser, server.url, options);
  await take(ada.page, `play-game-${screen}`);
  await take(grace.page, `play-messages-${screen}`);
  await Promise.all([ada, grace].map(({ page }) => page.context().close()));

  const { page } = await openConsole(browser, server, '', options);
  for (const [view, shows] of consoleViews) {
    if (view === '') await busy;
    await loadConsole(page, view);
    await page.locator(shows).first().waitFor();
    await page.waitForLoadState('networkidle');
    await take(page, `console-${view.replaceAll('/', '-') || 'overview'}-${screen}`);
  }
  await takeDialogs(page, screen);
  await page.context().close();
}

/** Loads a view anew: going to another fragment only would keep what the one before has left. */
async function loadConsole(page: Page, view: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${server.url}/console#/${view}`);
}

async function takeDialogs(page: Page, screen: string): Promise<void> {
  await loadConsole(page, 'games');
  await page.getByRole('button', { name: 'New game' }).click();
  await page.getByRole('dialog').waitFor();
  await take(page, `console-new-game-${screen}`);
  await page.getByLabel('Name', { exact: true }).fill(`Asteroids on ${screen}`);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('.secret-text').waitFor();
  await take(page, `console-secret-${screen}`);
  await loadConsole(page, 'games/demo-game/players');
  await page.getByRole('link', { name: 'Manage Katherine' }).click();
  for (const tab of ['Sessions', 'Scores', 'States', 'Play sessions', 'Activities', 'Messages', 'Profile']) {
    await page
      .getByRole('navigation', { name: 'Player tabs' })
      .getByRole('link', { name: tab, exact: true })
      .click();
    await page.waitForLoadState('networkidle');
    await take(page, `console-player-${tab.toLowerCase().replace(' ', '-')}-${screen}`);
  }
  await page.getByRole('button', { name: 'Ban from all games' }).click();
  await page.getByRole('dialog', { name: /^Ban this player/ }).waitFor();
  await take(page, `console-ban-${screen}`);
  await loadConsole(page, 'games/demo-game/states');
  await page.getByRole('button', { name: 'Show state save' }).first().click();
  await page.locator('.json-branch').first().waitFor();
  await take(page, `console-state-${screen}`);
  await loadConsole(page, 'games/demo-game/rules');
  const editor = page.getByLabel('Rules (JSON array)');
  await editor.waitFor();
  await editor.fill((await editor.innerText()).replace('"Notify"', '"Notifi"'));
  await page.locator('.problem-line').first().waitFor();
  await take(page, `console-rules-wrong-${screen}`);
}

/** Two players with a game open, in conversation. */
async function twoPlayers(
  inBrowser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<{ ada: PlayerAtLauncher; grace: PlayerAtLauncher }> {
  const [ada, grace] = await Promise.all([
    playDemoGame(inBrowser, url, options),
    playDemoGame(inBrowser, url, options),
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
  await ada.page
    .getByRole('tab', { name: /^(Game|Leaderboard)/ })
    .first()
    .click();
  await ada.game.getByRole('button', { name: 'Start' }).click();
  for (let drops = 0; drops < 2; drops++) {
    await pause(400); // the crane moves on
    await ada.page.keyboard.press('Space');
  }
  return { ada, grace };
}

/** What there is in a game that is played: players with names, scores, states, messages, work in the queue. */
async function fill({ services, url, adminToken, openSession }: TestServer): Promise<TestPlayer[]> {
  const { db } = services;
  const game = await db.read(findGameBySlug, 'demo-game');
  const gameId = game?.id ?? '';
  const players: TestPlayer[] = [];
  for (const [index, username] of names.entries()) {
    const player = await openSession(gameId);
    players.push(player);
    const { wallet, launcherJwt } = player;
    await db.write(setProfile, wallet, { username });
    await db.write(setScore, player, 2_400 - index * 137);
    const call = (path: string, body: object) => post(`${url}/launcher/${path}`, { launcherJwt, ...body });
    const state = {
      level: index + 1,
      hero: { name: username, hp: 0.75 },
      items: ['key', 'lamp', null],
      seen: true,
    };
    await call('set-state', { label: 'save', state: JSON.stringify(state) });
    const started = { sessionId: randomUUID(), state: JSON.stringify({ level: index }) };
    await call('track-game-sessions', started);
    if (index % 3 > 0)
      await call('track-game-sessions', { ...started, endTime: Date.now() + 60_000 * index });
    await call('send-custom-activity', { label: '{username} reached the harbour', eventId: 'harbour' });
    await db.write(enqueueActions, [
      {
        kind: 'chain',
        lane: '31337:0x5fbd…',
        type: index % 2 ? 'IssueToken' : 'CallContract',
        gameId,
        wallet,
        payload: { to: wallet, amount: '150000000' },
      },
    ]);
  }
  const admin = (path: string, body: object) => post(`${url}/admin/${path}`, body, bearer(adminToken));
  const { rows } = await db.read(readActions, { gameId }, { limit: 2, skip: 3 });
  for (const { _id } of rows) await admin('cancel-action', { actionId: _id });
  await admin('ban-player', { wallet: players.at(-1)?.wallet, gameId, reason: 'cheating' });
  await admin('update-game', { gameId, allowedOrigins: [] });
  return players.slice(0, -1);
}

/** Players who come, play at a pace that swells and ebbs, and now and then are refused. */
async function keepBusy({ url }: TestServer, players: readonly TestPlayer[]): Promise<void> {
  const startedAt = Date.now();
  let connected = 0;
  for (let second = 0; second < busySeconds; second = (Date.now() - startedAt) / 1_000) {
    const next = players[connected];
    if (next && second > connected * 5) {
      await connectLauncher(url, { launcherJwt: next.launcherJwt });
      connected++;
    }
    const calls = Math.round(8 + 6 * Math.sin(second / 6) + 3 * Math.sin(second / 2));
    await Promise.all(
      Array.from({ length: calls }, (_, index) => {
        const { launcherJwt } = players[index % players.length] ?? {};
        return index % 4 === 0
          ? post(`${url}/launcher/set-user-score`, { launcherJwt, score: Math.round(second) })
          : post(`${url}/launcher/get-user-score`, { launcherJwt: index === 13 ? 'forged' : launcherJwt });
      }),
    );
    await pause(100);
  }
}
