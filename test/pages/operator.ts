import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { TestServer } from '../support/server.ts';
import { openPage, type WatchedPage } from './browser.ts';

/** Signs in to the console, and opens one of its views: `games/orbit/players`. */
export async function openConsole(
  browser: Browser,
  server: Pick<TestServer, 'url' | 'adminToken'>,
  view = '',
  options?: BrowserContextOptions,
): Promise<WatchedPage> {
  const watched = await openPage(browser, options);
  const { page } = watched;
  await page.goto(`${server.url}/console#/${view}`);
  await page.getByLabel('Admin token').fill(server.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
  return watched;
}

/**
 * Leads to another view as a link would, but by way of one that is empty: nothing of the previous view is left, without
 * the time that loading the page again takes.
 */
export async function showView(page: Page, view: string): Promise<void> {
  const goTo = (hash: string) =>
    page.evaluate((address) => {
      location.hash = address;
    }, hash);
  await goTo('#/nothing-here');
  await page.getByText('Page not found').waitFor();
  await goTo(`#/${view}`);
  await page.getByText('Page not found').waitFor({ state: view === 'nothing-here' ? 'visible' : 'hidden' });
}

/** Waits until everything in view has loaded. */
export async function hasLoaded(page: Page): Promise<void> {
  await page.locator('.spinner, .skeleton').first().waitFor({ state: 'hidden' });
}

/**
 * Replaces an editor's whole text. `fill` overwrites the selection, for which the browser sometimes keeps the style of
 * the replaced letters inline, which violates the page's policy.
 */
export async function writeOver(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

/** Presses Tab, or Shift+Tab, until the focused element has this name. */
export async function tabTo(
  page: Page,
  name: string | RegExp,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key);
    const focused = await focusedName(page);
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`Tab did not reach ${name}, only ${passed.join(', ')}`);
}

/** The accessible name of the focused element, as far as the pages use it. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const fields = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement];
    const label = fields
      .map((kind) => element instanceof kind && element.labels?.[0]?.textContent)
      .find(Boolean);
    return (element.getAttribute('aria-label') ?? (label || element.textContent) ?? '').trim();
  });
}
