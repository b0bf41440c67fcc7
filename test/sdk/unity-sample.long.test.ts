import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documents } from '../docs/documents.ts';
import { releaseFiles } from '../release/release-files.ts';
import { freePort } from '../support/free-port.ts';
import { gantry } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { compileFolder, monoMissing } from './csharp-driver.ts';

// Unity's editor does not run here: its part is played by drivers/csharp/UnityStubs.cs, on Mono.

test('the Unity project of gantry new compiles and plays, with the sample of its package', {
  timeout: 600_000,
}, async ({ skip }) => {
  skip(monoMissing !== null, monoMissing ?? '');
  const release = await releaseFiles();
  await using project = await temporaryDirectory();
  await using data = await temporaryDirectory();
  const env = { PORT: String(await freePort()), DATA_DIR: data.path };
  await using server = await startTestServer(env);
  const { gameId } = await server.createGame();
  const installed = join(project.path, 'Packages/com.gantry.client');
  const created = await gantry(['new', 'unity', project.path, '--url', server.url, '--game', gameId], {
    env: { DATA_DIR: server.config.dataDirectory },
  });
  expect(created).toMatchObject({ code: 0, stderr: '' });
  // The released package in place of the copy.
  await rm(installed, { recursive: true });
  await mkdir(installed, { recursive: true });
  await promisify(execFile)('tar', [
    '-xzf',
    join(release.folder, `com.gantry.client-${release.version}.tgz`),
    '--strip-components=1',
    '-C',
    installed,
  ]);
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
  const page = documents.get('public/docs/first-unity-game.md') ?? '';
  const [, firstGame = ''] = /`FirstGame\.cs`.*?^```csharp\n(.*?)^```$/ms.exec(page) ?? [];
  await writeFile(join(project.path, 'Assets/FirstGame.cs'), firstGame);
  const player = join(project.path, 'player.exe');
  await compileFolder(project.path, player, 'UnityStubs.cs', '-define:UNITY_5_3_OR_NEWER');

  const play = (script: string, settings = [`Url=${server.url}`, `Game=${gameId}`]) =>
    playing(player, [script, ...settings], project.path);
  const boards: string[] = [];
  for (const _ of ['first start', 'second start']) {
    const game = play('LeaderboardSample');
    await game.shows(/Playing as/);
    game.press('Score 100');
    boards.push((await game.shows(/\b1\. [^|]*: 100\b/)) ?? '');
    expect(await game.end()).toBe('');
  }
  // The same guest again: its row, and no second one.
  expect(boards[0]).toMatch(/^1\. .*: 100$/);
  expect(boards[1]).toBe(boards[0]);

  const game = play('FirstGame');
  const own = (await game.shows(/(?<=You are )[^|]+\b/)) ?? '';
  expect(boards[0]).toContain(own);
  for (const points of [100, 200, 300]) {
    game.press('Score 100');
    await game.shows(new RegExp(`1\\. ${own}: ${points}\\b`));
  }
  await game.shows(/Three hundred!/);
  expect(await game.end()).toBe('');

  const stars = play('FallingStars', []);
  await stars.shows(new RegExp(`\\| ${own} \\| 1\\. ${own}: 300 \\| Your best: 0. Rounds played: 0`));
  stars.press('=Vera');
  stars.press('Save your name');
  stars.press('Play');
  // The first star falls into the basket.
  await stars.shows(/Caught: [1-9]\d*, misses left: 0.* Your best: [1-9]\d*\. Rounds played: 1/);
  await stars.shows(/\| 1\. Vera: [1-9]/);
  expect(await stars.end()).toBe('');
  const again = play('FallingStars', []);
  await again.shows(/\| Vera \|/);
  await again.shows(/Your best: [1-9]\d*\. Rounds played: 1/);
  expect(await again.end()).toBe('');

  await server.close();
  const offline = play('FallingStars', []);
  await offline.shows(/\| The server cannot be reached\. Trying again/);
  await using _back = await startTestServer(env);
  await offline.shows(/Rounds played: 1 \|?\s*$/);
  expect(await offline.end()).toBe('');
});

/** Runs a script in the stand-in for Unity. */
function playing(player: string, settings: readonly string[], cwd: string) {
  const child = spawn('mono', [player, ...settings], { cwd });
  let screen = '';
  let complaints = '';
  child.stdout.on('data', (text) => {
    screen = String(text).trim().split('\n').at(-1) ?? '';
  });
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const gone = once(child, 'close');
  return {
    /** Resolves with what matches on the screen, and with nothing if it complains first. */
    async shows(what: RegExp): Promise<string | undefined> {
      await until(`${what}`, () => what.test(screen) || complaints !== '');
      expect(complaints).toBe('');
      return what.exec(screen)?.[0];
    },
    press: (button: string) => void child.stdin.write(`${button}\n`),
    /** Closes the game. @returns what it complained about */
    async end(): Promise<string> {
      child.stdin.end();
      await gone;
      return complaints;
    },
  };
}
