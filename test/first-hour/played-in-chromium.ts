import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { launchBrowser, openPage } from '../pages/browser.ts';
import { outputOf } from '../sdk/godot-project.ts';
import { freePort } from '../support/free-port.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { gantryJson } from '../support/warm-gantry.ts';

/** What a browser template is played with. */
interface Play {
  /** An empty directory, for the server's data too. */
  folder: string;
  /** The command that serves the page at a port, run in the directory of the game; what it prints then. */
  serve(port: number): { command: string; args: string[]; env?: Record<string, string>; prints: RegExp };
  screenshot?: string;
}

/**
 * Writes a browser template, plays a round that ends while the server is away, renames the player, and reloads the page,
 * also while the server is away.
 * @returns what the page showed in the end, and what it complained about
 */
export async function playedInChromium(template: string, { folder, serve, screenshot }: Play) {
  const [port, pagePort] = [await freePort(), await freePort()];
  const data = join(folder, 'data');
  const directory = join(folder, template);
  const start = () => startTestServer({ PORT: String(port), DATA_DIR: data });
  const written = await gantryJson(['new', template, directory, '--url', `http://127.0.0.1:${port}`], data);
  const { gameId } = z.object({ gameId: z.string() }).parse(written);
  const page0 = `http://127.0.0.1:${pagePort}`;
  await gantryJson(['game', 'update', '--game', gameId, '--origin', page0], data);
  const { command, args, env, prints } = serve(pagePort);
  const files = spawn(command, args, { cwd: directory, env: { ...process.env, ...env } });
  const printed = outputOf(files);
  const gone = once(files, 'close');
  let server = await start();
  const browser = await launchBrowser();
  try {
    await until('the page is served', () => {
      if (files.exitCode !== null) throw new Error(`${command} ended: ${printed()}`);
      return prints.test(printed());
    });
    const { page, complaints } = await openPage(browser);
    const shows = (place: string, text: string | RegExp) => page.locator(place, { hasText: text }).waitFor();
    await page.goto(page0);
    await shows('#progress', 'Rounds played: 0');
    await page.getByLabel('Your name').fill('Vera');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Play' }).click();
    // The first star falls into the basket, which then moves to the left, where few fall.
    await shows('#score', /^[1-9]/);
    await page.keyboard.down('ArrowLeft');
    await server.close();
    await page.getByRole('button', { name: 'Play again' }).waitFor();
    await shows('#news', 'Offline');
    await shows('#progress', 'Rounds played: 1');
    server = await start();
    await shows('#board', /Vera: [1-9]/);
    if (screenshot !== undefined) await page.screenshot({ path: screenshot });
    await page.reload();
    await shows('#progress', 'Rounds played: 1');
    await shows('#board', /Vera: [1-9]/);
    const name = await page.getByLabel('Your name').inputValue();
    await page.getByLabel('Your name').fill('שרה');
    await page.getByRole('button', { name: 'Save' }).click();
    await shows('#board', 'שרה');
    const isScoreLast = await page.locator('#board li').evaluate((row) => {
      const range = document.createRange();
      range.selectNodeContents(row);
      const { right } = range.getBoundingClientRect();
      if (row.lastChild) range.setStart(row.lastChild, (row.lastChild.textContent ?? '').length - 1);
      return range.getBoundingClientRect().right === right;
    });
    await server.close();
    await page.reload();
    await shows('#news', 'Connecting');
    await shows('#news', 'The server cannot be reached. Trying again: keep this page open');
    server = await start();
    await shows('#progress', 'Rounds played: 1');
    await page.locator('#news', { hasText: /^$/ }).waitFor({ state: 'attached' }); // empty, it is not visible
    return { name, isScoreLast, complaints, directory, gameId };
  } finally {
    await browser.close();
    files.kill();
    await gone;
    await server.close();
  }
}
