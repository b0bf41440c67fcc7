import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { compileFolder, monoMissing } from './csharp-driver.ts';

// Unity's editor does not run here: its part is played by drivers/csharp/UnityStubs.cs, on Mono.

test('in an empty Unity project, the installed package and its imported sample compile and play', {
  timeout: 60_000,
}, async ({ skip }) => {
  skip(monoMissing !== null, monoMissing ?? '');
  await using server = await startTestServer();
  await using project = await temporaryDirectory();
  const { gameId } = await server.createGame();
  const installed = join(project.path, 'Packages/com.gantry.client');
  await mkdir(join(project.path, 'Assets'));
  expect((await gantry(['sdk', 'csharp', '--out', installed])).code).toBe(0);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  for (const { displayName, path } of manifest.samples) {
    // As the Package Manager imports a sample.
    const imported = join(
      project.path,
      'Assets/Samples',
      manifest.displayName,
      manifest.version,
      displayName,
    );
    await cp(join(installed, path), imported, { recursive: true });
  }
  await rm(join(installed, 'Samples~'), { recursive: true }); // invisible to Unity
  const player = join(project.path, 'player.exe');
  await compileFolder(project.path, player, 'UnityStubs.cs', '-define:UNITY_5_3_OR_NEWER');

  const boards: string[] = [];
  for (const _ of ['first start', 'second start']) {
    const settings = ['LeaderboardSample', `Url=${server.url}`, `Game=${gameId}`];
    const child = spawn('mono', [player, ...settings], { cwd: project.path });
    let screen = '';
    let complaints = '';
    child.stdout.on('data', (text) => {
      screen = String(text).trim().split('\n').at(-1) ?? '';
    });
    child.stderr.on('data', (text) => {
      complaints += text;
    });
    const gone = once(child, 'close');
    await until('a connection', () => screen.includes('Playing as') || complaints !== '', 30_000);
    child.stdin.write('Score 100\n');
    await until('a row', () => /\b1\. .*: 100\b/.test(screen) || complaints !== '', 30_000);
    boards.push(...(/1\. [^|]*: 100/.exec(screen) ?? [`${screen}\n${complaints}`]));
    child.stdin.end();
    await gone;
    expect(complaints).toBe('');
  }
  // The same guest again: its row, and no second one.
  expect(boards[0]).toMatch(/^1\. .*: 100$/);
  expect(boards[1]).toBe(boards[0]);
});
