import type { Page } from 'playwright-core';
import { openPage } from '../browser.ts';
import type { Camera } from './camera.ts';

/** The pages without sign-in: home, the manual, the reference, sign-in, not found. */
export async function takeSite({ browser, options, server, take }: Camera): Promise<void> {
  const { page } = await openPage(browser, options);
  const show = async (path: string, shows: string) => {
    await page.goto('about:blank');
    await page.goto(`${server.url}/${path}`);
    await page.locator(shows).first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  for (const [path, shows] of [
    ['', 'main'],
    ['demo-game', 'canvas'],
    ['play', '.sign-in-card button'],
    ['console', 'input'],
    ['nothing-here', 'main'],
    ['docs/reference', '.operation'],
  ] as const) {
    await show(path, shows);
    await take(page, `site-${path || 'home'}`);
  }
  await page.goto(`${server.url}/docs/reference#setUserScore`);
  await page.locator('#setUserScore .try-it').waitFor();
  await take(page, 'site-docs-operation');
  for (const path of await menuOf(page, server.url)) {
    await show(path, 'article h1');
    await take(page, `site-${path}`);
  }
  await show('docs', 'article h2');
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) {
    await menu.click();
    await take(page, 'site-docs-menu');
    await page.keyboard.press('Escape');
  }
  await page.getByRole('searchbox').fill('secret');
  await page.getByRole('search').getByRole('link').first().waitFor();
  await take(page, 'site-docs-search');
  await page.getByRole('searchbox').fill('zzyzx');
  await take(page, 'site-docs-search-empty');
}

/** The pages of the manual, without the reference. */
async function menuOf(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}/docs`);
  const links = page.locator('#manual-menu a'); // hidden on a narrow screen until it is opened
  const paths = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  return paths.filter((path) => path !== '/docs/reference').map((path) => path.slice(1));
}
