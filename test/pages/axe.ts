import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that depend on a page's colours, and thus the only ones that another colour scheme can break. */
const aboutColors = ['color-contrast', 'link-in-text-block'];

/** The issues of any severity that axe finds in the current page: the rule, and the offending elements. */
export async function accessibilityIssues(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's Content-Security-Policy does not restrict.
  await page.evaluate(source);
  return issues(page, { resultTypes: ['violations'] });
}

/** The same, after only the page's colours have changed since `accessibilityIssues`. */
export function colorIssues(page: Page): Promise<string[]> {
  return issues(page, { resultTypes: ['violations'], runOnly: aboutColors });
}

async function issues(page: Page, options: RunOptions): Promise<string[]> {
  // Frames are separate pages, checked separately: axe is not in them, and querying them fails where they are
  // sandboxed.
  const run = `axe.run(${JSON.stringify({ iframes: false, ...options })}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Result[]>(run);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}
