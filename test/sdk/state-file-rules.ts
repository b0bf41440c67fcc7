import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { type Driver, refusalOf } from './driver.ts';
import { ScriptedAccounts } from './scripted-accounts.ts';
import { ScriptedServer } from './scripted-server.ts';

/** What an SDK makes of the file in which it keeps the player. */
export function describeStateFileRules(start: () => Promise<Driver>): void {
  test('the player is kept in a file; one that is damaged is named, and neither replaced nor overwritten', async () => {
    await using server = await ScriptedServer.start();
    await using driver = await start();
    await using folder = await temporaryDirectory();
    server.stream('player');
    new ScriptedAccounts(server);
    const stateFile = join(folder.path, 'player.json');
    const options = { url: server.url, game: 'my-game', stateFile };
    const first = await driver.connect(options);
    const { wallet } = (await first.player()) ?? {};
    await until('the file', async () => (await readFile(stateFile, 'utf8')).includes('secret 1'));
    await first.close();
    const second = await driver.connect(options);
    expect(await second.player()).toMatchObject({ wallet });
    await second.close();
    const damaged = (await readFile(stateFile, 'utf8')).slice(0, 40);
    await writeFile(stateFile, damaged);
    server.calls.length = 0;
    expect((await refusalOf(driver.connect(options))).message).toContain(stateFile);
    expect(server.calls).toEqual([]);
    expect(await readFile(stateFile, 'utf8')).toBe(damaged);
  });
}
