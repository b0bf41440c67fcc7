import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createProgram } from '../../src/cli/program.ts';
import { dataFiles } from '../../src/config.ts';
import { latestSchema } from '../../src/engines/sqlite/migrate.ts';
import { makeDatabase } from '../storage/database-of-version.ts';
import { freePort } from '../support/free-port.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';

function leavesOf(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  if (command.commands.length === 0) return [{ path: path.join(' '), command }];
  return command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
}

const leaves = leavesOf(createProgram());

describe('every command', () => {
  test.each(leaves)(
    '$path prints its description with an example, and JSON on request',
    ({ path, command }) => {
      expect(command.description()).toMatch(/^[^A-Z].{10,}[^.]$/);
      let help = '';
      command.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      command.outputHelp();
      expect(help).toMatch(new RegExp(`\nExamples?:\n(.*\n)*  .*gantry ${path}\\b`));
      for (const { flags } of command.options.filter(({ mandatory }) => mandatory)) {
        expect(help).toMatch(new RegExp(`^ +${flags} +required; `, 'm'));
      }
      const hasJson = command.options.some(({ long }) => long === '--json');
      expect(hasJson || path === 'completion').toBe(true); // a shell script has no other form
    },
  );

  test('there is one for every operator task', () => {
    const wanted =
      'serve demo game player token session rules actions key openapi doctor backup restore export import migrate healthcheck config';
    const names = createProgram().commands.map((command) => command.name());
    expect(wanted.split(' ').filter((name) => !names.includes(name))).toEqual([]);
  });
});

test('config shows each setting with its source, and no secret', async () => {
  await using directory = await temporaryDirectory();
  await gantryJson(['game', 'create', '--name', 'Space Race'], directory.path);
  const password = join(directory.path, 'redis');
  writeFileSync(password, 'redis://user:canary@127.0.0.1:6379/1\n');
  const env = {
    DATA_DIR: directory.path,
    ADMIN_TOKEN: 'canary-canary-canary',
    REDIS_URL_FILE: password,
    CHAINS: '{"1":["https://user:canary@rpc.example/v3/canary?key=canary"],"5":["http://127.0.0.1:8545"]}',
    SIGNERS: `{"default":"0x${'ca'.repeat(32)}"}`,
    SESSION_DAYS: '',
  };
  const { code, stdout } = await gantry(['config', '--json'], { env });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/canary|cacaca/);
  const settings = z
    .array(z.looseObject({ name: z.string(), value: z.string().nullable(), source: z.string() }))
    .parse(JSON.parse(stdout));
  const of = (name: string) => settings.find((one) => one.name === name);
  expect(of('PORT')).toMatchObject({ value: '3000', source: 'default' });
  expect(of('SESSION_DAYS')).toMatchObject({ value: '1', source: 'default' });
  expect(of('DATA_DIR')).toMatchObject({ value: directory.path, source: 'environment' });
  expect(of('ADMIN_TOKEN')).toMatchObject({ value: '(hidden)', source: 'environment' });
  expect(of('GANTRY_SECRET_KEY')).toMatchObject({
    value: '(hidden)',
    source: 'file',
    file: join(directory.path, 'secret.key'),
  });
  expect(of('PUBLIC_URL')).toMatchObject({ value: null, source: 'unset' });
  expect(of('REDIS_URL')).toMatchObject({
    value: 'redis://user:hidden@127.0.0.1:6379/1',
    source: 'file',
    file: password,
  });
  expect(of('CHAINS')?.value).toContain('https://rpc.example/…');
  expect((await gantry(['config'], { env: { PORT: 'x' } })).code).toBe(1);
});

test('config hides the password of DATABASE_URL, which requires an encryption key and a PostgreSQL scheme', async () => {
  const env = {
    DATABASE_URL: 'postgres://user:canary@db.example:5433/gantry?sslmode=verify-full&password=canary',
    GANTRY_SECRET_KEY: 'ca'.repeat(32),
  };
  const { stdout } = await gantry(['config'], { env });
  expect(stdout).not.toMatch(/canary|cacaca/);
  expect(stdout).toContain(
    'postgres://user:hidden@db.example:5433/gantry?sslmode=verify-full&password=hidden',
  );
  const without = await gantry(['config'], { env: { ...env, GANTRY_SECRET_KEY: '' } });
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringContaining('DATABASE_URL requires GANTRY_SECRET_KEY: 64 hex digits'),
  ]);
  const elsewhere = await gantry(['config'], { env: { ...env, DATABASE_URL: 'mysql://db.example/gantry' } });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('DATABASE_URL')]);
});

test('healthcheck ends with 0 beside a server that accepts calls, and with 1 without', async () => {
  await using directory = await temporaryDirectory();
  const port = `${await freePort()}`;
  const check = () => gantry(['healthcheck', '--json'], { env: { PORT: port, HOST: '0.0.0.0' } });
  const without = await check();
  expect([without.code, JSON.parse(without.stdout)]).toMatchObject([1, { healthy: false }]);
  await using server = await serveGantry(directory.path, { PORT: port, GANTRY_DEMO: 'off' });
  const withServer = await check();
  expect([withServer.code, JSON.parse(withServer.stdout)]).toEqual([0, { healthy: true, status: 'ready' }]);
  const elsewhere = await gantry(['healthcheck', '--url', server.url]);
  expect([elsewhere.code, elsewhere.stdout]).toEqual([0, 'healthy  true\nstatus   ready\n']);
});

test('rules are tried with a value that has a fraction, or is negative', async () => {
  await using directory = await temporaryDirectory();
  await gantryJson(['game', 'create', '--name', 'One'], directory.path);
  const file = join(directory.path, 'rules.json');
  const conditions = [{ type: 'payload-value-condition', operator: 'lt', value: 12.6 }];
  writeFileSync(
    file,
    JSON.stringify([{ trigger: 'win', actions: [{ type: 'Notify', message: 'hi', conditions }] }]),
  );
  const wallet = `0x${'ab'.repeat(20)}`;
  const tried = ['rules', 'test', file, '--game', 'one', '--wallet', wallet, '--trigger', 'win', '--value'];
  for (const [value, fires] of [
    ['12.5', true],
    ['12.7', false],
    ['-3', true],
  ] as const) {
    expect(await gantryJson([...tried, value], directory.path)).toMatchObject([{ fires }]);
  }
});

test("openapi prints the server's document", async () => {
  await using directory = await temporaryDirectory();
  await using server = await serveGantry(directory.path, { GANTRY_DEMO: 'off' });
  const { stdout } = await gantry(['openapi'], { env: { PUBLIC_URL: server.url } });
  expect(JSON.parse(stdout)).toEqual((await get(`${server.url}/openapi.json`)).body);
  // Node may hang in process.exit while it compiles in other threads (nodejs/node#54918).
  const cut = spawnSync('bash', ['-c', 'node_modules/.bin/node src/gantry.js openapi | head -c 1'], {
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  expect([cut.stdout, cut.stderr]).toEqual(['{', '']);
});

test('player and session find, rename, ban, unban, revoke, export and erase', async () => {
  await using directory = await temporaryDirectory();
  const data = directory.path;
  const created = await gantryJson(['game', 'create', '--name', 'One'], data);
  const { gameId } = z.object({ gameId: z.string() }).parse(created);
  const wallet = randomWallet();
  const token = await gantryJson(['token', '--game', gameId, '--wallet', wallet], data);
  const { sessionId } = z.object({ sessionId: z.string() }).parse(token);
  expect(await gantryJson(['session', 'list', '--game', gameId, '--wallet', wallet], data)).toMatchObject([
    { sessionId, endedAt: null },
  ]);
  // How it was opened, to find those opened with a leaked secret.
  const shown = await gantry(['session', 'list'], { env: { DATA_DIR: data } });
  expect(shown.stdout).toMatch(/^sessionId +wallet +opened +by .*\n.*Z +administrator /);
  await gantryJson(['session', 'revoke', sessionId], data);
  expect(await gantryJson(['session', 'list'], data)).toMatchObject([{ sessionId, endReason: 'revoked' }]);
  await gantryJson(['player', 'rename', wallet, '--name', 'Ada'], data);
  expect(await gantryJson(['player', 'list', '--search', 'Ada'], data)).toMatchObject([
    { wallet, username: 'Ada' },
  ]);
  await gantryJson(['player', 'ban', wallet, '--game', gameId, '--reason', 'cheating'], data);
  expect(await gantryJson(['player', 'list'], data)).toMatchObject([{ wallet, bannedFrom: [gameId] }]);
  await gantryJson(['player', 'unban', wallet, '--game', gameId], data);
  const env = { DATA_DIR: data };
  const file = join(data, 'player.ndjson');
  expect(await gantryJson(['player', 'export', wallet, file], data)).toEqual({ wallet, file, records: 3 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { format: 'gantry-player', version: 1, wallet, exportedAt: expect.any(Number) },
    { type: 'players', row: { wallet, username: 'Ada' } },
    { type: 'channel_sessions', row: { id: sessionId, gameId, endReason: 'revoked' } },
    { type: 'opened_games', row: { gameId, openedAt: expect.any(Number) } },
    { type: 'end', records: 3 },
  ]);
  const again = await gantry(['player', 'export', wallet, file], { env });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });
  expect((await gantry(['player', 'erase', wallet], { env })).code).toBe(1); // without --yes
  await gantryJson(['player', 'erase', wallet, '--yes'], data);
  const gone = await gantry(['player', 'export', wallet, `${file}.gone`], { env });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('no player with this wallet') });
  expect(readdirSync(data).filter((name) => name.startsWith('player.'))).toEqual(['player.ndjson']);
  expect(await gantryJson(['player', 'list'], data)).toEqual([]);
});

test('migrate --check changes nothing and its exit code says whether a migration is pending', async () => {
  await using directory = await temporaryDirectory();
  const env = { DATA_DIR: directory.path };
  const check = async () => {
    const { code, stdout } = await gantry(['migrate', '--check', '--json'], { env });
    return [code, JSON.parse(stdout)];
  };
  expect(await check()).toMatchObject([1, { schemaVersion: 'none', upToDate: false }]);
  expect(readdirSync(directory.path)).toEqual([]);
  expect((await gantry(['migrate'], { env })).stderr).toMatch(/^There is no database/);
  makeDatabase(dataFiles(directory.path).database, 2, 5);
  expect(await check()).toMatchObject([1, { schemaVersion: 2, upToDate: false }]);
  const migrated = await gantryJson(['migrate'], directory.path);
  expect(migrated).toEqual({ before: 2, schemaVersion: latestSchema });
  expect(await check()).toMatchObject([0, { upToDate: true }]);
  const db = new SqliteDatabase(dataFiles(directory.path).database);
  db.exec('PRAGMA user_version = 4000; UPDATE history SET oldest_compatible = 4000');
  db.close();
  expect(await check()).toMatchObject([1, { schemaVersion: 4000, upToDate: false }]);
  expect((await gantry(['migrate'], { env })).stderr).toMatch(/schema version 4000/);
});

test('upgrade --check says what an upgrade does, what it needs and whether it can be undone; and changes nothing', async () => {
  await using directory = await temporaryDirectory();
  const { database } = dataFiles(directory.path);
  const env = { DATA_DIR: directory.path };
  const check = async () => {
    const { code, stdout, stderr } = await gantry(['upgrade', '--check', '--json'], { env });
    return stderr === '' ? [code, JSON.parse(stdout)] : [code, stderr];
  };
  expect(await check()).toEqual([1, expect.stringMatching(/^There is no database at/)]);
  makeDatabase(database, 40, 50);
  const before = readFileSync(database);
  const [code, found] = await check();
  expect(code).toBe(0);
  expect(found).toMatchObject({
    ...{
      schemaVersion: 40,
      wanted: latestSchema,
      nodesMayStay: false,
      nodes: null,
      rollBack: 'with a backup',
    },
    pending: [
      { schema: 41, name: 'calendar', kind: 'contract' },
      { schema: 42, name: 'schema-compatibility', kind: 'contract' },
      { schema: 43, name: 'opened-games', kind: 'expand' },
      { schema: 44, name: 'muted-games', kind: 'expand' },
      { schema: 45, name: 'game-erasures', kind: 'expand' },
    ],
    ...{ rows: 102, seconds: 1, blocked: [] }, // sessions, players, their game, and the row of history
    diskFree: expect.any(Number),
  });
  expect(readFileSync(database).equals(before)).toBe(true);
  const { stdout } = await gantry(['upgrade', '--check'], { env });
  expect(stdout).toMatch(
    new RegExp(
      `^Schema {7}40; this version uses ${latestSchema}\nPending {6}41 calendar \\(contract\\)\n {13}42 .*\n`,
    ),
  );
  expect(stdout).toMatch(/\nServers {6}stop all that run on the data directory/);
  expect(stdout).toMatch(/\nRoll back {4}only by restoring a backup made before/);

  await gantry(['migrate'], { env });
  expect(await check()).toMatchObject([0, { pending: [], rollBack: 'possible', rows: 0, seconds: 0 }]);
  const db = new SqliteDatabase(database);
  db.pragma(`user_version = ${latestSchema + 1}`);
  expect(await check()).toMatchObject([0, { schemaVersion: latestSchema + 1, pending: [], blocked: [] }]);
  db.exec(`UPDATE history SET oldest_compatible = ${latestSchema + 1}`);
  db.close();
  expect(await check()).toMatchObject([1, { blocked: [expect.stringContaining('from a newer Gantry')] }]);
  const { stdout: refusal } = await gantry(['upgrade', '--check'], { env });
  expect(refusal).toMatch(
    /^Schema .*\nPending {6}nothing\nBlocked {6}The schema .* is from a newer Gantry.*\n$/,
  );
});

test('with another key than its secrets are encrypted with, a database is neither opened nor migrated', async () => {
  await using directory = await temporaryDirectory();
  await gantryJson(['game', 'create', '--name', 'One'], directory.path);
  const db = new SqliteDatabase(dataFiles(directory.path).database);
  const before = latestSchema - 1;
  db.exec(`DROP TABLE game_erasures; PRAGMA user_version = ${before}`);
  const env = { DATA_DIR: directory.path, GANTRY_SECRET_KEY: 'ab'.repeat(32) };
  for (const command of [['serve'], ['game', 'list']]) {
    const { code, stderr } = await gantry(command, { env: { ...env, PORT: '0' } });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^GANTRY_SECRET_KEY.* is not the key/)]);
    expect(db.pragma('user_version', { simple: true })).toBe(before);
  }
  db.close();
  expect(await gantryJson(['game', 'list'], directory.path)).toMatchObject([{ name: 'One' }]);
});

test('demo runs in a temporary directory, which is removed when it ends', async () => {
  await using directory = await temporaryDirectory();
  await using temporary = await temporaryDirectory();
  // Node also caches compiled modules there.
  const made = () => readdirSync(temporary.path).filter((name) => name !== 'node-compile-cache');
  const data = join(directory.path, 'untouched');
  await using server = await serveGantry(data, { TMPDIR: temporary.path }, { command: 'demo' });
  expect(made()).toEqual([expect.stringMatching(/^gantry-demo-/)]);
  expect(server.output.stdout).toMatch(/Demo game +\S+/);
  expect((await server.end('SIGTERM')).code).toBe(0);
  expect(made()).toEqual([]);
  expect(readdirSync(directory.path)).toEqual([]);
});

describe('completion', () => {
  const script = async (shell: string) => (await gantry(['completion', shell])).stdout;
  const has = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

  /** Every command, with its completions: its subcommands, the choices of its argument, its options. */
  const places = placesOf(createProgram());
  const lines = places.map(({ path }) => ['gantry', ...path, '']);
  const wanted = places.map(({ path, offered }) => `${path.join(' ')}: ${offered.join(' ')}`);
  /** A shell's output, one line per position, in the order of the positions. */
  const byPlace = (printed: string) =>
    printed
      .trimEnd()
      .split('\n')
      .map((line, index) => `${places[index]?.path.join(' ')}: ${line.split(' ').toSorted().join(' ')}`);

  test('bash completes every command, and the values of options', async () => {
    const bash = await script('bash');
    const offered = (all: readonly (readonly string[])[]) => {
      const runs = all.map(
        (words) =>
          `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _gantry; echo "\${COMPREPLY[*]}"`,
      );
      return execFileSync('bash', ['-c', [bash, ...runs].join('\n')], { encoding: 'utf8' });
    };
    expect(byPlace(offered(lines))).toEqual(wanted);
    expect(
      offered([
        ['gantry', 'd'],
        ['gantry', 'game', 'create', '--name', 'x', '--sl'],
        ['gantry', 'leaderboard', 'end-season', 'weekly', '--ga'],
        ['gantry', 'leaderboard', 'create', 'weekly', '--order', ''],
        ['gantry', '--url', 'https://play.example', 'sdk', 'py'],
        ['gantry', 'game', 'create', '--name', ''],
      ]).split('\n'),
    ).toEqual(['demo doctor docs', '--slug', '--game', 'desc asc', 'python', '', '']);
  });

  test.skipIf(!has('zsh'))('zsh offers the same', async () => {
    const zsh = await script('zsh');
    const shell = `compdef() { :; }; compadd() { shift; print -- "$@"; }; _files() { print files; }\n${zsh}`;
    const all = [
      ...lines,
      ['gantry', 'leaderboard', 'create', 'x', '--order', ''],
      ['gantry', 'export', '--name', ''],
    ];
    const runs = all.map((words) => `words=(${quoted(words)}); CURRENT=${words.length}; _gantry`);
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', [shell, ...runs].join('\n')], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const printed = stdout.split('\n');
    expect(byPlace(printed.slice(0, lines.length).join('\n'))).toEqual(wanted);
    expect(printed[lines.length]).toBe('desc asc');
  });

  test.skipIf(!has('fish'))('fish offers the same', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.fish');
    writeFileSync(file, await script('fish'));
    // Options are offered once a dash is typed.
    const runs = lines.flatMap((words) => [
      `complete -C '${words.join(' ')}'; complete -C '${words.join(' ')}-'; echo =`,
    ]);
    const { stdout, stderr } = spawnSync(
      'fish',
      ['-N', '-c', [`source ${file}`, 'cd /proc/self/fdinfo', ...runs].join('\n')],
      { encoding: 'utf8', env: { ...process.env, HOME: directory.path } },
    );
    expect(stderr).toBe('');
    const printed = stdout.split('=\n').slice(0, -1);
    const missing = places.flatMap(({ path, offered }, index) => {
      const names = printed[index]?.split('\n').map((line) => line.split('\t')[0]);
      return offered.filter((one) => !names?.includes(one)).map((one) => `${path.join(' ')} ${one}`);
    });
    expect(missing).toEqual([]);
    expect(printed[1]).not.toContain('doctor');
  });
});

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

function placesOf(command: Command, path: readonly string[] = []): { path: string[]; offered: string[] }[] {
  const within = command.commands.find((one) => `${path.join(' ')} ${one.name()}` in runByDefault);
  const options = [...command.options, ...(within?.options ?? [])].map(({ long }) => long ?? '');
  const names = command.commands.map((one) => one.name());
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  const offered = [...new Set([...names, ...choices, ...options, '--help'])].toSorted();
  return [
    { path: [...path], offered },
    ...command.commands.flatMap((one) => placesOf(one, [...path, one.name()])),
  ];
}

/** Commands whose name may be omitted: `gantry leaderboard --game orbit`. */
const runByDefault = { 'leaderboard show': true, 'admin run': true };
