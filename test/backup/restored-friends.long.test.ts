import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { LauncherDevice } from '../live/launcher-device.ts';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantryJson } from '../support/warm-gantry.ts';

test('launchers reload friends after a backup was restored, and follow those of the backup', async () => {
  await using directory = await temporaryDirectory();
  const [data, file] = [join(directory.path, 'data'), join(directory.path, 'one.gantry')];
  const env = { GANTRY_DEMO: 'off', PORT: String(await freePort()) };
  const create = ['game', 'create', '--name', 'Launcher', '--kind', 'launcher'];
  const { gameId } = z.object({ gameId: z.string() }).parse(await gantryJson(create, data));
  const newPlayer = async () => {
    const wallet = randomWallet();
    const token = await gantryJson(['token', '--game', gameId, '--wallet', wallet], data);
    return { wallet, ...z.object({ launcherJwt: z.string() }).parse(token), choice: null, isUnsent: false };
  };
  const [ada, bob] = [await newPlayer(), await newPlayer()];

  const server = await serveGantry(data, env);
  const call = async ({ launcherJwt }: typeof ada, path: string, { wallet }: typeof ada) => {
    const { status } = await post(`${server.url}/launcher/${path}`, { launcherJwt, wallet });
    expect(status).toBe(200);
  };
  const [watching, followed] = [ada, bob].map((player) => new LauncherDevice(server.url, player, () => {}));
  try {
    watching?.open();
    followed?.open();
    await call(ada, 'add-friend', bob);
    await call(bob, 'accept-friend-request', ada);
    await until('bob shown', () => watching?.view?.has(bob.wallet));
    await gantryJson(['backup', file], data);
    await call(ada, 'remove-friend', bob);
    await until('bob hidden', () => watching?.view?.has(bob.wallet) === false);
    await server.end('SIGTERM');
    if (watching) watching.resyncs.length = 0;
    await gantryJson(['restore', file, '--force'], data);
    await using _ = await serveGantry(data, env);
    await until('bob shown again', () => watching?.view?.has(bob.wallet));
    expect(watching?.resyncs).toContain(`account:${ada.wallet}`);
  } finally {
    watching?.close();
    followed?.close();
    await server[Symbol.asyncDispose]();
  }
});
