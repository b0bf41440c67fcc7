import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../../src/server/declarations/operations.ts';
import { type ReleaseFiles, releaseFiles } from '../release/release-files.ts';
import { errorClassesIn, refusalsBy } from '../support/error-names.ts';
import { gantry, repository, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const node = join(repository, 'node_modules/.bin/node');
const tsc = join(repository, 'node_modules/typescript/bin/tsc');
let release: ReleaseFiles;
let place: string;
/** Where the package was installed, as `npm install -g` does it. */
let prefix: string;
/** The project of a user of the package. */
let project: string;
let packed: string[];
/** Its directory for temporary files. */
let temporary: string;
/** How the installed program is run: with no other Node on the PATH. */
let settings: { program: string; cwd: string };
let env: Record<string, string>;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'gantry-package-'));
  prefix = join(place, 'prefix');
  project = join(place, 'project');
  release = await releaseFiles();
  const file = join(release.folder, `gantry-${release.version}.tgz`);
  const { stdout } = await run('tar', ['tzf', file]);
  packed = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
    .toSorted();
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', '-g', '--prefix', prefix, ...quietly, file], { cwd: place });
  await mkdir(join(project, 'node_modules'), { recursive: true });
  await symlink(join(prefix, 'lib/node_modules/gantry'), join(project, 'node_modules/gantry'));
  await mkdir(join(place, 'bin'));
  temporary = join(place, 'tmp');
  await mkdir(temporary);
  settings = { program: join(prefix, 'bin/gantry'), cwd: place };
  env = { PATH: `${join(place, 'bin')}:/usr/bin:/bin`, HOME: place, TMPDIR: temporary };
  await symlink(node, join(place, 'bin/node'));
});

afterAll(() => rm(place, { recursive: true, force: true }));

test('the package contains the program, the pages, the client, and nothing unused', async () => {
  const outside = packed.filter((path) => !path.startsWith('dist/package/'));
  expect(outside.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
  // Browsers are told where the modules of a page's bundle are, and stack traces name the lines of the source.
  const code = packed.filter(
    (path) =>
      !path.startsWith('dist/package/pages/bundles/') && !/^dist\/package\/[^/]+\.js\.map$/.test(path),
  );
  expect(code.filter((path) => /\.(test|d)\.ts$|node_modules|\.map$/.test(path))).toEqual(
    [
      'api',
      'call-queue',
      'client-error',
      'client-options',
      'client-status',
      'client',
      'config',
      'connect',
      'connection',
      'cursors',
      'event-receiver',
      'friends',
      'gantry-client',
      'http-call',
      'json',
      'launcher-token',
      'leaderboard',
      'operation-names',
      'operation-types',
      'own-presence',
      'player',
      'retries',
      'session',
      'sign-in',
      'snapshot',
      'store-writer',
      'store',
    ]
      .map((name) => `dist/package/client/${name}.d.ts`)
      .concat('dist/package/pages/sdk/typescript/client.d.ts'),
  );
  const manifest = JSON.parse(await readFile(join(project, 'node_modules/gantry/package.json'), 'utf8'));
  expect(manifest).toMatchObject({ version: release.version });
  expect(manifest).not.toHaveProperty('optionalDependencies');
  expect(manifest).not.toHaveProperty('private'); // npm would not publish it
  expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3', 'socket.io-client']);
  const licenses = await readFile(join(release.source, 'dist/package/LICENSES.txt'), 'utf8');
  expect(licenses).toMatch(/^express 5[.\d]+\n\n\(The MIT License\)/m);
  expect(JSON.parse(await readFile(join(release.source, 'package.json'), 'utf8'))).toHaveProperty(
    'optionalDependencies',
  );
});

test('installed, gantry demo shows the demo, and leaves nothing behind', async () => {
  await using server = await serveGantry('', env, { ...settings, command: 'demo' });
  const [, launcherJwt] =
    (await until('the welcome', () => /launcherJwt +(\S+)/.exec(server.output.stdout))) ?? [];
  const set = await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: 1600 });
  expect(set).toMatchObject({ status: 200, body: { newScore: { score: 1600 } } });
  expect((await fetch(`${server.url}/play`)).status).toBe(200);
  const pasted = /^ *(DATA_DIR=\S+ \S+ token .*)$/m.exec(server.output.stdout)?.[1] ?? '';
  expect((await run('bash', ['-c', pasted], { cwd: place, env })).stdout).toMatch(/launcherJwt +ey/);
  expect((await server.end('SIGTERM')).code).toBe(0);
  expect((await readdir(temporary)).filter((name) => name.startsWith('gantry-demo-'))).toEqual([]);
});

test('installed, gantry serves the pages, and prints the command to run it again', async () => {
  const data = join(place, 'data');
  await using server = await serveGantry(data, env, settings);
  const html = await (await fetch(`${server.url}/play`)).text();
  const bundles = [...html.matchAll(/"(\/bundles\/[^"]+\?v=\w+)"/g)].map(([, path]) => path);
  expect(bundles.length).toBe(2);
  for (const path of [
    ...bundles,
    '/demo-game',
    '/demo-game/game.js',
    '/play/main.js',
    '/docs',
    '/docs/errors',
    '/docs/search.json',
  ]) {
    expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
  }
  const again = /^ *(?:\S+=\S+ )*(\S+\/gantry) token --game (\S+) --wallet (\S+)$/m.exec(
    server.output.stdout,
  );
  expect(again?.[1], server.output.stdout).toBe(settings.program);
  const token = await gantry(['token', '--game', again?.[2] ?? '', '--wallet', again?.[3] ?? ''], {
    ...settings,
    env: { ...env, DATA_DIR: data },
  });
  expect(token).toMatchObject({ code: 0, stdout: expect.stringMatching(/launcherJwt +ey/) });
  const site = join(place, 'site');
  const docs = await gantry(['docs', '--out', site], { ...settings, env });
  expect(docs).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{3} files in /) });
  expect((await readFile(join(site, 'errors.html'))).length).toBeGreaterThan(10_000);
  expect((await server.end('SIGTERM')).code).toBe(0);
});

test('installed, gantry answers with the same errors as the source, under the same names', async () => {
  await using server = await serveGantry(join(place, 'errors'), env, settings);
  await using source = await serveGantry(join(place, 'errors-of-source'), {}, { asWritten: true });
  const refusals = await refusalsBy(server.url);
  expect(refusals).toEqual(await refusalsBy(source.url));
  expect(new Set(refusals.map(({ body }) => z.object({ name: z.string() }).parse(body).name))).toEqual(
    new Set(['BadRequest', 'NotAuthenticated', 'NotFound']),
  );
});

test('bundling renames no class of errors, and wraps no function', async () => {
  const classes = await errorClassesIn(
    'src/{main.ts,{calls,cli,cluster,core,engines,features,pages,runtime,server,telemetry,tools/{demo,doctor},transports}/**/*.ts}',
  );
  expect([...classes.difference(await errorClassesIn('dist/package/*.js', release.source))]).toEqual([]);
  for (const path of packed.filter((one) => /^dist\/package\/[^/]+\.js$/.test(one))) {
    expect(await readFile(join(release.source, path), 'utf8'), path).not.toContain('__name(');
  }
});

test('gantry/client calls and receives events from JavaScript', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const { launcherJwt } = await server.openSession(gameId);
  const program = `
    import { ClientError, GantryClient } from 'gantry/client';
    const client = new GantryClient({ url: process.argv[2], launcherJwt: process.argv[3] });
    const heard = new Promise((resolve) => client.on('notifications created', resolve));
    await client.ready();
    const { newScore } = await client.call('setUserScore', { score: 12 });
    const refused = await client.call('setUserScore', { score: 'many' }).catch((error) => error);
    await client.call('sendNotification', { message: 'Hello', type: 'success' });
    const { message } = await heard;
    client.close();
    console.log(JSON.stringify({ score: newScore.score, reason: refused.reason, known: refused instanceof ClientError, message }));
  `;
  await writeFile(join(project, 'play.mjs'), program);
  const { stdout } = await run(node, ['play.mjs', server.url, launcherJwt], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    score: 12,
    reason: 'score_not_finite',
    known: true,
    message: 'Hello',
  });
});

test('gantry/client can be bundled for browsers, without any of Node', async () => {
  await writeFile(
    join(project, 'page.js'),
    "import { GantryClient } from 'gantry/client'; new GantryClient({ url: '/' });",
  );
  const { outputFiles, warnings } = await build({
    entryPoints: [join(project, 'page.js')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/\brequire\(|from "node:|xmlhttprequest-ssl/);
});

// TypeScript's own types are not checked.
const options = ['--noEmit', '--strict', '--skipDefaultLibCheck', '--target', 'es2022'];
const strict = [...options, '--lib', 'es2022,dom', '--types', ''];

test('gantry/client is typed, with no other types installed', async () => {
  const code = `
    import { type Cursor, GantryClient, type OperationOutput } from 'gantry/client';
    const client = new GantryClient({ url: 'http://127.0.0.1:3000', launcherJwt: 'a token' });
    const { newScore } = await client.call('setUserScore', { score: 12, nonce: 'a nonce' });
    const score: number = newScore.score;
    const cursors: Record<string, Cursor> = client.cursors;
    client.on('chat-messages created', ({ content }, { stream }) => [content.toUpperCase(), stream, score, cursors]);
    const board: OperationOutput<'getGameScoresLeaderboard'> = await client.call('getGameScoresLeaderboard', { gameId: 'a game' });
    board.leaderboard[0]?.username.length;
    const server = new GantryClient({ url: 'http://127.0.0.1:3000', gameSecret: 'a secret' });
    await server.forPlayer('0x').call('setUserScore', { score: 12 }, { idempotencyKey: 'a key' });
    const { results }: OperationOutput<'batch'> = await server.call('batch', { operations: [{ method: 'setUserScore', data: { score: 1 } }] });
    results.length;
    // @ts-expect-error a score is a number
    await client.call('setUserScore', { score: 'many' });
    // @ts-expect-error there is no such operation
    await client.call('setScore', { score: 1 });
    // @ts-expect-error a message has no score
    client.on('chat-messages created', ({ score }) => score);
    // @ts-expect-error administrators' operations are not called by clients
    await client.call('banPlayer', { wallet: '0x' });
  `;
  await writeFile(join(project, 'play.mts'), code);
  for (const resolution of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    await expectNoComplaint([...strict, ...resolution, 'play.mts'], project);
  }
});

test('the declaration files match the source: inputs are accepted, and outputs are typed', async () => {
  const names = operations.filter(({ service }) => service !== 'admin').map(({ name }) => `'${name}'`);
  const check = `
    import type * as Packed from '${join(project, 'node_modules/gantry/dist/package/client/operation-types.d.ts')}';
    import type * as Source from '${join(repository, 'src/server/declarations/operation-types.ts')}';
    import type * as Events from '${join(repository, 'src/server/declarations/events.ts')}';
    type Name = ${names.join(' | ')};
    type Fits<A, B> = [A] extends [B] ? never : 'differs';
    // An interface has no index signature, which operations whose schema dispatch widens have.
    type Plain<A> = { [K in keyof A]: A[K] };
    type Wrong = { [N in Name]:
      Fits<Plain<Packed.OperationInput<N>>, Source.OperationInput<N>> | Fits<Source.OperationOutput<N>, Packed.OperationOutput<N>>
    };
    export const names: [Fits<Name, Packed.OperationName>, Fits<Packed.OperationName, Name>] extends [never, never] ? true : false = true;
    export const operations: { [N in Name as Wrong[N] extends never ? never : N]: Wrong[N] } = {};
    type Received = { [N in Events.EventName]: Events.EventRecord<N> } & { [N in Events.SignalName]: Events.SignalRecord<N> };
    type Different = { [N in keyof Received as Fits<Received[N], Packed.Received[N]> extends never ? never : N]: true };
    export const received: Different = {};
  `;
  const file = join(repository, 'dist', 'types-written-out.ts');
  const settings = join(repository, 'dist', 'types-written-out.json');
  await writeFile(file, check);
  await writeFile(settings, JSON.stringify({ extends: '../tsconfig.json', include: [], files: [file] }));
  await expectNoComplaint(['-p', settings], repository);
});

/** The compiler reports errors on standard output; what keeps it from running, on standard error. */
async function expectNoComplaint(options: string[], cwd: string): Promise<void> {
  const {
    code = 0,
    stdout,
    stderr,
  }: { code?: number | string; stdout: string; stderr: string } = await run(node, [tsc, ...options], {
    cwd,
  }).catch((error) => error);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
}
