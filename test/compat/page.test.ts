import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setScore } from '../../src/features/scores/commands.ts';
import { repository } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { noPackage, packageDirectory } from './basement-package.ts';
import { methods } from './methods.ts';

const page = readFileSync(join(repository, 'public/docs/coming-from-basement.md'), 'utf8');
const examples = [...page.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)].map(
  ([, language = '', needs = '', code = '']) => ({
    language,
    needs,
    code,
    title: code.trim().split('\n').at(-1),
  }),
);

/** What each example prints, in the order of the page; the one for browsers runs in `test/pages/`. */
const printed = [
  /"signRequest":"127\.0\.0\.1.*Sign in to play My Game/,
  /^leaderboard: 1\n$/,
  /^score: 12\.5\n$/,
  /^score: 2\n$/,
  /^false score: must be a finite number\n$/,
];

describe('the page "Coming from basement.fun"', () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer();
    const { gameId } = await server.createGame({ name: 'My Game', slug: 'my-game' });
    const player = await server.openSession(gameId);
    token = player.launcherJwt;
    await server.openSession(gameId);
    await server.services.db.write(setScore, player, 1);
  });
  afterAll(() => server.close());

  const run = async (language: string, code: string, modules: string) => {
    await using directory = await temporaryDirectory();
    await symlink(modules, join(directory.path, 'node_modules'));
    const file = join(directory.path, language === 'sh' ? 'example.sh' : 'example.mjs');
    await writeFile(file, code.replaceAll('http://127.0.0.1:3000', server.url));
    const program = language === 'sh' ? 'bash' : join(repository, 'node_modules/.bin/node');
    const env = { PATH: process.env.PATH, TOKEN: token };
    return (await promisify(execFile)(program, [file], { env })).stdout;
  };

  const inNode = examples.filter(({ needs }) => needs !== 'browser');

  test('has examples, each with its output', () => {
    expect(inNode).toHaveLength(printed.length);
  });

  test.each(
    inNode.map((example, at) => ({ ...example, prints: printed[at] })).filter(({ needs }) => needs === ''),
  )('its example that ends with $title works', async ({ language, code, prints }) => {
    expect(await run(language, code, join(repository, 'node_modules'))).toMatch(prints ?? /nothing/);
  });

  describe.skipIf(noPackage !== null)('the example with the npm package', () => {
    const at = inNode.findIndex(({ needs }) => needs === 'package');
    // Its client must be loaded from beside the package.
    const modules = join(packageDirectory, 'node_modules');
    const code = (inNode[at]?.code ?? '').replace(
      /from '(@feathersjs\/socketio-client|socket\.io-client)'/g,
      (_, name: string) => `from '${import.meta.resolve(name)}'`,
    );

    test('works', async () => {
      expect(await run('js', code, modules)).toMatch(printed[at] ?? /nothing/);
    });

    test('has calls that fail when their connection is lost', async () => {
      const [connecting = ''] = code.split(/^const \{ newScore/m);
      const losing = `socket.onAnyOutgoing(() => queueMicrotask(() => socket.disconnect()));
await new Promise((connected) => socket.once('connect', connected));
await client.service('launcher').setUserScore({ score: 1 }).catch(({ message }) => console.log(message));`;
      expect(await run('js', connecting + losing, modules)).toBe('socket has been disconnected\n');
    });
  });

  test('lists every method, served or not and why, like the tests', () => {
    const listed = [...page.matchAll(/^\| `([a-z-]+ \w+)` \| (.+) \|$/gm)].map(([, name, outcome = '']) => [
      name,
      outcome.startsWith('served') ? 'served' : outcome,
    ]);
    const held = Object.entries(methods).flatMap(([service, named]) =>
      Object.entries(named).map(([name, method]) => [
        `${service} ${name}`,
        'outside' in method ? `not served: ${method.outside}` : 'served',
      ]),
    );
    expect(listed).toEqual(held);
  });
});
