import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { reasons } from '../../src/core/errors.ts';
import { findScore } from '../../src/features/scores/queries.ts';
import { operations, operationTopics } from '../../src/server/declarations/operations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { launchBrowser, noBrowser, openPage } from './browser.ts';
import { tabTo } from './operator.ts';

describe.skipIf(noBrowser !== null)('the API reference', () => {
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
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const openReference = async (hash = '') => {
    const opened = await openPage(browser);
    await opened.page.goto(`${server.url}/docs/reference${hash}`);
    await opened.page.locator('.operation').first().waitFor();
    return opened;
  };

  test('has every operation below its topic, which leads to its page of the manual', async () => {
    const { page, complaints } = await openReference();
    const shown = await page.locator('.reference section').evaluateAll((sections) =>
      sections.map((section) => ({
        title: section.querySelector('h2')?.textContent,
        page: section.querySelector('a')?.getAttribute('href'),
        operations: [...section.querySelectorAll('details.operation')].map(({ id }) => id),
      })),
    );
    const dispatch = shown.pop();
    expect(dispatch?.operations).toContain('launcherDispatch');
    const queries: string[] = operations.flatMap((one) =>
      'getPath' in one && one.getPath ? [one.name] : [],
    );
    expect(shown).toEqual(
      operationTopics.map(({ title, page, operations: names }) => ({
        title,
        page: `/docs/${page}`,
        operations: names.flatMap((name) => (queries.includes(name) ? [name, `${name}ByQuery`] : [name])),
      })),
    );
    expect(complaints).toEqual([]);
  });

  test("has every operation, field and reason in the page, for the browser's find", async () => {
    const { page } = await openReference();
    const text = (await page.locator('.reference').textContent()) ?? '';
    expect(text.match(/.{0,40}`.{0,40}/)).toBeNull(); // names are shown as code
    const missing = operations.flatMap(({ name, input, output }) => {
      const fields = [...Object.keys(input.shape), ...('shape' in output ? Object.keys(output.shape) : [])];
      return [name, ...fields].filter((one) => !text.includes(one));
    });
    expect(missing).toEqual([]);
    expect(Object.keys(reasons).filter((reason) => !text.includes(reason))).toEqual([]);
  });

  test('opens what the browser finds in a folded operation', async () => {
    const { page } = await openReference();
    const setRules = page.locator('#setRules');
    expect(await setRules.getAttribute('open')).toBeNull();
    // The browser's search for a text in the address opens folded content as its find does.
    await page.goto(`${server.url}/docs/reference#:~:text=sign_in_attempts_exhausted`);
    await until('opened', async () => (await page.locator('#errors').getAttribute('open')) !== null);
    await page.goto(`${server.url}/docs/reference#:~:text=notificationType`);
    await until('opened', async () => (await page.locator('details.field-form[open]').count()) > 0);
    expect(await page.locator('.try-it').count()).toBeGreaterThan(0);
  });

  test.each([
    ['#setUserScore', 'setUserScore', 'setUserScore'],
    ['#/launcher/setUserScore', 'setUserScore', 'setUserScore'],
    ['#/admin/setRules', 'setRules', 'setRules'],
    ['#/scores', 'scores-and-leaderboards', null],
  ])('shows what the address %s names, also as written before', async (hash, id, opened) => {
    const { page, complaints } = await openReference(hash);
    expect(new URL(page.url()).hash).toBe(`#${id}`);
    const top = () => page.locator(`[id="${id}"]`).evaluate((one) => one.getBoundingClientRect().top);
    await until('scrolled to it', async () => (await top()) > 0 && (await top()) < 200);
    const open = await page.locator('.operation[open]').evaluateAll((all) => all.map((one) => one.id));
    expect(open).toEqual(opened === null ? [] : [opened]);
    expect(complaints).toEqual([]);
  });

  test('shows an operation with its body and answer before headers, which are described once', async () => {
    const { page } = await openReference('#setUserScore');
    const text = (await page.locator('#setUserScore').textContent()) ?? '';
    const places = ['Body', 'Answer', 'newScore', 'X-Request-Signature'].map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(await page.locator('.reference').getByText('hex MD5(nonce').count()).toBe(1);
  });

  test('executes a read, a write and a refused call, by keyboard', async () => {
    const { gameId } = await server.createGame();
    const player = await server.openSession(gameId);
    const { page, complaints } = await openReference('#setUserScore');
    const write = page.locator('#setUserScore');
    await execute(write);
    await write.getByText('"reason": "token_missing"').waitFor();

    await page.locator('#credentials > summary').focus();
    await page.keyboard.press('Enter');
    await tabTo(page, 'Launcher token');
    await page.keyboard.insertText(player.launcherJwt);
    await execute(write);
    await write.locator('.try-answer').getByText('"score": 125').last().waitFor();
    expect(await server.services.db.read(findScore, player)).toMatchObject({ score: 125 });

    await write.getByLabel('Request body').fill('{"launcherJwt": "YOUR_LAUNCHER_JWT", "score": "much"}');
    await execute(write);
    await write.getByText('"reason": "score_not_integer"').waitFor();
    await write.getByRole('button', { name: 'Reset to the example' }).click();
    expect(await write.getByLabel('Request body').inputValue()).toContain('"score": 125');

    const read = page.locator('#getActivitiesByQuery');
    await read.locator('summary').first().click();
    await read.getByLabel('gameId', { exact: true }).fill(gameId);
    await execute(read);
    await read.locator('.try-answer').getByText('"data": []').waitFor();
    expect(complaints.filter((one) => !/status of 40[01]/.test(one))).toEqual([]);
  });

  test("executes an administrator's operation with the admin token, and a server's with the secret", async () => {
    const { gameId, gameSecret } = await server.createGame();
    const player = await server.openSession(gameId);
    const { page, complaints } = await openReference('#credentials');
    await page.getByLabel('Admin token').fill(server.adminToken);
    await page.getByLabel('Game secret').fill(gameSecret);
    await openOperation(page, 'listGames');
    await execute(page.locator('#listGames'));
    await page.locator('#listGames .try-answer').getByText(gameId).first().waitFor();
    const body = JSON.stringify({ wallet: player.wallet, score: 7 });
    await openOperation(page, 'setUserScore');
    await page.locator('#setUserScore').getByLabel('Request body').fill(body);
    await execute(page.locator('#setUserScore'));
    await page.locator('#setUserScore .try-answer').getByText('"score": 7').waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows each example in five languages, and remembers the chosen one', async () => {
    const { page, complaints } = await openReference('#setUserScore');
    const samples = page.getByRole('region', { name: 'Example in code' });
    await samples.getByText("curl -s '").waitFor();
    const tabs = await samples
      .getByRole('tab')
      .evaluateAll((all) => all.map((one) => one.textContent?.trim()));
    expect(tabs).toEqual(['curl', 'JavaScript', 'C#', 'GDScript', 'Python']);
    await samples.getByRole('tab', { name: 'GDScript' }).click();
    await samples.getByText('HTTPRequest.new()').waitFor();
    await page.reload();
    await samples.getByText('HTTPRequest.new()').waitFor();
    expect(complaints).toEqual([]);
  });

  test("is left by Ctrl+K for the manual's search, as every page is", async () => {
    const { page, complaints } = await openReference('#setUserScore');
    await page.locator('#setUserScore').getByLabel('Request body').focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cloud save');
    await page.getByRole('search').getByRole('link').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/docs/cloud-saves`);
    expect(complaints).toEqual([]);
  });
});

async function openOperation(page: Page, name: string): Promise<void> {
  await page.locator(`#${name} > summary`).click();
  await page.locator(`#${name} .try-it`).waitFor();
}

async function execute(operation: Locator): Promise<void> {
  await operation.getByRole('button', { name: 'Execute' }).focus();
  await operation.page().keyboard.press('Enter');
}
