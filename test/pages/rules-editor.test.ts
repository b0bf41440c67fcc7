import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { readRules } from '../../src/features/rules/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { desktop, launchBrowser, noBrowser, phone, type WatchedPage } from './browser.ts';
import { issuesInBothSchemes } from './color-scheme.ts';
import { openConsole, writeOver } from './operator.ts';

const rules = [
  {
    trigger: 'win',
    limitExecutions: { amount: 3, resetInterval: 86_400_000 },
    actions: [
      { type: 'UpdateScore', mode: 'add', ratio: 10, nonce: 'season' },
      {
        type: 'Notify',
        message: 'New record: {value}',
        conditions: [{ type: 'payload-value-condition', operator: 'gte', value: 100 }],
      },
    ],
  },
];

/** Whether an element of a shadow tree has the focus. */
function hasFocus(editor: Locator): Promise<boolean> {
  return editor.evaluate((element) => element.matches(':focus'));
}

describe.skipIf(noBrowser !== null)('the rules editor', () => {
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
    // The browser reports rules that the server refuses itself.
    expect(complaints.filter((one) => !one.includes('status of 400'))).toEqual([]);
  });

  async function open(options: BrowserContextOptions = desktop) {
    const slug = `ruled-${++games}`;
    const { gameId } = await server.createGame({ name: `Ruled ${games}`, slug });
    await server.services.db.write(replaceRules, gameId, ruleList.parse(rules));
    const watched = await openConsole(browser, server, `games/${slug}/rules`, options);
    opened.push(watched);
    const { page } = watched;
    const editor = page.getByLabel('Rules (JSON array)');
    await editor.waitFor();
    return { page, editor, gameId, slug };
  }

  const picture = async (page: Page, name: string) => {
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
  };

  test('highlights keys, texts and numbers, and marks the position that the server reports', async () => {
    const { page, editor } = await open();
    const colourOf = (text: string) =>
      editor
        .getByText(text, { exact: true })
        .first()
        .evaluate((element) => getComputedStyle(element).color);
    const colours = await Promise.all(['"trigger"', '"win"', '3'].map(colourOf));
    expect(new Set(colours).size).toBe(3);
    await writeOver(editor, (await editor.innerText()).replace('"Notify"', '"Notifi"'));
    await page.locator('.cm-lint-marker-error').waitFor();
    const marked = page.locator('.cm-lintRange-error').first();
    const line = await marked.evaluate((element) => element.closest('.cm-line')?.textContent ?? '');
    expect(line).toMatch(/\{|Notifi/);
    await picture(page, 'rules marked');
    await page.getByRole('button', { name: /unknown action type "Notifi"/ }).click();
    await until('the place has the focus', () => hasFocus(editor));
    await writeOver(editor, JSON.stringify(rules));
    await page.locator('.cm-lint-marker-error').waitFor({ state: 'detached' });
  });

  test('shows rules as saved when only the response to saving them was lost', async () => {
    const { page, editor } = await open();
    await writeOver(editor, (await editor.innerText()).replace('"win"', '"won"'));
    await page.getByText(/ rules?, valid$/).waitFor();
    await page.route('**/admin/set-rules', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Cannot reach the server').first().waitFor();
    await page.getByText('Version 2', { exact: true }).waitFor();
    await page.getByText('Unsaved changes').first().waitFor({ state: 'detached' });
    expect(await page.getByText('was saved in the meantime').count()).toBe(0);
  });

  test('refuses a number that the browser would round', async () => {
    const { page, editor } = await open();
    await writeOver(editor, JSON.stringify(rules, null, 2).replace('100', '9007199254740993'));
    await page.getByRole('button', { name: 'Line 22 9007199254740993 would be rounded' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save rules' }).isDisabled()).toBe(true);
  });

  test('is usable by keyboard; Tab indents, and Escape and then Tab leaves it', async () => {
    const { page, editor, gameId } = await open();
    await editor.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[{"trigger":"typed","actions":[{"type":"Notify","message":"by hand"}]}]');
    await page.getByText('1 rule, valid').waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Tab');
    expect(await editor.innerText()).toMatch(/^\s+\[/);
    expect(await hasFocus(editor)).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await hasFocus(editor)).toBe(false);
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Rules saved').waitFor();
    expect((await server.services.db.read(readRules, gameId)).rules).toMatchObject([{ trigger: 'typed' }]);
    await editor.focus();
    await page.keyboard.press('Control+z');
    await page.getByText('Unsaved changes').first().waitFor();
  });

  test('is loaded by the view of rules only, with a plain field as the fallback', async () => {
    const { page, slug } = await open();
    const loaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').filter(({ name }) => /code-mirror-\w+\.js$/.test(name)),
      );
    expect((await loaded()).length).toBe(1);
    await page.goto('about:blank');
    await page.goto(`${server.url}/console#/games/${slug}/settings`);
    await page.getByText('Save policies').waitFor();
    expect(await loaded()).toEqual([]);
    await page.goto('about:blank');
    await page.route(/code-mirror-\w+\.js$/, (route) => route.abort());
    await page.goto(`${server.url}/console#/games/${slug}/rules`);
    const field = page.getByLabel('Rules (JSON array)');
    await field.waitFor();
    expect(await field.inputValue()).toContain('"trigger": "win"');
    opened[0]?.complaints.splice(0);
  });

  test.each([
    ['1440', { ...desktop, viewport: { width: 1440, height: 900 } }],
    ['390', phone],
  ])('has no accessibility issue %s pixels wide, light and dark', async (width, options) => {
    const { page, editor } = await open(options);
    await writeOver(editor, (await editor.innerText()).replace('"Notify"', '"Notifi"'));
    await page.locator('.cm-lint-marker-error').waitFor();
    const issues = await issuesInBothSchemes(page, async () => {
      const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
      const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
      expect(await page.evaluate(over)).toBe(0);
      await picture(page, `rules ${width} ${dark ? 'dark' : 'light'}`);
    });
    expect(issues).toEqual({ light: [], dark: [] });
  });
});
