import { expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer } from '../support/world.ts';
import { launchBrowser, noBrowser } from './browser.ts';
import { openConsole } from './operator.ts';

const adminToken = 'the-admin-token-of-this-test';

test.skipIf(noBrowser !== null)(
  'the console says that the server is down, resumes automatically, and the tail has missed nothing',
  async () => {
    await using directory = await temporaryDirectory();
    const settings = { PORT: String(await freePort()), ADMIN_TOKEN: adminToken };
    const first = await serveGantry(directory.path, settings);
    const { url } = first;
    await using browser = await launchBrowser();
    const { page, complaints } = await openConsole(browser, { url, adminToken }, 'events');
    await page.getByRole('table').waitFor();

    await first.end('SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'Reconnecting automatically' }).waitFor();
    await page.getByText('Disconnected').waitFor();
    {
      // On another port, where the page does not receive it.
      await using elsewhere = await serveGantry(directory.path, { ADMIN_TOKEN: adminToken });
      const admin = (path: string, body: object) =>
        post(`${elsewhere.url}/admin/${path}`, body, bearer(adminToken));
      const { games } = z
        .object({ games: z.array(z.looseObject({ gameId: z.string(), slug: z.string() })) })
        .parse((await admin('list-games', {})).body);
      const gameId = games.find(({ slug }) => slug === 'demo-game')?.gameId;
      const wallet = `0x${'ab'.repeat(20)}`;
      const { launcherJwt } = z
        .looseObject({ launcherJwt: z.string() })
        .parse((await admin('open-session', { gameId, wallet })).body);
      for (const score of [4321, 4322]) {
        await post(`${elsewhere.url}/launcher/set-user-score`, { launcherJwt, score });
      }
      await elsewhere.end('SIGKILL');
    }
    await using _again = await serveGantry(directory.path, settings);
    await page.getByRole('row', { name: /scores created.*score: 4322/ }).waitFor();
    expect(await page.getByRole('row', { name: /scores created.*score: 4321/ }).count()).toBe(1);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
);

test.skipIf(noBrowser !== null)(
  'a console of an earlier version of the server asks to be reloaded',
  async () => {
    await using server = await startTestServer();
    await using browser = await launchBrowser();
    const { page } = await openConsole(browser, server);
    // What an update makes of the page and its files.
    await page.route(/bundles\/console\/(view|search-dialog)-/, (route) => route.fulfill({ status: 404 }));
    await page.route(`${server.url}/console`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/main\.js\?v=\w+/, 'main.js?v=next');
      await route.fulfill({ response, body });
    });
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.locator('.toast', { hasText: 'Reload the page' }).waitFor();
    await page.getByRole('link', { name: 'Live-ops' }).click();
    const reload = page.getByRole('button', { name: 'Reload', exact: true });
    await reload.waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await reload.click();
    await page.getByRole('button', { name: 'New news item' }).waitFor();
  },
);
