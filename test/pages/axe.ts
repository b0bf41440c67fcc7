import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What axe finds serious or critical in the page as it stands: the rule, and the elements that break it. */
export async function seriousIssues(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which no Content-Security-Policy of the page holds back.
  await page.evaluate(source);
  const violations = await page.evaluate<Result[]>('axe.run().then(({ violations }) => violations)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
