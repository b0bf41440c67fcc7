import type { Page } from 'playwright-core';
import { openConsole } from '../operator.ts';
import type { Camera } from './camera.ts';

/** The console's dialogs and forms: empty, with errors, and showing a secret. */
export async function takeDialogs(camera: Camera): Promise<void> {
  const { browser, options, server, width, take } = camera;
  const { page } = await openConsole(browser, server, '', options);
  const show = async (view: string) => {
    await page.goto('about:blank');
    await page.goto(`${server.url}/console#/${view}`);
  };
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  const dialog = page.getByRole('dialog');
  const takeDialog = async (name: string) => {
    await dialog.waitFor();
    await page.waitForLoadState('networkidle');
    await take(page, `dialog-${name}`);
  };

  await show('games');
  await press('New game');
  await takeDialog('new-game');
  await page.getByLabel('Name', { exact: true }).fill(`Asteroids ${width}`);
  await page.getByLabel('Slug').fill('Not A Slug');
  await page.getByLabel('URL').fill('golf');
  await press('Create');
  await page.getByText('Correct the marked fields.').waitFor();
  await take(page, 'dialog-new-game-refused');
  await page.getByLabel('Slug').fill(`asteroids-${width}`);
  await page.getByLabel('URL').fill('https://asteroids.example');
  await press('Create');
  await page.locator('.secret-text').waitFor();
  await take(page, 'dialog-game-secret');
  await press('Open game');
  await page.getByRole('link', { name: 'Settings' }).click();
  await press('Rotate');
  await takeDialog('rotate');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.locator('.secret-text').waitFor();
  await take(page, 'dialog-rotated-secret');
  await press('Done');
  await press('Archive game');
  await takeDialog('archive-game');
  await press('Cancel');
  await press('Delete game');
  await takeDialog('delete-game');
  await press('Cancel');
  await page.getByLabel('Words and phrases').fill('darn\n!!!');
  await press('Save word filter');
  await page.getByText('Line 2').waitFor();
  await page.getByRole('button', { name: 'Add token' }).click();
  await take(page, 'form-settings-refused');

  await show('games/demo-game/leaderboard');
  await press(/^Remove score/);
  await takeDialog('remove-score');
  await press('Cancel');
  await press('New leaderboard');
  await takeDialog('new-leaderboard');
  await page.getByLabel('Name').fill('Weekly Cup');
  await page.getByLabel('Seasons end').selectOption('Cron expression…');
  await page.getByLabel('Cron expression').fill('every friday');
  await press('Create');
  await page.getByText('Correct the marked fields.').waitFor();
  await take(page, 'dialog-new-leaderboard-refused');
  await show('games/demo-game/leaderboard/weekly');
  await press(/^End season/);
  await takeDialog('end-season');
  await press('Cancel');
  await press('Edit');
  await takeDialog('edit-leaderboard');
  await press('Cancel');
  await press('Delete');
  await takeDialog('delete-leaderboard');
  await press('Cancel');
  await press(/^Show the ranks around/);
  await page.getByText(/^Around /).waitFor();
  await take(page, 'console-places-around');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByLabel('Search players').fill('nobody');
  await page.getByText('No matching players').waitFor();
  await take(page, 'console-places-search-empty');

  await show(`players/${camera.world.players[1]?.wallet}`);
  await press('Ban from all games');
  await takeDialog('ban');
  await press('Cancel');
  await press('Erase player');
  await takeDialog('erase');
  await show(`reports/${camera.world.reportId}`);
  await press('Mute player');
  await takeDialog('mute');

  await show('moderation/mutes');
  await press('Mute a player');
  await dialog.getByLabel('Player', { exact: true }).fill('Hedy');
  await dialog.locator('.player-cell').waitFor();
  await takeDialog('mute-a-player');
  await press('Cancel');
  await press(/^Unmute/);
  await takeDialog('unmute');
  await show('moderation/bans');
  await press('Ban a player');
  await takeDialog('ban-a-player');
  await press('Cancel');
  await press(/^Unban/);
  await takeDialog('unban');

  await show('games/demo-game/states');
  await press('Show state save');
  await page.locator('.json-branch').first().waitFor();
  await takeDialog('state');
  await press('Edit');
  await page.getByLabel('State (JSON)').fill('{"level":4,');
  await page.getByText('Invalid JSON').waitFor();
  await take(page, 'dialog-state-edit');
  await show('games/demo-game/play-sessions');
  await press(/^Show play session/);
  await takeDialog('play-session');
  await show('games/demo-game/messages');
  await press(/^View/);
  await page
    .getByText(/Good game|round/)
    .first()
    .waitFor();
  await take(page, 'console-channel');
  await show('queue');
  await press(/^Show action/);
  await takeDialog('action');
  await show('requests');
  await press(/^Show request/);
  await takeDialog('request');
  await show('audit');
  await press('Show');
  await takeDialog('audit');

  await show('games/demo-game/rules');
  const editor = page.getByLabel('Rules (JSON array)');
  await editor.waitFor();
  await editor.fill((await editor.innerText()).replace('"Notify"', '"Notifi"'));
  await page.locator('.problem-line').first().waitFor();
  await take(page, 'console-rules-wrong');
  await show('games/demo-game/webhooks');
  await press('New webhook');
  await takeDialog('new-webhook');
  await page.getByLabel('URL').fill('https://game.example/hooks/2');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.locator('.secret-text').waitFor();
  await take(page, 'dialog-webhook-secret');
  await press('Done');
  await press('Remove');
  await takeDialog('remove-webhook');

  await show('administrators');
  await press('New administrator');
  await takeDialog('new-administrator');
  await page.getByRole('textbox', { name: 'Name' }).fill(`Barbara ${width}`);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.locator('.secret-text').waitFor();
  await take(page, 'dialog-administrator-token');
  await page.getByRole('button', { name: 'Done' }).click();
  await press(/^Edit Grace/);
  await takeDialog('edit-administrator');
  await press('Cancel');
  await press(/^Revoke Grace/);
  await takeDialog('revoke-administrator');
  await show('backups');
  await press('Create backup');
  await takeDialog('make-backup');
  await press('Cancel');
  await press(/^Delete gantry/);
  await takeDialog('delete-backup');
  await takeModerator(camera, page);
}

/** What a moderator sees of what they may not change. */
async function takeModerator({ server, width, take, browser, options }: Camera, owner: Page): Promise<void> {
  await owner.goto('about:blank');
  await owner.goto(`${server.url}/console#/administrators`);
  await owner.getByRole('button', { name: 'New administrator' }).click();
  await owner.getByRole('textbox', { name: 'Name' }).fill(`Moderator ${width}`);
  await owner.getByLabel('Role', { exact: true }).selectOption('moderator');
  await owner.getByRole('button', { name: 'Create', exact: true }).click();
  const adminToken = await owner.locator('.secret-text').innerText();
  const { page } = await openConsole(browser, { url: server.url, adminToken }, '', options);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await take(page, 'moderator-overview');
  await page.goto(`${server.url}/console#/games/demo-game/settings`);
  await page.getByText('Your role cannot change settings.').first().waitFor();
  await take(page, 'moderator-settings');
  await page.goto(`${server.url}/console#/backups`);
  await page.getByText('You do not have access').waitFor();
  await take(page, 'moderator-refused');
}
