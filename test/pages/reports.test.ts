import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ban, unban } from '../../src/features/administration/commands.ts';
import { readAuditLog, readBans } from '../../src/features/administration/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { deleteMessage, sendMessage } from '../../src/features/messages/message-commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { readMutes } from '../../src/features/moderation/queries.ts';
import { closeReport, fileReport } from '../../src/features/moderation/reports/commands.ts';
import { readReport, readReports } from '../../src/features/moderation/reports/queries.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { desktop, launchBrowser, noBrowser, phone } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole, showView } from './operator.ts';

const wholePage = { limit: 250, skip: 0 };

describe.skipIf(noBrowser !== null)("the moderators' queue in the console", () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function reported() {
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Orbit' });
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
    await db.write(sendMessage, ada, channelId, 'Good game!');
    const { _id: messageId } = await db.write(sendMessage, grace, channelId, 'Buy gold at gold.example');
    await db.write(sendMessage, ada, channelId, 'Please stop.');
    const report = { about: { messageId }, reason: 'spam' as const, comment: 'In every channel' };
    return { reportId: await db.write(fileReport, ada, report), messageId, ada, grace };
  }

  test('a report is read in its context, acted upon and resolved, and the audit log records it all', async () => {
    const { db } = server.services;
    const { reportId, grace } = await reported();
    const watched = await openConsole(browser, server, 'reports', desktop);
    const { page } = watched;
    await page.getByRole('link', { name: 'Spam in a message' }).click();
    await page.locator('.logged-message.reported').getByText('Buy gold at gold.example').waitFor();
    await page.getByText('Please stop.').waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/report.png` });
    await page.getByRole('button', { name: 'Mute player' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mute' }).click();
    await page.getByText('Player muted').waitFor();
    await page.getByRole('button', { name: 'Remove message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The message no longer exists').waitFor();
    await page.getByLabel('Note').fill('Muted for a day');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText(/resolved by .*: Muted for a day/).waitFor();
    expect(await db.read(readReport, reportId)).toMatchObject({
      status: 'resolved',
      note: 'Muted for a day',
    });
    expect((await db.read(readMutes, { wallet: grace.wallet }, wholePage)).total).toBe(1);
    const { rows } = await db.read(readAuditLog, wholePage);
    expect(rows.map(({ operation }) => operation).slice(0, 3)).toEqual([
      'resolveReport',
      'removeMessage',
      'mutePlayer',
    ]);
    await page.goto(`${server.url}/console#/reports`);
    await page.getByText('No open reports').waitFor();
    expect(watched.complaints).toEqual([]);
    await page.context().close();
  });

  test('a moderator whom another one forestalls is told so, and then sees what is in force', async () => {
    const { db } = server.services;
    const { reportId, messageId, grace } = await reported();
    const { page, complaints } = await openConsole(browser, server, `reports/${reportId}`, desktop);
    const closing = page.getByRole('region', { name: 'Close this report' });
    const fact = (name: string) => page.getByText(name, { exact: true }).locator('..');
    await fact('Restrictions').getByText('none').waitFor();
    await db.write(deleteMessage, messageId);
    await page.getByRole('button', { name: 'Remove message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alert').getByText('There is no such message').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The message no longer exists').waitFor();

    await page.getByRole('button', { name: 'Ban player' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').selectOption('All games');
    await dialog.getByLabel('Reason (for moderators)').fill('Sells gold');
    await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
    await fact('Restrictions').getByText('all games').waitFor();
    const bans = await db.read(readBans, { wallet: grace.wallet }, wholePage);
    expect(bans.rows).toMatchObject([{ gameId: '', reason: 'Sells gold' }]);

    await db.write(closeReport, reportId, { outcome: 'resolved', note: 'Banned', by: 'Ada' });
    await closing.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('This report was already resolved by Ada').waitFor();
    await page.getByText('resolved by Ada: Banned').waitFor();
    expect(await closing.count()).toBe(0);

    await page.goto(`${server.url}/console#/moderation/bans`);
    const row = page.getByRole('row', { name: /Sells gold/ });
    await row.getByRole('button', { name: /^Unban/ }).click();
    await db.write(unban, grace.wallet, null);
    await dialog.getByRole('button', { name: 'Unban' }).click();
    await dialog.getByText('This player is not banned').waitFor();
    await page.keyboard.press('Escape');
    await row.waitFor({ state: 'hidden' });
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
    await page.context().close();
  });

  test('a report leads to all reports about its player, in all games or in one, and to none about others', async () => {
    const { db } = server.services;
    const { reportId, grace, ada } = await reported();
    const about = (wallet: string, comment: string) => ({
      ...{ about: { wallet }, reason: 'cheating' as const, comment },
    });
    const closed = await db.write(fileReport, ada, about(grace.wallet, 'Wins in a second'));
    await db.write(closeReport, closed, { outcome: 'dismissed', note: '', by: 'Ada' });
    await db.write(fileReport, grace, about(ada.wallet, 'Reports me'));
    const { gameId } = await server.createGame({ name: 'Elsewhere' });
    const [there, other] = [await server.openSession(gameId, grace.wallet), await server.openSession(gameId)];
    await db.write(fileReport, other, about(there.wallet, 'Cheats here, too'));
    const { page, complaints } = await openConsole(browser, server, `reports/${reportId}`, desktop);
    await page.getByRole('link', { name: '2 about this player' }).click();
    await page.getByText('3 rows', { exact: true }).waitFor();
    await page.getByRole('row', { name: /dismissed Cheating Wins in a second/ }).waitFor();
    expect(await page.getByText('Reports me').count()).toBe(0);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/player-reports.png` });
    await page.getByLabel('Status').selectOption('Open');
    await page.getByText('2 rows', { exact: true }).waitFor();
    await page.getByLabel('Game', { exact: true }).selectOption('Elsewhere');
    await page.getByText('1 row', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Cheating', exact: true }).click();
    await page.getByText('Cheats here, too').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an export lacks no report because others that the table shows were closed meanwhile', async () => {
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Busy' });
    const { wallet } = await server.openSession(gameId);
    const reporters = await Promise.all(Array.from({ length: 600 }, () => server.openSession(gameId)));
    const report = { about: { wallet }, reason: 'spam' as const, comment: '' };
    const reportIds = await Promise.all(reporters.map((reporter) => db.write(fileReport, reporter, report)));
    const { page, complaints } = await openConsole(browser, server, `players/${wallet}/reports`, desktop);
    await page.getByLabel('Status').selectOption('Open');
    await page.getByText('250 of 600 rows').waitFor();
    const { rows } = await db.read(readReports, { subject: wallet }, wholePage);
    for (const { reportId } of rows)
      await db.write(closeReport, reportId, { outcome: 'resolved', note: '', by: 'Ada' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as JSON' }).click(),
    ]);
    const exported: { reportId: string }[] = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(exported.map(({ reportId }) => reportId).sort()).toEqual(reportIds.sort());
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('on the narrowest screens, scrolling a long list by what is visible passes no row', async () => {
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Narrow' });
    const players = await Promise.all(Array.from({ length: 60 }, () => server.openSession(gameId)));
    for (const { wallet } of players) await db.write(ban, wallet, gameId, 'Sells gold');
    const { page, complaints } = await openConsole(browser, server, 'moderation/bans', {
      ...phone,
      viewport: { width: 320, height: 568 },
    });
    await page.getByLabel('Banned from').selectOption('Narrow');
    await page.getByText('60 rows', { exact: true }).waitFor();
    const list = page.getByRole('region', { name: 'Bans' });
    const row = (number: number) => list.locator(`tr[aria-rowindex="${number + 1}"]`);
    const height = (await row(1).boundingBox())?.height ?? 0;
    await list.evaluate((element, top) => element.scrollTo({ top }), 40 * height);
    await row(41).waitFor();
    const header = await list.getByRole('columnheader').first().boundingBox();
    const y = (await row(41).boundingBox())?.y ?? 0;
    expect(Math.abs(y - (header?.y ?? 0) - (header?.height ?? 0))).toBeLessThan(2);
    for (const { wallet } of players) await db.write(unban, wallet, gameId);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('long names fit on a phone', async () => {
    const { reportId, grace } = await reported();
    await server.services.db.write(setProfile, grace.wallet, { username: 'W'.repeat(40) });
    const { page, complaints } = await openConsole(browser, server, `reports/${reportId}`, phone);
    await page.locator('.message-log').getByText('WWWW').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goto(`${server.url}/console#/moderation/bans`);
    await page.getByRole('button', { name: 'Ban a player' }).click();
    await page.getByPlaceholder('Player or wallet').fill(grace.wallet);
    const dialog = page.locator('.dialog-body');
    await dialog.getByRole('link', { name: /^W/ }).waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a ban with a long reason can be lifted on the page of the player without scrolling sideways', async () => {
    const { grace } = await reported();
    await server.services.db.write(
      ban,
      grace.wallet,
      grace.gameId,
      'Sells gold, and insults others. '.repeat(15),
    );
    const { page, complaints } = await openConsole(browser, server, `players/${grace.wallet}`, desktop);
    const bans = page.getByRole('region', { name: 'Bans', exact: true });
    await bans.getByText('Sells gold').waitFor();
    expect(
      await bans.locator('.table-scroll').evaluate((element) => element.scrollWidth - element.clientWidth),
    ).toBe(0);
    await bans.getByRole('button', { name: /^Unban/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unban' }).click();
    await bans.getByText('Sells gold').waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a player is muted with a reason and without a report, is listed, and is unmuted', async () => {
    const { grace } = await reported();
    await server.services.db.write(setProfile, grace.wallet, { username: 'Grace Hopper' });
    const { page, complaints } = await openConsole(browser, server, 'moderation/mutes', desktop);
    await page.getByRole('button', { name: 'Mute a player' }).click();
    await page.getByPlaceholder('Player or wallet').fill(grace.wallet);
    await page.getByLabel('Reason (shown to the player)').fill('Calm down');
    await page.getByRole('dialog').getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await page.getByRole('dialog').getByLabel('In').selectOption(grace.gameId);
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    const row = page.getByRole('row', { name: /Grace Hopper.*Calm down/ });
    await row.waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/mutes.png` });
    await row.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unmute' }).click();
    await row.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Bans', exact: true }).click();
    await page.getByText('No bans').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a mute that ends is no longer listed on a page that is open', async () => {
    const { db } = server.services;
    const { grace, reportId } = await reported();
    const { page, complaints } = await openConsole(browser, server, 'nothing-here', desktop);
    await page.clock.install({ time: Date.now() });
    const views = [
      ['moderation/mutes', 'Calm down'],
      [`players/${grace.wallet}`, 'Calm down'],
      [`reports/${reportId}`, 'muted'],
    ] as const;
    for (const [view, text] of views) {
      await db.write(mute, grace, null, 'server', { seconds: 20 * 3_600, reason: 'Calm down' });
      await showView(page, view);
      const muted = page.getByText(text, { exact: true });
      await muted.waitFor();
      await db.write(mute, grace, null, 'server', { seconds: 0, reason: '' });
      await page.clock.fastForward(21 * 3_600_000);
      await muted.waitFor({ state: 'hidden' });
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('bans nobody while the typed player has not been looked up: not the one typed before', async () => {
    const { db } = server.services;
    const { ada, grace } = await reported();
    const { page, complaints } = await openConsole(browser, server, 'moderation/bans', desktop);
    await page.getByRole('button', { name: 'Ban a player' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByPlaceholder('Player or wallet').fill(ada.wallet);
    await dialog.getByRole('link').waitFor();
    await dialog.getByPlaceholder('Player or wallet').evaluate(async (field: HTMLInputElement, wallet) => {
      field.value = wallet;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await Promise.resolve(); // rendered, and before any timer
      document.querySelector<HTMLButtonElement>('dialog [type=submit]')?.click();
    }, grace.wallet);
    await dialog.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('Player banned').waitFor();
    expect((await db.read(readBans, { wallet: ada.wallet }, wholePage)).rows).toEqual([]);
    await db.write(unban, grace.wallet, null);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the page of a player shows who has muted them, ends any mute and sets one', async () => {
    const { db } = server.services;
    const { grace } = await reported();
    await db.write(mute, grace, null, 'server', { seconds: 3_600, reason: 'Too many links. '.repeat(20) });
    const { page, complaints } = await openConsole(browser, server, `players/${grace.wallet}`, desktop);
    const mutes = page.getByRole('region', { name: 'Mutes', exact: true });
    await mutes.getByText("Orbit, by the game's server").waitFor();
    expect(
      await mutes.locator('.table-scroll').evaluate((element) => element.scrollWidth - element.clientWidth),
    ).toBe(0);
    await mutes.getByLabel('Mute in', { exact: true }).selectOption(grace.gameId);
    await mutes.getByLabel('For').selectOption('604800');
    await mutes.getByLabel('Reason (shown to the player)').fill('Calm down');
    await mutes.getByRole('button', { name: 'Mute in Orbit', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mute', exact: true }).click();
    const own = mutes.getByRole('row', { name: /by a moderator Calm down/ });
    await own.waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/player-mutes.png` });
    const other = mutes.getByRole('row', { name: /server/ });
    await other.getByRole('button', { name: 'Unmute in Orbit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unmute' }).click();
    await other.waitFor({ state: 'hidden' });
    const { rows } = await db.read(readMutes, { wallet: grace.wallet }, wholePage);
    expect(rows).toMatchObject([{ mutedBy: 'moderator', reason: 'Calm down' }]);
    await own.getByRole('button', { name: 'Unmute in Orbit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unmute' }).click();
    await own.waitFor({ state: 'hidden' });
    expect(await mutes.getByText('Nothing here yet').count()).toBe(0); // as with the bans
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the list of reports keeps what it shows while one is read', async () => {
    const { grace, reportId } = await reported();
    const { page, complaints } = await openConsole(browser, server, 'reports', desktop);
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel('Game').selectOption(grace.gameId);
    await page.locator(`a[href="#/reports/${reportId}"]`).click();
    await page.getByRole('link', { name: 'All reports' }).click();
    await page.locator(`a[href="#/reports/${reportId}"]`).waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('');
    expect(await page.getByLabel('Game').inputValue()).toBe(grace.gameId);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('has no accessibility issue on %s, light and dark', async (screen, options) => {
    const { reportId } = await reported();
    const { page, complaints } = await openConsole(browser, server, 'reports', options);
    await page.locator('table').first().waitFor();
    const nothing = async () => undefined;
    expect(await issuesInBothSchemes(page, nothing)).toEqual({ light: [], dark: [] });
    if (process.env.PICTURES)
      await page.screenshot({ path: `${process.env.PICTURES}/reports ${screen}.png` });
    await page.goto(`${server.url}/console#/reports/${reportId}`);
    await page.locator('.logged-message.reported').getByText('Buy gold').waitFor();
    expect(await issuesInBothSchemes(page, nothing)).toEqual({ light: [], dark: [] });
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/report ${screen}.png` });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
