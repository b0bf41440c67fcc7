import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findGameBySlug } from '../../src/features/games/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import {
  addLeaderboard,
  changeLeaderboard,
  endSeason,
} from '../../src/features/scores/leaderboard-commands.ts';
import { findLeaderboard } from '../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole, showView } from './operator.ts';

const weekly = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: ['de', 'fr'],
  schedule: { cron: '0 0 1 1 *', timeZone: 'Europe/Berlin' },
  keepSeasons: null,
} as const;

describe.skipIf(noBrowser !== null)('leaderboards in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let games = 0;
  const opened: WatchedPage[] = [];
  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    const complaints = opened.splice(0).flatMap((one) => one.complaints);
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(complaints).toEqual([]);
  });

  async function open(view: string, options: BrowserContextOptions = desktop): Promise<Page> {
    const watched = await openConsole(browser, server, view, options);
    opened.push(watched);
    return watched.page;
  }

  async function newGame() {
    const slug = `boards-${++games}`;
    const { gameId } = await server.createGame({ name: `Boards ${games}`, slug });
    return { gameId, slug };
  }

  /** A game with Ada, Grace and Alan on its weekly board, the first with a label and metadata. */
  async function ranked(board: Partial<Parameters<typeof addLeaderboard>[2]> = {}) {
    const { db } = server.services;
    const game = await newGame();
    await db.write(addLeaderboard, game.gameId, { ...weekly, labels: [...weekly.labels], ...board });
    const players = [];
    for (const [index, username] of ['Ada', 'Grace', 'Alan'].entries()) {
      const player = await server.openSession(game.gameId);
      await db.write(setProfile, player.wallet, { username });
      const details = index === 0 ? { label: 'de', metadata: { hero: 'Mia' } } : {};
      await db.write(setLeaderboardScore, player, 'weekly', 300 - index * 100, details);
      players.push(player);
    }
    return { ...game, players };
  }

  /** The browser reports refused calls itself. */
  function expectRefusals(count: number): void {
    const told = opened[0]?.complaints.splice(0) ?? [];
    expect(told).toEqual(Array.from({ length: count }, () => expect.stringContaining('status of 400')));
  }

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  test('a leaderboard is created once the errors at its fields are fixed, then changed and deleted', async () => {
    const { gameId, slug } = await newGame();
    const { db } = server.services;
    const page = await open(`games/${slug}/leaderboard`);
    await page.getByRole('button', { name: 'New leaderboard' }).click();
    const form = page.getByRole('dialog', { name: 'New leaderboard' });
    await form.getByLabel('Name').fill('Weekly Cup');
    await form.getByLabel('Ranked').selectOption('sum');
    await form.getByLabel('Seasons end').selectOption('Cron expression…');
    await form.getByLabel('Cron expression').fill('every friday');
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await form.getByLabel('Labels').fill('de\n\nfr');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/^Must be lowercase letters, digits/).waitFor();
    await form.getByText('Correct the marked fields.').waitFor();
    await picture(page, 'new leaderboard refused');
    await form.getByLabel('Name').fill('weekly-cup');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/^Must be a cron expression of five fields/).waitFor();
    await form.getByLabel('Cron expression').fill('0 18 * * 5');
    await form.getByLabel('Time zone').fill('Europe/Bärlin');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText(/^The time zone "Europe\/Bärlin" is unknown/).waitFor();
    await form.getByLabel('Time zone').fill('Europe/Berlin');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'weekly-cup', level: 2 }).waitFor();
    await page.getByText('Sum of scores, highest first').waitFor();
    await page.getByText('0 18 * * 5 (Europe/Berlin)').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toMatchObject({
      keep: 'sum',
      sortOrder: 'desc',
      entries: 'player',
      isPublic: 1,
      labels: '["de","fr"]',
      schedule: '0 18 * * 5',
      keepSeasons: null,
    });

    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit weekly-cup' });
    await edit.getByLabel('Seasons end').selectOption('Without a schedule');
    await edit.getByLabel('Finished seasons kept').fill('4');
    await edit.getByLabel('Add labels').fill('it');
    await edit.getByLabel('Public').uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No schedule').waitFor();
    await page.getByText('not public').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toMatchObject({
      isPublic: 0,
      labels: '["de","fr","it"]',
      schedule: null,
      keepSeasons: 4,
    });

    await page.getByRole('button', { name: 'Edit' }).click();
    const schedule = { cron: '0 0 * * 1', timeZone: 'Asia/Tokyo' };
    await db.write(changeLeaderboard, gameId, 'weekly-cup', { schedule }); // by someone else
    await edit.getByLabel('Finished seasons kept').fill('5');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('the last 5 are kept').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toMatchObject({
      schedule: schedule.cron,
      timeZone: schedule.timeZone,
      keepSeasons: 5,
    });

    await page.getByRole('button', { name: 'Edit' }).click();
    await db.write(changeLeaderboard, gameId, 'weekly-cup', { keepSeasons: 500, schedule: null }); // by someone else
    await edit.getByLabel('Finished seasons kept').fill('1');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Someone else has changed this meanwhile').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toMatchObject({ keepSeasons: 500 });
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('the last 1 are kept').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toMatchObject({
      schedule: null,
      keepSeasons: 1,
    });

    await page.getByRole('link', { name: 'All leaderboards' }).click();
    await page.getByRole('button', { name: 'New leaderboard' }).click();
    await form.getByLabel('Name').fill('weekly-cup');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('The game already has a leaderboard with this name; choose another one').waitFor();
    await form.getByRole('button', { name: 'Cancel' }).click();
    expectRefusals(4);
    await page
      .getByRole('row', { name: /^weekly-cup not public Sum of scores/ })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Leaderboard weekly-cup deleted').waitFor();
    await page.getByText('Only default, shown below.').waitFor();
    expect(await page.getByRole('row', { name: /^weekly-cup/ }).count()).toBe(0);
    expect(await db.read(findLeaderboard, gameId, 'weekly-cup')).toBeNull();
  });

  test('a season is ended, and its places are read, searched, labelled and exported afterwards', async () => {
    const { gameId, slug, players } = await ranked({ public: false });
    const { db } = server.services;
    const page = await open(`games/${slug}/leaderboard/weekly`);
    await page.getByRole('row', { name: /^1 Ada .* 300 de {"hero":"Mia"}/ }).waitFor();
    await page.getByRole('row', { name: /^3 Alan/ }).waitFor();
    await picture(page, 'leaderboard');
    await page.getByLabel('Label').selectOption('de');
    await page.getByText('1 row', { exact: true }).waitFor();
    await page.getByLabel('Label').selectOption('fr');
    await page.getByText('No scores with the label fr').waitFor();
    await page.getByLabel('Label').selectOption('');
    await page.getByLabel('Search players').fill('Ala');
    await page.getByRole('row', { name: /^3 Alan/ }).waitFor();
    await page.getByRole('row', { name: /Ada/ }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Show the ranks around Alan' }).click();
    await page.getByText('Around Alan, rank 3').waitFor();
    await page.getByRole('row', { name: /^1 Ada/ }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Search players').fill('');

    await page.getByRole('button', { name: 'End season 1' }).click();
    const confirmation = page.getByRole('dialog', { name: 'End season 1 of weekly now?' });
    await confirmation.getByText('It is scheduled to end on').waitFor();
    await db.write(endSeason, gameId, 'weekly'); // by its schedule, or by someone else
    await confirmation.getByRole('button', { name: 'End season' }).click();
    await page.getByText('No scores yet').waitFor();
    expect(await db.read(findLeaderboard, gameId, 'weekly')).toMatchObject({ season: 2 });
    await page.getByRole('link', { name: 'Finished seasons' }).click();
    await picture(page, 'seasons');
    await page.getByRole('link', { name: 'Season 1', exact: true }).click();
    await page.getByRole('row', { name: /^1 Ada .* 300/ }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`${slug}-weekly-season-1.csv`);
    const [head, first] = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(head).toBe('\uFEFFRank,Player,Wallet,Score,Label,Metadata,Updated');
    expect(first).toMatch(`1,Ada,${players[0]?.wallet},300,de,"{""hero"":""Mia""}",`);

    await page.getByRole('button', { name: 'Remove score of Grace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: /^2 Alan/ }).waitFor();
  });

  test('a season that ends by its schedule ends on a page that is open, which asks for none to be ended', async () => {
    const { gameId, slug } = await ranked();
    const page = await open('games');
    await page.clock.install({ time: Date.now() });
    await showView(page, `games/${slug}/leaderboard/weekly`);
    await page.getByRole('button', { name: 'End season 1' }).click();
    const confirmation = page.getByRole('dialog', { name: /^End season/ });
    await confirmation.waitFor();
    await server.services.db.write(endSeason, gameId, 'weekly');
    await page.clock.fastForward(366 * 24 * 60 * 60 * 1000);
    await page.getByRole('link', { name: 'Season 2', exact: true }).waitFor();
    await page.getByText('No scores yet').waitFor();
    await confirmation.waitFor({ state: 'hidden' });
  });

  test("a player's page shows the scores on each of the game's leaderboards", async () => {
    const { slug, players } = await ranked();
    const page = await open(`players/${players[1]?.wallet}/scores/${slug}`);
    await page.getByText('No scores').waitFor();
    await page.getByLabel('Leaderboard').selectOption('weekly');
    await page.getByText('rank 2').waitFor();
    await page.getByRole('row', { name: /^200/ }).waitFor();
  });

  test("a game's word filter is set, and an error names its line", async () => {
    const { slug } = await newGame();
    const page = await open(`games/${slug}/settings`);
    const words = page.getByLabel('Words and phrases');
    await words.fill(`darn\n\n!!!\n${'x'.repeat(61)}`);
    await page.getByLabel('Messages with these words').selectOption('Reject the message');
    const save = page.getByRole('button', { name: 'Save word filter' });
    await save.click();
    await page.getByText('Line 3: must have a letter or a digit').waitFor();
    await picture(page, 'word filter refused');
    await page.getByText('Line 4: must be 1 to 60 characters').waitFor();
    expect(await words.evaluate((element) => element === document.activeElement)).toBe(true);
    expectRefusals(1);
    await words.fill(Array.from({ length: 501 }, (_, index) => `word${index}`).join('\n'));
    await page.getByText('501 words and phrases; at most 500 are allowed').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await words.fill(' darn \ngo away\n');
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const game = await server.services.db.read(findGameBySlug, slug);
    expect(game?.policies.wordFilter).toEqual({ action: 'reject', words: ['darn', 'go away'] });
  });

  test.each([
    ['1440', { ...desktop, viewport: { width: 1440, height: 900 } }],
    ['390', phone],
  ])('have no accessibility issue %s pixels wide, light and dark', async (width, options) => {
    const { gameId, slug } = await ranked();
    await server.services.db.write(endSeason, gameId, 'weekly', { season: 1 });
    const page = await open('', options);
    for (const [view, shows] of [
      ['leaderboard', 'No scores yet'],
      ['leaderboard/weekly/1', 'Grace'],
      ['leaderboard/weekly/seasons', 'Season 1'],
      ['settings', 'Words and phrases'],
    ] as const) {
      await page.goto(`${server.url}/console#/games/${slug}/${view}`);
      await page.getByText(shows).first().waitFor();
      const issues = await issuesInBothSchemes(page, async () => {
        const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        expect([view, await page.evaluate(over)]).toEqual([view, 0]);
        const scheme = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
        await picture(page, `${view.replaceAll('/', ' ')} ${width} ${scheme ? 'dark' : 'light'}`);
      });
      expect([view, issues]).toEqual([view, { light: [], dark: [] }]);
    }
    await page.goto(`${server.url}/console#/games/${slug}/leaderboard`);
    await page.getByRole('button', { name: 'New leaderboard' }).click();
    await page.getByLabel('Seasons end').selectOption('Every Monday at midnight');
    const issues = await issuesInBothSchemes(page, () => picture(page, `new leaderboard ${width}`));
    expect(issues).toEqual({ light: [], dark: [] });
  });
});
