import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that another colour scheme, or another width of a page with the same content, can break. */
const aboutLooks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

const prepared = new WeakSet<Page>();

/** The issues of any severity that axe finds in the current page: the rule, and the offending elements. */
export async function accessibilityIssues(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not restrict. From the next navigation on it
  // is there from the start, which is quicker.
  if (!prepared.has(page)) await page.addInitScript(source);
  prepared.add(page);
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  const onTop = await colorIssuesOnTop(page);
  if (onTop === null) return issues(page, {});
  return [...(await issues(page, { rules: { 'color-contrast': { enabled: false } } })), ...onTop];
}

/** The same, after only colours and widths have changed since `accessibilityIssues`. */
export async function looksIssues(page: Page): Promise<string[]> {
  return (await colorIssuesOnTop(page)) ?? issues(page, { runOnly: aboutLooks });
}

/**
 * Those of open dialogs and menus, null when there is none. axe takes them for covered by the page below, and then does
 * not determine their colours; so the page, which is checked without them, is hidden meanwhile.
 */
async function colorIssuesOnTop(page: Page): Promise<string[] | null> {
  const isOnTop = await page.evaluate((onTop) => {
    if (document.querySelector(onTop) === null) return false;
    const sheet = new CSSStyleSheet(); // the policy allows no <style>
    sheet.replaceSync(`body { visibility: hidden } ${onTop} { visibility: visible }`);
    document.adoptedStyleSheets.push(sheet);
    return true;
  }, 'dialog[open], [popover]:popover-open');
  if (!isOnTop) return null;
  const found = await issues(page, { runOnly: aboutLooks });
  await page.evaluate(() => {
    document.adoptedStyleSheets.pop();
  });
  return found;
}

async function issues(page: Page, options: RunOptions): Promise<string[]> {
  // Frames are separate pages, checked separately: axe is not in them, and querying them fails where they are
  // sandboxed.
  const all = { iframes: false, resultTypes: ['violations'], ...options };
  const run = `axe.run(${JSON.stringify(all)}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Result[]>(run);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}
