import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createProgram } from '../../src/cli/program.ts';
import { executeOn } from '../../src/cli/remote-server.ts';
import { deleteGame } from '../../src/features/administration/operations/games.ts';
import { createGame, listGames } from '../../src/features/games/operations/games.ts';
import { type GantryProcess, gantryProgram, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';

const adminToken = 'the-admin-token-of-this-test';
const wallet = randomWallet();

/** A command's target: DATA_DIR beside a running server, or that server by its URL, from another directory. */
const targets = ['DATA_DIR', '--url before the command', '--url after it'] as const;

const data = await temporaryDirectory();
const elsewhere = await temporaryDirectory();
let server: GantryProcess;
let gameId: string;
beforeAll(async () => {
  server = await serveGantry(data.path, { GANTRY_DEMO: 'off', ADMIN_TOKEN: adminToken });
  const created = await run('DATA_DIR', ['game', 'create', '--name', 'One', '--slug', 'one']);
  ({ gameId } = z.object({ gameId: z.string() }).parse(JSON.parse(created.stdout)));
  writeFileSync(join(data.path, 'rules.json'), '[]');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

function run(target: (typeof targets)[number], args: readonly string[]) {
  const there = ['--url', server.url, '--token', adminToken];
  if (target === 'DATA_DIR') return gantry([...args, '--json'], { env: { DATA_DIR: data.path } });
  const all = target === '--url after it' ? [...args, ...there] : [...there, ...args];
  return gantry([...all, '--json'], { env: { DATA_DIR: join(elsewhere.path, 'untouched') } });
}

/** A run of every command that takes a game; those with a different `--url` option are in `withOwnUrl`. */
const ofAGame = (game: string): Readonly<Record<string, string[]>> => ({
  new: ['vanilla', join(elsewhere.path, randomUUID()), '--game', game],
  'game update': ['--game', game, '--name', 'One again'],
  'game archive': ['--game', game, '--undo'],
  'game delete': ['--game', game, '--confirm', 'another'],
  'game rotate-secret': ['--game', game],
  'player list': ['--game', game],
  'player ban': [randomWallet(), '--game', game],
  'player unban': [wallet, '--game', game],
  'session list': ['--game', game],
  token: ['--game', game, '--wallet', wallet],
  'leaderboard show': ['--game', game],
  'leaderboard list': ['--game', game],
  'leaderboard seasons': ['none', '--game', game],
  'leaderboard create': [`weekly-${randomUUID()}`, '--game', game],
  'leaderboard update': ['none', '--game', game, '--private'],
  'leaderboard end-season': ['none', '--game', game],
  'leaderboard remove': ['none', '--game', game, '--yes'],
  'score remove': ['0198aaaa-0000-7000-8000-000000000000', '--game', game],
  'message channels': ['--game', game],
  'rules get': ['--game', game],
  'rules set': [join(data.path, 'rules.json'), '--game', game],
  'rules test': [join(data.path, 'rules.json'), '--game', game, '--wallet', wallet, '--trigger', 'win'],
  'actions list': ['--game', game],
  'webhooks create': ['--game', game, '--url', 'https://game.example/hooks'],
  'webhooks list': ['--game', game],
  'webhooks deliveries': ['--game', game],
  tail: ['--game', game, '--no-follow'],
});
const withOwnUrl = ['new', 'game update', 'webhooks create'];
/** Refused for a reason other than the game. */
const refusedFor: Readonly<Record<string, RegExp>> = {
  'game delete': /must be the slug of the game, one/,
  'player unban': /not banned/,
  'player ban': /no player with this wallet/,
  'score remove': /no such score/,
  'leaderboard seasons': /no leaderboard with this name/,
  'leaderboard update': /no leaderboard with this name/,
  'leaderboard end-season': /no leaderboard with this name/,
  'leaderboard remove': /no leaderboard with this name/,
};

test('every command that takes a game is run here', () => {
  const takingGame = leavesOf(createProgram()).filter(
    // `import-from` writes into the database itself, and is tested in test/import.
    ({ path, command }) => path !== 'import-from' && command.options.some(({ long }) => long === '--game'),
  );
  expect(Object.keys(ofAGame('one')).toSorted()).toEqual(takingGame.map(({ path }) => path).toSorted());
});

describe.each(targets)('on %s', (target) => {
  test.each(Object.keys(ofAGame('one')))('gantry %s takes a slug for a game', async (name) => {
    if (target === '--url after it' && withOwnUrl.includes(name)) return;
    const finished = await run(target, [...name.split(' '), ...(ofAGame('one')[name] ?? [])]);
    const refusal = refusedFor[name];
    if (refusal) {
      expect(finished).toMatchObject({ code: 1, stderr: expect.stringMatching(refusal) });
      return;
    }
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    if (name === 'tail') return; // one line per event
    const answer: unknown = JSON.parse(finished.stdout);
    if (/list$|deliveries|channels|leaderboard show/.test(name))
      expect(Array.isArray(answer), finished.stdout).toBe(true);
  });

  test.each(Object.keys(ofAGame('one')))('gantry %s says that there is no such game', async (name) => {
    if (target === '--url after it' && withOwnUrl.includes(name)) return;
    const { code, stderr } = await run(target, [...name.split(' '), ...(ofAGame('none')[name] ?? [])]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no game with the ID or slug none\n' });
  });

  test('a game is archived, listed again and deleted', async () => {
    const slug = `gone-${targets.indexOf(target)}`;
    // `game create` uses `--url` for something else.
    const created = await run('DATA_DIR', ['game', 'create', '--name', 'Gone', '--slug', slug]);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const archived = await run(target, ['game', 'archive', '--game', slug]);
    expect(JSON.parse(archived.stdout)).toMatchObject({ slug, listing: 'archived' });
    const listed = await run(target, ['game', 'archive', '--game', slug, '--undo']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ listing: 'listed' });
    const deleted = await run(target, ['game', 'delete', '--game', slug, '--confirm', slug]);
    expect(deleted).toMatchObject({ code: 0, stderr: '' });
    const games = await run(target, ['game', 'list']);
    expect(games.stdout).not.toContain(slug);
  });

  test('actions appear in the audit log, with their actor', async () => {
    const renamed = await run(target, [
      'player',
      'rename',
      wallet,
      '--name',
      `Ada on ${targets.indexOf(target)}`,
    ]);
    expect(renamed).toMatchObject({ code: 0 });
    const log = await run(target, ['admin', 'list-audit-log', '{"limit":1}']);
    expect(JSON.parse(log.stdout).data).toMatchObject([
      { operation: 'updatePlayer', actor: target === 'DATA_DIR' ? 'cli' : 'admin-token', outcome: 'ok' },
    ]);
  });
});

test('a backup schedule is set by URL; a backup to a file is refused with what to use instead', async () => {
  const untouched = join(elsewhere.path, 'untouched');
  const there = ['--url', server.url, '--token', adminToken];
  const by = (...args: string[]) => gantry([...there, 'backup', ...args], { env: { DATA_DIR: untouched } });
  const set = await by('--schedule', '24', '--keep', '3');
  expect(set).toMatchObject({ code: 0, stderr: '' });
  expect(set.stdout).toMatch(/^everyHours +24\nkeep +3\nnext +20\d\d-\S+Z\n$/);
  const stored = await run('DATA_DIR', ['admin', 'list-backups']);
  expect(JSON.parse(stored.stdout)).toMatchObject({ schedule: { everyHours: 24, keep: 3 } });
  expect(await by('--schedule', 'off')).toMatchObject({ code: 0, stdout: expect.stringMatching(/off/) });

  const file = join(elsewhere.path, 'mine.gantry');
  expect(await by(file)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'With --url, only --schedule is possible. To make a backup now and download it, use gantry admin makeBackup, or the console\n',
  });
  expect([file, untouched].filter((path) => existsSync(path))).toEqual([]);
});

test('a new game calls the server that it was created on', async () => {
  const directory = join(elsewhere.path, 'bot');
  const { stdout } = await run('--url before the command', ['new', 'python-bot', directory]);
  expect(JSON.parse(stdout)).toMatchObject({ directory, url: server.url });
  expect((await run('DATA_DIR', ['game', 'list'])).stdout).toContain('"slug":"bot"');
});

test('the token may come from ADMIN_TOKEN', async () => {
  const env = { ADMIN_TOKEN: adminToken, DATA_DIR: join(elsewhere.path, 'untouched') };
  expect(await gantry(['--url', server.url, 'game', 'list'], { env })).toMatchObject({ code: 0, stderr: '' });
});

test('a removed score and a removed message are gone', async () => {
  const opened = await run('DATA_DIR', ['token', '--game', 'one', '--wallet', wallet]);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(JSON.parse(opened.stdout));
  const call = async (path: string, input: object) =>
    z.looseObject({}).parse((await post(`${server.url}/launcher/${path}`, { launcherJwt, ...input })).body);
  await call('set-user-score', { score: 1600 });
  const listed = await run('--url after it', ['leaderboard', '--game', 'one']);
  const [row] = z.array(z.object({ _id: z.string(), score: z.number() })).parse(JSON.parse(listed.stdout));
  expect(row).toMatchObject({ score: 1600 });
  expect(await run('--url after it', ['score', 'remove', row?._id ?? '', '--game', 'one'])).toMatchObject({
    code: 0,
  });
  expect((await run('--url after it', ['leaderboard', '--game', 'one'])).stdout).toBe('[]\n');

  await call('create-message-channel', { otherParticipants: [randomWallet()] });
  const ids = z.array(z.object({ _id: z.string() }));
  const [channel] = ids.parse(
    JSON.parse((await run('DATA_DIR', ['message', 'channels', '--game', 'one'])).stdout),
  );
  const sent = await call('send-channel-message', { channelId: channel?._id, content: 'Hello' });
  const messages = async () =>
    ids.parse(
      JSON.parse((await run('DATA_DIR', ['message', 'list', '--channel', channel?._id ?? ''])).stdout),
    );
  expect(await messages()).toMatchObject([{ _id: sent._id }]);
  expect(await run('--url after it', ['message', 'remove', String(sent._id)])).toMatchObject({ code: 0 });
  expect(await messages()).toEqual([]);
});

test.each([
  { what: 'DATA_DIR', where: () => [] },
  { what: 'a URL', where: () => ['--url', server.url, '--token', adminToken] },
])('tail on $what prints events as they happen, and ends with 0 when interrupted', async ({ where }) => {
  const opened = await run('DATA_DIR', ['token', '--game', 'one', '--wallet', wallet]);
  const { launcherJwt } = z.object({ launcherJwt: z.string() }).parse(JSON.parse(opened.stdout));
  const { PATH = '' } = process.env;
  const filters = ['--game', gameId, '--name', 'scores created', '--last', '0'];
  const tail = spawn(process.execPath, [gantryProgram, ...where(), 'tail', ...filters, '--json'], {
    env: { PATH, DATA_DIR: data.path },
  });
  let printed = '';
  tail.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const gone = once(tail, 'exit');
  let score = 0;
  await until('a score of ours is printed', async () => {
    await post(`${server.url}/launcher/set-user-score`, { launcherJwt, score: ++score });
    return printed.includes('\n');
  });
  const [line = ''] = printed.split('\n');
  expect(JSON.parse(line)).toMatchObject({ name: 'scores created', gameId, wallets: [wallet] });
  tail.kill('SIGINT');
  expect(await gone).toEqual([0, null]);
});

describe('failures are reported in one sentence:', () => {
  test.each<[string, () => string[], RegExp]>([
    [
      'a wrong token',
      () => ['--url', server.url, '--token', 'x'.repeat(20), 'game', 'list'],
      /administrator's token/,
    ],
    ['no token', () => ['--url', server.url, 'game', 'list'], /requires its admin token: .*ADMIN_TOKEN/],
    [
      'no server',
      () => ['--url', 'http://127.0.0.1:1', '--token', adminToken, 'game', 'list'],
      /cannot be reached/,
    ],
    ['an invalid URL', () => ['--url', 'play.example', 'game', 'list'], /--url.*http/],
    ['a token without a URL', () => ['--token', adminToken, 'game', 'list'], /--token requires --url/],
  ])('%s', async (_what, args, sentence) => {
    const { code, stdout, stderr } = await gantry(args(), { env: { DATA_DIR: data.path } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('    at ');
  });

  test('a server that is not Gantry, or redirects the token elsewhere', async () => {
    const other = createServer((request, response) => {
      if (request.url?.startsWith('/moved')) response.writeHead(307, { Location: server.url }).end();
      else response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Not found</h1>');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const at = (path: string) =>
        gantry(['--url', `http://127.0.0.1:${port}${path}`, '--token', adminToken, 'game', 'list']);
      expect(await at('')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/status 404, but is not a Gantry server/),
      });
      expect(await at('/moved')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/cannot be reached/),
      });
    } finally {
      other.close();
    }
  });
});

test('a slow server is not reported as down: the command continues there', async () => {
  const slow = createServer(() => {}).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { port } = slow.address() as AddressInfo;
  const execute = executeOn(new URL(`http://127.0.0.1:${port}`), adminToken, 20);
  try {
    const late = `http://127.0.0.1:${port} has not answered within 0.02 s. `;
    await expect(execute(deleteGame, { gameId, confirm: 'one' })).rejects.toThrow(
      `${late}The server is still deleting the game, which stays archived until this is complete: see gantry game list`,
    );
    await expect(execute(createGame, { name: 'Two' })).rejects.toThrow(
      `${late}It may have executed the command: check before you repeat it`,
    );
    await expect(execute(listGames, {})).rejects.toThrow(`${late}Try again`);
  } finally {
    slow.closeAllConnections();
    slow.close();
  }
});

test('--version prints the version of package.json', async () => {
  const { stdout } = await gantry(['--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

function leavesOf(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  if (command.commands.length === 0) return [{ path: path.join(' '), command }];
  return command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
}
