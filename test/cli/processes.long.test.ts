import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createProgram } from '../../src/cli/program.ts';
import { gantry } from '../support/gantry-process.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry as warmGantry } from '../support/warm-gantry.ts';

// Other tests run commands in a shared process. Here each runs as it does for users: from its source, in a separate
// process, which must end on its own.
let directory: TemporaryDirectory;
let gameId: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const created = await warm('game', 'create', '--name', 'One', '--slug', 'one');
  await writeFile(place('players.ndjson'), '{"type":"player","id":"a","name":"Ada"}\n');
  ({ gameId } = z.object({ gameId: z.string() }).parse(JSON.parse(created.stdout)));
});
afterAll(() => directory[Symbol.asyncDispose]());

const place = (name: string) => join(directory.path, name);
const warm = (...args: string[]) => warmGantry([...args, '--json'], { env: { DATA_DIR: place('data') } });

/** A run of each command; `serve`, `demo` and `migrate-to` have their own tests. */
const runs: Readonly<Record<string, () => readonly string[]>> = {
  game: () => ['game', 'list'],
  token: () => ['token', '--game', gameId, '--wallet', randomWallet()],
  rules: () => ['rules', 'get', '--game', gameId],
  actions: () => ['actions', 'list'],
  webhooks: () => ['webhooks', 'list'],
  key: () => ['key', 'rotate'],
  admin: () => ['admin', 'list-games', '{}'],
  backup: () => ['backup', place('backup')],
  restore: () => ['restore', place('backup'), '--force'],
  compact: () => ['compact'],
  export: () => ['export', 'one', place('game')],
  import: () => ['import', place('game')],
  'import-from': () => ['import-from', 'ndjson', place('players.ndjson'), '--game', 'one'],
  new: () => ['new', 'vanilla', place('new'), '--game', 'one'],
  doctor: () => ['doctor'],
  player: () => ['player', 'list'],
  session: () => ['session', 'list'],
  upgrade: () => ['upgrade', '--check'],
  migrate: () => ['migrate', '--check'],
  healthcheck: () => ['healthcheck'],
  config: () => ['config'],
  openapi: () => ['openapi'],
  completion: () => ['completion', 'bash'],
  leaderboard: () => ['leaderboard', '--game', 'one'],
  score: () => ['score', '--help'],
  message: () => ['message', 'channels', '--game', 'one'],
  tail: () => ['tail', '--help'],
  sdk: () => ['sdk', 'python', '--out', place('sdk')],
  docs: () => ['docs', '--out', place('docs')],
};

/** There is no running server to check. */
const endsWith1 = new Set(['healthcheck']);

test('every command is run', () => {
  const names = createProgram().commands.map((command) => command.name());
  expect([...Object.keys(runs), 'serve', 'demo', 'migrate-to'].sort()).toEqual(names.sort());
});

test.each(Object.keys(runs))('gantry %s', async (name) => {
  const args = runs[name]?.() ?? [];
  const env = { DATA_DIR: place(name === 'import' ? 'other' : 'data'), PORT: '0' };
  const { code, stdout, stderr } = await gantry(args, { env, asWritten: true });
  expect({ code, stderr: stderr.replaceAll(/^(.* \d+ %|There is no data in .*)\n/gm, '') }).toEqual({
    code: Number(endsWith1.has(name)),
    stderr: '',
  });
  expect(stdout).not.toBe('');
});
