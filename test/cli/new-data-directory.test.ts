import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { repository, gantry as runGantry, serveGantry } from '../support/gantry-process.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

const hasScript = existsSync('/usr/bin/script');

/** Runs `gantry game create` in a separate terminal, and types an answer. */
async function inTerminal(
  dataDirectory: string,
  answer: string,
): Promise<{ code: number | null; shown: string }> {
  const command = `${join(repository, 'node_modules/.bin/node')} ${join(repository, 'src/gantry.js')} game create --name Orbit`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDirectory, TERM: 'dumb' },
  });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => {
    const before = shown;
    shown += bytes.toString();
    if (shown.includes('[y/N]') && !before.includes('[y/N]')) child.stdin.write(`${answer}\n`);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

describe('a command on a data directory that does not exist', () => {
  test('creates one and says so, when it cannot ask', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'data');
    const run = () => gantry(['game', 'create', '--name', 'Orbit'], { env: { DATA_DIR: path } });
    const first = await run();
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`There is no data in ${path} yet`),
    });
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
  });

  test.skipIf(!hasScript).each(['', 'n', 'no', 'what?'])(
    'asks in a terminal, and creates nothing when the answer is "%s"',
    async (answer) => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, 'data');
      const { code, shown } = await inTerminal(path, answer);
      expect(shown).toContain(
        `There is no data in ${path} yet (DATA_DIR). Create a new data directory there? [y/N]`,
      );
      expect(shown).toContain('Nothing was created');
      expect(code).toBe(1);
      expect(existsSync(path)).toBe(false);
    },
  );

  test.skipIf(!hasScript)('asks in a terminal, and continues when the answer is yes', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'data');
    expect(await inTerminal(path, 'yes')).toMatchObject({ code: 0 });
    expect(existsSync(dataFiles(path).database)).toBe(true);
    const again = await inTerminal(path, 'yes');
    expect(again).toMatchObject({ code: 0, shown: expect.not.stringContaining('[y/N]') });
  });
});

test.each([
  ['game list'],
  ['token --game demo-game --guest'],
  ['player list'],
  ['key rotate'],
  ['admin list-games'],
  ['export demo-game demo.ndjson'],
  ['backup --schedule 24'],
])('gantry %s in a directory without data refuses, and creates nothing', async (line) => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'data');
  const { code, stderr } = await gantry(line.split(' '), { env: { DATA_DIR: path } });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `There is no database in ${path}. Is DATA_DIR where the server keeps its data? Its first start creates it.`,
    ),
  ]);
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['serve', '/proc/gantry', /^\/proc\/gantry cannot be the data directory .*Set DATA_DIR to/],
  ['serve', '/dev/null', /^\/dev\/null cannot be the data directory .*Set DATA_DIR to/],
  ['restore BACKUP', '/proc/gantry', /^\/proc\/gantry cannot be the data directory .*Set DATA_DIR to/],
  ['sdk python --out /proc/sdk', '/proc/gantry', /^System error: .*'\/proc\/sdk'/],
])('gantry %s with DATA_DIR=%s is refused at once', async (line, path, says) => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'data');
  await gantryJson(['game', 'create', '--name', 'Orbit'], data);
  const backup = join(directory.path, 'one.gantry');
  await gantryJson(['backup', backup], data);
  // In a process of its own, since a call that does not return blocks the process.
  const { code, stderr } = await runGantry(line.replace('BACKUP', backup).split(' '), {
    env: { DATA_DIR: path, PORT: '0' },
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
});

test('gantry token uses the address of the server that runs on the directory for avatar URLs', async () => {
  await using directory = await temporaryDirectory();
  const avatarOf = async () => {
    const { launcherJwt } = Object(
      await gantryJson(['token', '--game', gameId, '--wallet', randomWallet()], directory.path),
    );
    return JSON.parse(Buffer.from(launcherJwt.split('.')[1], 'base64url').toString()).avatar;
  };
  await using server = await serveGantry(directory.path, { GANTRY_DEMO: 'off' });
  const { gameId } = Object(await gantryJson(['game', 'create', '--name', 'Space Race'], directory.path));
  expect(await avatarOf()).toMatch(new RegExp(`^${server.url}/avatars/`));
  await server.end('SIGTERM');
  expect(await avatarOf()).toMatch(/^http:\/\/127\.0\.0\.1:3000\/avatars\//);
  expect(existsSync(join(directory.path, 'server-address.json'))).toBe(false);
});
