import type { Browser, BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { openPage, type WatchedPage } from './browser.ts';

/** A player in the launcher, in a separate browser context. */
export interface PlayerAtLauncher extends WatchedPage {
  wallet: string;
  /** The launcher's own session. */
  sessionId: string;
  /** The game in its frame. */
  game: FrameLocator;
  connection: Locator;
}

const claims = z.object({ address: z.string(), jti: z.string(), gameId: z.string() });

/** Signs in as a guest and opens the demo game. */
export async function playDemoGame(
  browser: Browser,
  url: string,
  options?: BrowserContextOptions,
): Promise<PlayerAtLauncher> {
  return playDemoGameOn(await openPage(browser, options), url);
}

/** The same in a page that is prepared. */
export async function playDemoGameOn(
  { page, complaints }: WatchedPage,
  url: string,
): Promise<PlayerAtLauncher> {
  await page.goto(`${url}/play#demo-game`);
  await page.getByRole('button', { name: 'Play as a guest' }).click();
  const game = page.frameLocator('iframe');
  await game.getByRole('button', { name: 'Start' }).waitFor();
  const { address, jti } = await signedInAs(page);
  return {
    page,
    complaints,
    wallet: address,
    sessionId: jti,
    game,
    connection: page.locator('.badge.connection'),
  };
}

/** The player of the page's token. */
export async function signedInAs(page: Page) {
  const kept = await page.evaluate(() => sessionStorage.getItem('gantry-play-player'));
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(JSON.parse(kept ?? 'null'));
  const payload = Buffer.from(launcherJwt.split('.')[1] ?? '', 'base64url').toString();
  return claims.parse(JSON.parse(payload));
}

/**
 * Shows a panel of the open game. Until the game is open, as after a reload, the launcher shows its home, whose tabs have
 * the same names.
 */
export function showPanel(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('tablist', { name: 'Game panels' }).getByRole('tab', { name }).click();
}

/** Opens one player's conversation with another, from the messages tab. */
export async function startConversation({ page }: { page: Page }, wallet: string): Promise<void> {
  await page.getByRole('tab', { name: /Messages/ }).click();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page.getByLabel('Participants').fill(wallet);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('log').waitFor();
}

export async function say({ page }: { page: Page }, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Write a message' }).fill(text);
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter');
}

/** Clicks an action of a message, which appears on the message under the pointer or, on touch screens, the tapped one. */
export async function messageAction(page: Page, name: string | RegExp): Promise<void> {
  const action = page.getByRole('button', { name, includeHidden: true });
  await page.locator('.message', { has: action }).locator('.bubble').click();
  await action.click();
}

/** The messages shown in the open conversation, oldest first. */
export function bubbles({ page }: { page: Page }): Promise<string[]> {
  return page.locator('.log .bubble').allTextContents();
}

/** Plays a round in the frame to its end, whatever the result; the first container always hits the hold. */
export async function playRound({ game, page }: PlayerAtLauncher): Promise<number> {
  await game.getByRole('button', { name: /Start|Play again/ }).click();
  const again = game.getByRole('button', { name: 'Play again' });
  while (!(await again.isVisible())) await page.keyboard.press('Space');
  return Number(await game.locator('#score').textContent());
}
