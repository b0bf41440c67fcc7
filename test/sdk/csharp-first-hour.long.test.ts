import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { gantry, repository } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { monoMissing } from './csharp-driver.ts';

/** 4 s, which may not be prolonged: for the program, a day is over. */
const shortSessions = { SESSION_DAYS: String(4 / 86_400), SESSION_RENEWAL_DAYS: '0' };

test("the manual's program for Mono plays as one guest: the next day, offline and back, restarted", async ({
  skip,
}) => {
  skip(monoMissing !== null, monoMissing ?? '');
  await using folder = await temporaryDirectory();
  const settings = {
    ...shortSessions,
    PORT: String(await freePort()),
    DATA_DIR: join(folder.path, 'data'),
  };
  let server = await startTestServer(settings);
  await server.createGame({ name: 'My Game', slug: 'my-game' });
  const page = await readFile(join(repository, 'public/docs/first-unity-game.md'), 'utf8');
  const [, text = ''] = /^```csharp quick-start\.cs\n(.*?)^```$/ms.exec(page) ?? [];
  await writeFile(
    join(folder.path, 'quick-start.cs'),
    text.replaceAll('http://127.0.0.1:3000', `http://127.0.0.1:${settings.PORT}`),
  );
  expect((await gantry(['sdk', 'csharp', '--out', join(folder.path, 'DIR')])).code).toBe(0);
  const command = ['-r:System.Net.Http.dll', '-out:quick-start.exe', '-recurse:DIR/*.cs', 'quick-start.cs'];
  await promisify(execFile)('mcs', command, { cwd: folder.path });

  const first = play(folder.path);
  await until('its score', () => /^score: 1200$/m.test(first.output()));
  const tokenNow = async () =>
    JSON.parse(await readFile(join(folder.path, 'gantry.json'), 'utf8')).session.launcherJwt;
  const token = await tokenNow();
  await until('another session', async () => (await tokenNow()) !== token);
  await scoreOfAnother(server, 1300);
  await until('the row of the next day', () => first.output().includes('leaderboard: [1300, 1200]'));

  await server.close();
  server = await startTestServer(settings);
  await scoreOfAnother(server, 1400);
  await until('the row after the pause', () => first.output().includes('leaderboard: [1400, 1300, 1200]'));
  await first.end();

  const second = play(folder.path);
  await until('its score again', () => /^score: 1200$/m.test(second.output()));
  const name = (output: string) => /^player: (.+)$/m.exec(output)?.[1];
  expect(name(first.output())).toMatch(/^\w+ \w+$/);
  expect(name(second.output())).toBe(name(first.output()));
  await second.end();
  expect([first.complaints(), second.complaints()]).toEqual(['', '']);
  await server.close();
});

function play(folder: string) {
  const child = spawn('mono', ['quick-start.exe', 'my-game'], { cwd: folder });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (text) => {
      written[name] += text;
    });
  }
  const gone = once(child, 'close');
  return {
    output: () => written.stdout,
    complaints: () => written.stderr,
    async end() {
      child.stdin.end('\n');
      await gone;
    },
  };
}

async function scoreOfAnother({ url }: TestServer, score: number): Promise<void> {
  const call = async (operation: string, data: object) => {
    const headers = { 'Content-Type': 'application/json', 'X-Service-Method': operation };
    const response = await fetch(`${url}/launcher`, { method: 'POST', headers, body: JSON.stringify(data) });
    expect(response.ok).toBe(true);
    return response.json();
  };
  const { launcherJwt } = await call('createGuest', { gameId: 'my-game' });
  await call('setUserScore', { launcherJwt, score });
}
