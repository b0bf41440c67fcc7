import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

let folder: TemporaryDirectory;
let data: string;
beforeAll(async () => {
  folder = await temporaryDirectory();
  data = join(folder.path, 'data');
});
afterAll(() => folder[Symbol.asyncDispose]());

const written = z.object({
  directory: z.string(),
  gameId: z.string(),
  url: z.string(),
  files: z.array(z.string()),
});
const run = (...args: string[]) => gantry(['new', ...args], { env: { DATA_DIR: data } });
const make = async (...args: string[]) => written.parse(await gantryJson(['new', ...args], data));
const place = (name: string) => join(folder.path, name);
const gameOf = async (id: string) =>
  z
    .array(
      z.object({
        gameId: z.string(),
        name: z.string(),
        url: z.string(),
        allowedOrigins: z.array(z.string()),
      }),
    )
    .parse(await gantryJson(['game', 'list'], data))
    .find(({ gameId }) => gameId === id);

test.each([
  { template: 'vanilla', config: 'config.js', sdk: 'gantry/client.js', port: 8080 },
  { template: 'phaser', config: 'config.js', sdk: 'gantry/client.d.ts', port: 5173 },
  { template: 'godot', config: 'config.gd', sdk: 'addons/gantry/gantry_client.gd' },
  { template: 'unity', config: 'Assets/GameConfig.cs', sdk: 'Packages/com.gantry.client/package.json' },
  { template: 'python-bot', config: 'config.py', sdk: 'gantry/__init__.py' },
])(
  '$template has its SDK, and a game of its own whose id and server are in one file',
  async ({ template, config, sdk, port }) => {
    const name = `My ${template}`;
    const directory = place(name);
    const { gameId, url, files } = await make(template, directory, '--url', 'https://play.example/');
    expect(files).toEqual(expect.arrayContaining([config, sdk, 'README.md']));
    expect(files.toSorted()).toEqual(
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
        .toSorted(),
    );
    expect(url).toBe('https://play.example');
    const text = readFileSync(join(directory, config), 'utf8');
    expect(text).toMatch(/['"]https:\/\/play\.example['"]/);
    expect(text).toMatch(new RegExp(`['"]${gameId}['"]`));
    for (const file of files.filter((one) => !/^(Packages|addons|gantry)\//.test(one))) {
      expect(readFileSync(join(directory, file), 'utf8'), file).not.toContain('YOUR_GAME');
    }
    const origins = port === undefined ? [] : [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    expect(await gameOf(gameId)).toEqual({
      gameId,
      name,
      url: port === undefined ? '' : `http://127.0.0.1:${port}/`,
      allowedOrigins: origins,
    });
  },
);

test('it says what to do next', async () => {
  const { stdout } = await run('vanilla', place('next'), '--name', 'Next');
  expect(stdout).toMatch(
    /^\d+ files in .*next, for the game [-\w]+ at http:\/\/127\.0\.0\.1:3000\n\nNext, .*\n {2}cd ".*next"\n {2}node serve\.mjs {2}# .*:8080\n$/,
  );
});

test('a directory with files is refused, and nothing is created', async () => {
  const before = await gantryJson(['game', 'list'], data);
  const { code, stderr } = await run('vanilla', data);
  expect([code, stderr]).toEqual([1, `${data} is not empty. Choose a new directory, or an empty one.\n`]);
  expect(await gantryJson(['game', 'list'], data)).toEqual(before);
});

test('with --game, that game is used, and its pages may be at the address of the template', async () => {
  const created = await gantryJson(['game', 'create', '--name', 'Open'], data);
  const { gameId: open } = z.object({ gameId: z.string() }).parse(created);
  expect((await make('vanilla', place('open'), '--game', 'open')).gameId).toBe(open);
  expect(await gameOf(open)).toMatchObject({ allowedOrigins: [], url: '' });

  await gantryJson(['game', 'update', '--game', open, '--origin', 'https://game.example'], data);
  await make('vanilla', place('restricted'), '--game', open);
  const restricted = {
    allowedOrigins: ['https://game.example', 'http://127.0.0.1:8080', 'http://localhost:8080'],
  };
  expect(await gameOf(open)).toMatchObject(restricted);
  await make('python-bot', place('bot'), '--game', open);
  expect(await gameOf(open)).toMatchObject(restricted);

  const unknown = await run('vanilla', place('unknown'), '--game', 'no-such-game');
  expect([unknown.code, unknown.stderr]).toEqual([1, 'There is no game with the ID or slug no-such-game\n']);
  expect(existsSync(place('unknown'))).toBe(false);
  mkdirSync(place('empty'));
  expect(await run('vanilla', join(place('empty'), 'inner'), '--game', 'no-such-game')).toEqual(unknown);
  expect(readdirSync(place('empty'))).toEqual([]);
  const both = await run('vanilla', place('both'), '--game', open, '--name', 'Both');
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('cannot be used with option')]);
});
