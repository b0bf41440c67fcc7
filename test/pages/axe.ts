import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that ask for the colours of a page, and so the only ones that another colour scheme can break. */
const aboutColors = ['color-contrast', 'link-in-text-block'];

/** What axe finds serious or critical in the page as it stands: the rule, and the elements that break it. */
export async function seriousIssues(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which no Content-Security-Policy of the page holds back.
  await page.evaluate(source);
  return issues(page, { resultTypes: ['violations'] });
}

/** Likewise after the page has changed nothing but its colours since `seriousIssues` has looked at it. */
export function seriousColorIssues(page: Page): Promise<string[]> {
  return issues(page, { resultTypes: ['violations'], runOnly: aboutColors });
}

async function issues(page: Page, options: RunOptions): Promise<string[]> {
  // Frames are other pages, looked at by themselves: axe is not in them, and asking them is an error where they are sandboxed.
  const run = `axe.run(${JSON.stringify({ iframes: false, ...options })}).then(({ violations }) => violations)`;
  const violations = await page.evaluate<Result[]>(run);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
