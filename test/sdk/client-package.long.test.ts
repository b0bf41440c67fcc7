import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { releaseFiles } from '../release/release-files.ts';
import { repository } from '../support/gantry-process.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);

const version = async (program: string): Promise<string> =>
  existsSync(program) ? (await run(program, ['--version'])).stdout.trim() : '';

test('gantry-client, as it is released, works in a separate project', { timeout: 600_000 }, async () => {
  const release = await releaseFiles();
  await using folder = await temporaryDirectory();
  const installed = join(folder.path, 'node_modules/gantry-client');
  await mkdir(join(folder.path, 'node_modules'));
  await run('tar', ['xzf', join(release.folder, `gantry-client-${release.version}.tgz`), '-C', folder.path]);
  await rename(join(folder.path, 'package'), installed);
  for (const name of ['socket.io-client', 'engine.io-client', 'socket.io-parser', '@socket.io'])
    await symlink(join(repository, 'node_modules', name), join(folder.path, 'node_modules', name));

  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies)).toEqual(['socket.io-client']);
  expect(manifest.sideEffects).toBe(false);

  // What npm would publish, without publishing it.
  const published = await run('npm', ['publish', '--dry-run', '--json', installed], { cwd: folder.path });
  expect(published.stdout).toContain('"name": "gantry-client"');
  expect(published.stderr).not.toMatch(/npm error|auto-corrected|errors corrected/);

  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  await writeFile(
    join(folder.path, 'play.mjs'),
    `import { ClientError, connectAsGuest, GantryError } from 'gantry-client';
    const client = await connectAsGuest({ url: process.argv[2], gameId: process.argv[3] });
    const { newScore } = await client.api.setUserScore({ score: 12 });
    const refused = await client.call('setUserScore', { score: 'many' }).catch((error) => error);
    client.close();
    console.log(JSON.stringify([newScore.score, refused.reason, refused instanceof GantryError, ClientError === GantryError]));`,
  );
  // The Node that runs the tests, and the system's if the package supports it.
  const others = /^v2[0-9]\./.test(await version('/usr/bin/node')) ? ['/usr/bin/node'] : [];
  for (const node of [process.execPath, ...others]) {
    const { stdout } = await run(node, ['play.mjs', server.url, gameId], { cwd: folder.path });
    expect(JSON.parse(stdout)).toEqual([12, 'score_not_finite', true, true]);
  }

  // Unused parts are not in a game's bundle.
  await writeFile(
    join(folder.path, 'page.js'),
    "import { GantryError } from 'gantry-client'; console.log(GantryError);",
  );
  const { outputFiles } = await build({
    entryPoints: [join(folder.path, 'page.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  expect(outputFiles[0]?.contents.length).toBeLessThan(2_500);

  await writeFile(
    join(folder.path, 'types.mts'),
    `import { connectAsGuest, GantryError, type Received, type Reason } from 'gantry-client';
    const client = await connectAsGuest({ url: 'http://127.0.0.1:3000', gameId: 'a game' });
    const { newScore } = await client.api.setUserScore({ score: 12, leaderboard: 'hard' });
    const score: number = newScore.score;
    await client.queue('setUserScore', { score });
    client.on('scores created', (record: Received['scores created']) => record.nonce.length);
    const reason: Reason = 'rate_limited';
    if (new GantryError({}).reason === reason) client.close();
    // @ts-expect-error a score is a number
    await client.api.setUserScore({ score: 'many' });
    // @ts-expect-error there is no such operation
    await client.api.setScore({ score: 1 });
    // @ts-expect-error a sign-in cannot be queued
    await client.queue('createGuest', {});
    // @ts-expect-error there is no such reason
    if (new GantryError({}).reason === 'no_such_reason') client.close();
  `,
  );
  // TypeScript's own types are not checked.
  const options = ['--noEmit', '--strict', '--skipDefaultLibCheck', '--target', 'es2022'];
  const strict = [...options, '--lib', 'es2022,dom', '--types', ''];
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  for (const types of [installed, join(repository, 'public/sdk/typescript')]) {
    if (types !== installed) {
      // The single file that every server serves, instead of the package.
      await writeFile(join(installed, 'client.d.ts'), await readFile(join(types, 'client.d.ts'), 'utf8'));
    }
    const said = await run(process.execPath, [tsc, ...strict, '--module', 'nodenext', 'types.mts'], {
      cwd: folder.path,
    }).catch((error) => error);
    expect(said).toMatchObject({ stdout: '', stderr: '' });
  }
});
