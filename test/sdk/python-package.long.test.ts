import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { releaseFiles } from '../release/release-files.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { pythonDriver } from './drivers.ts';

const run = promisify(execFile);
const { command: python } = await pythonDriver.prepare('');
const missing =
  pythonDriver.missing ??
  (spawnSync(python, ['-c', 'import setuptools, wheel, pip']).status === 0
    ? null
    : 'no pip here: apt-get install python3-pip python3-setuptools python3-wheel');

test('the Python package is installed and played', { timeout: 600_000 }, async ({ skip }) => {
  skip(missing !== null, missing ?? '');
  const release = await releaseFiles();
  await using folder = await temporaryDirectory();
  await using server = await startTestServer();
  const { gameSecret } = await server.createGame({ slug: 'sums' });
  const env = { PATH: process.env.PATH, HOME: folder.path, PYTHONDONTWRITEBYTECODE: '1', PIP_NO_INDEX: '1' };

  const archive = join(release.folder, `gantry-client-${release.version}.tar.gz`);
  const wheel = join(release.folder, `gantry_client-${release.version}-py3-none-any.whl`);
  const { stdout: inArchive } = await run('tar', ['tzf', archive]);
  for (const name of ['README.md', 'LICENSE', 'sample/sums.py', 'gantry/py.typed', 'gantry/aio.py']) {
    expect(inArchive.split('\n')).toContain(`gantry-client-${release.version}/${name}`);
  }
  await run('tar', ['xzf', archive, '-C', folder.path]);
  const { stdout: inWheel } = await run(python, ['-m', 'zipfile', '-l', wheel]);
  expect(inWheel).toContain('gantry/py.typed');
  expect(inWheel).toContain('dist-info/LICENSE');

  const installed = async (name: string, venv: readonly string[], pip: readonly string[]) => {
    const place = join(folder.path, name);
    await run(python, ['-m', 'venv', '--without-pip', ...venv, place], { env });
    const program = join(place, 'bin/python');
    await run(python, ['-m', 'pip', '--python', program, 'install', '-q', ...pip, wheel], { env });
    return program;
  };

  // Calls over HTTP need nothing but Python.
  const empty = await installed('empty', [], ['--no-deps']);
  const server_calls = `import gantry, importlib.metadata, sys
_, url, secret, wallet = sys.argv
assert gantry.__version__ == importlib.metadata.version("gantry-client")
client = gantry.GantryClient(url, game_secret=secret, connect=False)
print(client.for_player(wallet).set_user_score(score=7)["newScore"]["score"])`;
  const wallet = `0x${'a'.repeat(40)}`;
  const called = await run(empty, ['-I', '-c', server_calls, server.url, gameSecret, wallet], { env });
  expect(called.stdout.trim()).toBe('7');

  // With its dependencies, which pip finds among the system's packages.
  const program = await installed('complete', ['--system-site-packages'], []);
  const play = async () => {
    const child = spawn(
      program,
      ['-u', join(folder.path, `gantry-client-${release.version}/sample/sums.py`), server.url, 'sums', 'Ada'],
      { env },
    );
    let output = '';
    let answered = 0;
    child.stderr.on('data', (part) => (output += part));
    child.stdout.on('data', (part) => {
      output += part;
      const sums = [...output.matchAll(/(\d+) \+ (\d+) = /g)].slice(answered, 2);
      for (const [, one, other] of sums) {
        // The first answer is right, the second wrong.
        child.stdin.write(`${answered++ === 0 ? Number(one) + Number(other) : 0}\n`);
      }
    });
    const gone = once(child, 'close');
    await until('the score', () => /leaderboard: .*Ada 1$/m.test(output) && answered === 2)
      .catch(() => undefined)
      .finally(() => child.stdin.end());
    await gone;
    return output;
  };
  const first = await play();
  expect(first).toContain('Hello, Ada!');
  expect(first).toContain('1 points');
  expect(first).toMatch(/leaderboard: 1\. .* 7, 2\. Ada 1$/m);
  const second = await play();
  expect(second).toMatch(/leaderboard: 1\. .* 7, 2\. Ada 1$/m);
  expect(second).not.toContain('3. '); // it is the same guest
});
