import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AdminRole } from '../../src/core/schemas/admin-role.ts';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../src/features/administration/administrators/administrator.ts';
import {
  addAdministrator,
  changeAdministrator,
  removeAdministrator,
} from '../../src/features/administration/administrators/commands.ts';
import { listAllAdministrators } from '../../src/features/administration/administrators/queries.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { fileReport } from '../../src/features/moderation/reports/commands.ts';
import { backupsOf } from '../support/backups.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { desktop, launchBrowser, noBrowser, phone, type WatchedPage } from './browser.ts';
import { openConsole } from './operator.ts';

describe.skipIf(noBrowser !== null)('administrators in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let opened: WatchedPage[] = [];

  beforeAll(async () => {
    server = await startTestServer();
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
    // The browser reports refused calls itself.
    expect(complaints.filter((one) => !/40[13]/.test(one))).toEqual([]);
  });

  async function newAdministrator(name: string, role: AdminRole) {
    const token = newAdministratorToken();
    const hashed = { tokenHash: hashOfToken(token), lifetimeMs: null };
    return { ...(await server.services.db.write(addAdministrator, name, role, hashed)), token };
  }

  async function open(token: string, view = '', options = desktop) {
    const watched = await openConsole(browser, { url: server.url, adminToken: token }, view, options);
    opened.push(watched);
    return watched.page;
  }

  const sections = (page: Page) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allInnerTexts();
  const signedInAs = (page: Page) => page.locator('.who').innerText();

  test('an owner adds an administrator by name, whose token is shown once and signs in', async () => {
    const page = await open(server.adminToken, 'administrators');
    expect(await signedInAs(page)).toMatch(/Admin token\s+owner/);
    await page.getByRole('button', { name: 'New administrator' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await page.getByLabel('Role', { exact: true }).selectOption('operator');
    await page.getByLabel('Token expires').selectOption('30');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const token = await page.locator('.secret-text').innerText();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.locator('.secret-text').count()).toBe(0);
    await page.getByRole('row', { name: /Ada operator/ }).waitFor();

    const hers = await open(token);
    expect(await signedInAs(hers)).toMatch(/Ada\s+operator/);
    expect(await sections(hers)).toContain('Backups');
    expect(await sections(hers)).not.toContain('Administrators');

    await page.getByRole('button', { name: 'New administrator' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('ADA');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('An administrator named Ada already exists').waitFor();
    opened[0]?.complaints.splice(0);
  });

  test('a moderator is offered what moderators may do, and nothing else', async () => {
    const { gameId } = await server.createGame({ name: 'Orbit', slug: 'orbit-roles' });
    const { wallet } = await server.openSession(gameId);
    const { token } = await newAdministrator('Alan', 'moderator');
    const page = await open(token, 'games/orbit-roles/settings');
    await page.getByText('Your role cannot change settings.').first().waitFor();
    await page.getByRole('region', { name: /Active secrets/ }).waitFor();
    expect(await page.getByRole('button', { name: /^(Rotate|Revoke|Save.*)$/ }).count()).toBe(0);
    expect(await page.getByLabel('Name').isDisabled()).toBe(true);
    await page.goto(`${server.url}/console#/games`);
    await page.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'New game' }).count()).toBe(0);
    await page.goto(`${server.url}/console#/games/orbit-roles/rules`);
    await page.getByText('Your role cannot change rules.').waitFor();
    for (const view of ['administrators', 'backups']) {
      await page.goto(`${server.url}/console#/${view}`);
      await page.getByText('You do not have access').waitFor();
    }
    await page.goto(`${server.url}/console#/players/${wallet}`);
    await page.getByRole('button', { name: 'Ban from all games' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('Banned from all games').first().waitFor();
    expect(await page.getByRole('button', { name: 'Erase player' }).count()).toBe(0);
    const { rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
    expect(rows).toMatchObject([{ actor: 'Alan', operation: 'banPlayer', outcome: 'ok' }]);
  });

  test('a changed role or a revocation takes effect immediately in an open console', async () => {
    const { token, administratorId } = await newAdministrator('Grace', 'operator');
    const owner = await open(server.adminToken, 'administrators');
    const page = await open(token);
    await page.clock.install();
    await page.reload();
    await page.getByRole('link', { name: 'Backups' }).waitFor();
    await owner.getByRole('button', { name: 'Edit Grace' }).click();
    await owner.getByLabel('Role', { exact: true }).selectOption('read-only');
    await owner.getByRole('button', { name: 'Save', exact: true }).click();
    await owner.getByText('Grace saved').waitFor();
    await page.clock.runFor(11_000);
    await page.locator('.who', { hasText: 'read-only' }).waitFor();
    expect(await sections(page)).not.toContain('Backups');

    await server.services.db.write(removeAdministrator, administratorId);
    await page.getByRole('link', { name: 'Games', exact: true }).click();
    await page.getByText('Your token is no longer valid').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('what was typed about a player or a report stays when the role is lowered, without its button', async () => {
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Orbit', slug: 'orbit-lowered' });
    const [{ wallet }, reporter] = [await server.openSession(gameId), await server.openSession(gameId)];
    const about = { about: { wallet }, reason: 'spam' as const, comment: '' };
    const reportId = await db.write(fileReport, reporter, about);
    const { token, administratorId } = await newAdministrator('Hedy', 'operator');
    const page = await open(token, `players/${wallet}`);
    await page.clock.install();
    await page.reload();
    const become = async (role: AdminRole) => {
      await db.write(changeAdministrator, administratorId, { role });
      await page.clock.runFor(11_000);
      await page.locator('.who', { hasText: role }).waitFor();
    };
    const name = page.getByLabel('Name', { exact: true });
    const reasons = [page.getByLabel('Reason (for moderators)'), page.getByLabel(/^Reason \(shown/)];
    await name.fill('Half a name');
    for (const reason of reasons) await reason.fill('Sells gold');
    await become('read-only');
    for (const [what, button] of [
      ['rename', /^Rename$/],
      ['ban', /^Ban from/],
      ['mute', /^Mute in/],
    ] as const) {
      await page.getByText(`Your role cannot ${what} players.`).waitFor();
      expect(await page.getByRole('button', { name: button }).count()).toBe(0);
    }
    expect(await name.inputValue()).toBe('Half a name');
    for (const reason of reasons) expect(await reason.inputValue()).toBe('Sells gold');
    await become('operator');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed to Half a name').waitFor();

    await page.evaluate((address) => {
      location.hash = address;
    }, `#/reports/${reportId}`);
    const note = page.getByLabel(/^Note/);
    await note.fill('Half a note');
    await become('read-only');
    await page.getByText('Your role cannot close reports.').waitFor();
    expect(await note.inputValue()).toBe('Half a note');
    await note.fill('');
    await note.waitFor({ state: 'detached' });
  });

  test('a renamed administrator keeps the role that another owner has given meanwhile', async () => {
    const { administratorId } = await newAdministrator('Mallory', 'owner');
    const page = await open(server.adminToken, 'administrators');
    await page.getByRole('button', { name: 'Edit Mallory' }).click();
    await server.services.db.write(changeAdministrator, administratorId, { role: 'read-only' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Mallory M');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Mallory M saved').waitFor();
    const stored = await server.services.db.read(listAllAdministrators);
    expect(stored.find((one) => one.administratorId === administratorId)).toMatchObject({
      name: 'Mallory M',
      role: 'read-only',
    });
  });

  test('a new tab is signed in by the others, and all are signed out together', async () => {
    const { token } = await newAdministrator('Edsger', 'operator');
    const first = await open(token);
    const second = await first.context().newPage();
    await second.goto(`${server.url}/console#/games`);
    await second.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    expect(await signedInAs(second)).toMatch(/Edsger\s+operator/);
    const kept = await second.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie);
    expect(kept).not.toContain(token);

    // Another browser session is independent.
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${server.url}/console`);
    await other.getByLabel('Admin token').waitFor();
    await other.context().close();

    await first.close();
    await second.reload();
    await second.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    const third = await second.context().newPage();
    await third.goto(`${server.url}/console`);
    await third.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await third.getByRole('button', { name: 'Sign out' }).click();
    await second.getByText('Signed out in another tab').waitFor();
    expect(await second.evaluate(() => sessionStorage.length)).toBe(0);
    // A tab that shows the sign-in form is signed in with the one that signs in.
    await third.getByLabel('Admin token').fill(token);
    await third.keyboard.press('Enter');
    await third.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await second.getByRole('heading', { name: 'Games', level: 1 }).waitFor();
    await second.context().close();
  });

  test('an owner who issues a new token keeps working with it, and cannot revoke themselves', async () => {
    const { token } = await newAdministrator('Barbara', 'owner');
    const page = await open(token, 'administrators');
    const row = page.getByRole('row', { name: /Barbara/ });
    await row.getByText('you', { exact: true }).waitFor();
    expect(await row.getByRole('button', { name: /Revoke/ }).count()).toBe(0);
    // What is typed in another tab of the same owner stays.
    const beside = await page.context().newPage();
    await beside.goto(`${server.url}/console#/administrators`);
    await beside.getByRole('button', { name: 'New administrator' }).click();
    await beside.getByLabel('Name', { exact: true }).fill('Half typed');
    await row.getByRole('button', { name: 'New token for Barbara' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    const next = await page.locator('.secret-text').innerText();
    expect(next).not.toBe(token);
    await beside.getByRole('button', { name: 'Create', exact: true }).click();
    await beside.getByRole('dialog', { name: 'Token of Half typed' }).waitFor();
    await beside.close();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('row', { name: /Barbara/ }).waitFor();
    expect((await server.services.db.read(listAllAdministrators)).map(({ name }) => name)).toContain(
      'Barbara',
    );
  });

  test('what was typed stays when the token is no longer valid, until someone signs in again', async () => {
    const { token, administratorId } = await newAdministrator('Annie', 'owner');
    const other = await newAdministrator('Annie E', 'owner');
    const page = await open(token, 'administrators');
    await page.getByRole('button', { name: 'New administrator' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Half typed too');
    await server.services.db.write(removeAdministrator, administratorId);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText('Your token is no longer valid').waitFor();
    await page.keyboard.press('Escape');
    await again.getByLabel('Admin token').fill(other.token);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'Token of Half typed too' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await signedInAs(page)).toMatch(/Annie E\s+owner/);

    // Without signing in again, one leaves the page.
    await server.services.db.write(removeAdministrator, other.administratorId);
    await page.getByRole('link', { name: 'Games', exact: true }).click();
    await again.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor();
    await page.getByText('Your token is no longer valid').waitFor();
  });

  test('makes a backup, downloads and deletes it, and sets the schedule', async () => {
    const page = await open(server.adminToken, 'backups', { ...desktop, acceptDownloads: true });
    await page.getByText('No backups yet').waitFor();
    await page.getByRole('button', { name: 'Create backup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click();
    await page.getByText('Backup made').waitFor();
    const [backup] = await backupsOf(server).list();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download gantry-/ }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(backup?.name);
    expect((await stat(await download.path())).size).toBe(backup?.bytes);

    await page.getByRole('button', { name: /^Delete gantry-/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No backups yet').waitFor();

    await page.getByLabel('Create a backup').selectOption('24');
    await page.getByLabel('Scheduled backups to keep').fill('0');
    expect(
      await page
        .getByLabel('Scheduled backups to keep')
        .evaluate((field: HTMLInputElement) => field.validity.valid),
    ).toBe(false);
    await page.getByLabel('Scheduled backups to keep').fill('2');
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await page.getByText('Schedule saved').waitFor();
    await until('the scheduled backup is made', async () =>
      (await backupsOf(server).list()).some(({ kind }) => kind === 'scheduled'),
    );
    const [made] = await backupsOf(server).list();
    const file = await stat(join(server.config.backupDirectory, made?.name ?? ''));
    expect(file.mode & 0o077).toBe(0);
    await page.getByText('scheduled', { exact: true }).waitFor();
  });

  test.each([
    ['administrators', desktop],
    ['administrators', phone],
    ['backups', desktop],
    ['backups', phone],
  ])('%s fit the width, in light and dark mode', async (view, options) => {
    const page = await open(server.adminToken, view, options);
    await page.locator(view === 'backups' ? '#schedule' : '#roles').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const beyond = await page.evaluate(() => {
        const { clientWidth, scrollWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect(beyond).toBe(0);
    }
  });
});
