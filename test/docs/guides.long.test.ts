import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setConfig } from '../../src/features/game-config/operations/config-versions.ts';
import { publishNews } from '../../src/features/news/operations/news.ts';
import { createLeaderboard } from '../../src/features/scores/operations/leaderboards.ts';
import { monoMissing } from '../sdk/csharp-driver.ts';
import { pythonDriver } from '../sdk/drivers.ts';
import { GodotProject, outputOf } from '../sdk/godot-project.ts';
import { godots } from '../sdk/godots.ts';
import { overHttp } from '../support/administration.ts';
import { gantry } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { documents } from './documents.ts';
import { type GuideGame, guidePrograms } from './guide-programs.ts';

const run = promisify(execFile);

/** What each guide's examples print, in every language. */
const guides: readonly { page: string; prints: readonly RegExp[] }[] = [
  { page: 'cloud-saves', prints: [/^level 2$/m, /^saved elsewhere: load it, merge it, and save again$/m] },
  { page: 'weekly-leaderboard', prints: [/^1\. \w+ \w+ 1200$/m, /^my place: 1$/m] },
  { page: 'chat', prints: [/^1 messages$/m] },
  {
    page: 'friends',
    prints: [
      /^request: sent$/m,
      /^asked: We just played!$/m,
      /^requests to answer: 0$/m,
      /^1 friends$/m,
      /^join room 7$/m,
      /^1\. \w+ \w+ 900$/m,
    ],
  },
  {
    page: 'notifications',
    prints: [/^1 unread, the latest: You won a hat$/m, /^\w+ \w+ won the cup$/m],
  },
  { page: 'live-ops', prints: [/^1 unread news, the first: Double stars$/m, /^experience for a win: 2$/m] },
];

/** How programs of a language run, each with its output as the result. */
const languages: readonly {
  name: string;
  missing: string | null;
  prepare(folder: string): Promise<unknown>;
  run(page: string, game: GuideGame, folder: string): Promise<string>;
}[] = [
  {
    name: 'JavaScript',
    missing: null,
    prepare: (folder) => sdk('typescript', join(folder, 'node_modules/gantry-client')),
    async run(page, game, folder) {
      const file = join(folder, `${page}.mjs`);
      await writeFile(file, guidePrograms.js(page, game));
      return (await run(process.execPath, [file], { timeout: 120_000 })).stdout;
    },
  },
  {
    name: 'Python',
    missing: pythonDriver.missing,
    prepare: (folder) => sdk('python', folder),
    async run(page, game, folder) {
      const file = join(folder, `${page.replaceAll('-', '_')}.py`);
      await writeFile(file, guidePrograms.python(page, game));
      const { command } = await pythonDriver.prepare(folder);
      return (await run(command, ['-B', file], { timeout: 120_000 })).stdout;
    },
  },
  {
    name: 'C#',
    missing: monoMissing,
    async prepare(folder) {
      await sdk('csharp', join(folder, 'csharp'));
      const library = [
        '-target:library',
        '-out:Gantry.dll',
        '-r:System.Net.Http.dll',
        '-recurse:csharp/*.cs',
      ];
      await run('mcs', library, { cwd: folder });
    },
    async run(page, game, folder) {
      await writeFile(join(folder, `${page}.cs`), guidePrograms.csharp(page, game));
      await run('mcs', ['-langversion:7', '-warnaserror', '-nowarn:219', '-r:Gantry.dll', `${page}.cs`], {
        cwd: folder,
      });
      return (await run('mono', [`${page}.exe`], { cwd: folder, timeout: 120_000 })).stdout;
    },
  },
  ...godots.map((godot) => ({
    name: `GDScript in ${godot.name}`,
    missing: godot.missing,
    prepare: (folder: string) => sdk('gdscript', folder),
    async run(page: string, game: GuideGame, folder: string) {
      await writeFile(join(folder, `${page}.gd`), guidePrograms.gdscript(godot, page, game));
      const project = await GodotProject.create(folder, godot);
      const child = await project.run(`load("res://${page}.gd").new()`);
      const output = outputOf(child);
      const gone = once(child, 'close');
      await until('the end', () => /^the end$|ERROR/m.test(output())).catch(() => undefined);
      child.kill();
      await gone;
      expect(output()).not.toContain('ERROR');
      return output();
    },
  })),
];

let server: TestServer;
let folder: TemporaryDirectory;
beforeAll(async () => {
  server = await startTestServer();
  folder = await temporaryDirectory();
});
afterAll(async () => {
  await server.close();
  await folder[Symbol.asyncDispose]();
});

describe.each(languages)('in $name', ({ missing, prepare, run: play }) => {
  beforeAll(async () => {
    if (missing === null) await prepare(folder.path);
  });

  test.for(guides)('the examples of $page run', async ({ page, prints }, { skip }) => {
    skip(missing !== null, missing ?? '');
    const { gameId } = await server.createGame();
    const administrator = overHttp(server);
    await administrator.call(createLeaderboard, { gameId, name: 'weekly-race' });
    if (page === 'live-ops') {
      await administrator.call(publishNews, { gameId, title: 'Double stars' });
      await administrator.call(setConfig, { gameId, ifVersion: 0, changes: [{ key: 'xp', value: 2 }] });
    }
    const output = await play(page, { url: server.url, gameId }, folder.path);
    for (const printed of prints) expect(output).toMatch(printed);
  });
});

test('a game signs in with a wallet extension, once for several visits', async () => {
  await sdk('typescript', join(folder.path, 'node_modules/gantry-client'));
  const { gameId } = await server.createGame();
  const [, example = ''] =
    /^```js wallet\n(.*?)^```$/ms.exec(documents.get('public/docs/sign-in.md') ?? '') ?? [];
  const here = example.replace('http://127.0.0.1:3000', server.url).replace('demo-game', gameId);
  // The provider of EIP-1193, as a wallet extension adds it to the page.
  const program = `import { privateKeyToAccount } from '${import.meta.resolve('viem/accounts')}';
const account = privateKeyToAccount('0x${'7'.repeat(64)}');
const answers = {
  eth_requestAccounts: () => [account.address],
  personal_sign: ([message]) => (console.log('asked to sign'), account.signMessage({ message: { raw: message } })),
};
globalThis.window = { ethereum: { request: async ({ method, params }) => answers[method](params) } };
window.parent = window; // not in a frame
${here}
client.close();
`;
  const file = join(folder.path, 'wallet.mjs');
  await writeFile(file, program);
  const visit = () =>
    run(process.execPath, ['--localstorage-file', join(folder.path, 'storage'), file], { timeout: 120_000 });
  expect((await visit()).stdout).toMatch(/^asked to sign\nsigned in as 0x\w{4}…\w{4}$/m);
  expect((await visit()).stdout).toMatch(/^signed in as 0x\w{4}…\w{4}\n$/);
});

test('a launcher shows who plays, the page of a game, and favorites', async () => {
  await sdk('typescript', join(folder.path, 'node_modules/gantry-client'));
  await server.createGame({ name: 'Launcher', slug: 'launcher', kind: 'launcher' });
  const { gameId } = await server.createGame({ name: 'Orbit', order: -1 });
  const page = documents.get('public/docs/launcher-home.md') ?? '';
  const examples = [...page.matchAll(/^```js launcher\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const program = examples.join('\n').replace('http://127.0.0.1:3000/client.js', 'gantry-client');
  const file = join(folder.path, 'launcher-home.mjs');
  const changed = "const changed = new Promise((done) => launcher.on('game-stats patched', done));";
  await writeFile(
    file,
    program.replace('http://127.0.0.1:3000', server.url).replace(/^const launcher = .*$/m, `$&\n${changed}`) +
      'await changed;\nlauncher.close();\n',
  );
  const { stdout } = await run(process.execPath, [file], { timeout: 120_000 });
  expect(stdout).toMatch(/^Orbit 0 playing$/m);
  expect(stdout).toMatch(new RegExp(`^${gameId} 1 playing$`, 'm'));
  expect(stdout).toMatch(/^Free to play$/m);
  expect(stdout).toMatch(/^favorites: Orbit$/m);
});

async function sdk(language: string, out: string): Promise<void> {
  expect((await gantry(['sdk', language, '--out', out])).code).toBe(0);
}
