/**
 * Takes a screenshot of every page, view and dialog at 1440, 1024 and 390 pixels, light and dark, for review:
 *
 *     node_modules/.bin/node test/pages/screenshots.ts [directory] [--width 390] [--only launcher] [--check]
 *
 * `--only` selects one group: `site`, `launcher`, `console` or `dialogs`. With `--check` it takes none, and prints what
 * axe and measuring the layout find in each. With `--readme` in place of a directory it takes the two of the README
 * instead.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';
import { desktop, launchOwnBrowser, openPage, phone } from './browser.ts';
import { openConsole } from './operator.ts';
import { type Camera, cameraInto, inspector } from './pictures/camera.ts';
import { takeConsole } from './pictures/console.ts';
import { takeDialogs } from './pictures/dialogs.ts';
import { playForAWhile, takeLauncher } from './pictures/launcher.ts';
import { emptyQueue, fillServer, keepBusy, type SampleWorld } from './pictures/sample-world.ts';
import { takeSite } from './pictures/site.ts';
import { signedInAs } from './players.ts';

const ofReadme = fileURLToPath(new URL('../../public/docs/pictures/', import.meta.url));
/** So that the charts have something to show; those of the README are full. */
const busySeconds = { review: 60, readme: 300 };
/** How many players join for the README's pictures. */
const crowd = 140;

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  '1440': { ...desktop, viewport: { width: 1440, height: 900 } },
  '1024': { ...desktop, viewport: { width: 1024, height: 768 } },
  '390': phone,
};
const groups: Readonly<Record<string, (camera: Camera) => Promise<void>>> = {
  site: takeSite,
  launcher: takeLauncher,
  console: takeConsole,
  dialogs: takeDialogs,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    readme: { type: 'boolean' },
    check: { type: 'boolean' },
    width: { type: 'string' },
    only: { type: 'string' },
  },
});
const directory = values.readme ? ofReadme : (positionals[0] ?? join(tmpdir(), 'gantry-screenshots'));
await mkdir(directory, { recursive: true });

const server = await startTestServer();
const browser = await launchOwnBrowser();
try {
  const world = await fillServer(server);
  if (values.readme) await takeForReadme(world);
  else {
    const busy = keepBusy(server, world.players, busySeconds.review);
    busy.catch(() => {}); // the server may be closed before its time is over
    for (const [width, options] of Object.entries(screens)) {
      if (values.width && values.width !== width) continue;
      const scene = { width, options, server, browser, world, busy };
      const camera = values.check ? inspector(scene, print) : cameraInto(directory, scene);
      for (const [group, takeGroup] of Object.entries(groups)) {
        if (values.only && values.only !== group) continue;
        await takeGroup(camera);
        await Promise.all(browser.contexts().map((context) => context.close()));
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
}
if (!values.check) process.stdout.write(`The pictures are in ${directory}\n`);
process.exit(0); // connected launchers would keep the process alive

function print(view: string, issues: readonly string[]): void {
  process.stdout.write(`${view}\n  ${issues.join('\n  ')}\n`);
}

async function takeForReadme({ gameId, players }: SampleWorld): Promise<void> {
  await emptyQueue(server, gameId);
  const { page: play } = await openPage(browser, { ...desktop, colorScheme: 'dark' });
  await play.goto(`${server.url}/play`);
  await play.getByRole('button', { name: 'Play as a guest' }).click();
  await play.locator('.game-card').first().waitFor();
  const { address: wallet } = await signedInAs(play);
  await server.services.db.write(setProfile, wallet, { username: 'Mary' });
  await server.services.db.write(setScore, { gameId, wallet }, 1_930);
  const progress = { gameId, wallet, label: 'progress', state: '{"best":1930,"round":null}' };
  await post(`${server.url}/admin/set-player-state`, progress, bearer(server.adminToken));
  await play.reload();
  await play.getByRole('button', { name: 'Play Demo Game' }).click();
  await playForAWhile(play);
  await play.screenshot({ path: join(directory, 'launcher.png') });
  await Promise.all(browser.contexts().map((context) => context.close()));
  const others = await Promise.all(Array.from({ length: crowd }, () => server.openSession(gameId)));
  const busy = keepBusy(server, [...players, ...others], busySeconds.readme + 60);
  busy.catch(() => {}); // the server is closed before its time is over
  // Opened before: loading it takes what the calls would have had, which the last sample would show.
  const { page } = await openConsole(browser, server, '', { ...desktop, colorScheme: 'dark' });
  await page.locator('.chart canvas').first().waitFor();
  await pause(busySeconds.readme * 1_000);
  await page.screenshot({ path: join(directory, 'console.png') });
}
