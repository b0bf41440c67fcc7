import type { Page } from 'playwright-core';
import { accessibilityIssues, looksIssues } from './axe.ts';

/**
 * The issues that axe finds in the page, in each colour scheme; `look` is called in each too. The page stays in the
 * second.
 */
export async function issuesInBothSchemes(
  page: Page,
  look = async () => {},
): Promise<{ light: string[]; dark: string[] }> {
  await showIn(page, 'light');
  const light = await accessibilityIssues(page);
  await look();
  await showIn(page, 'dark');
  const dark = await looksIssues(page);
  await look();
  return { light, dark };
}

/** Switches the page's colour scheme and finishes its transitions. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(async () => {
    // Pages that follow the scheme by script are notified in the next frame.
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    // An element that inherits its colour begins its own transition only when its parent's has ended.
    const underWay = () =>
      document.getAnimations().filter((one) => one instanceof CSSTransition && one.playState !== 'finished');
    for (let all = underWay(); all.length > 0; all = underWay()) {
      for (const transition of all) transition.finish();
    }
  });
}
