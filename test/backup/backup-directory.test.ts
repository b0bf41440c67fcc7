import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  hashOfToken,
  newAdministratorToken,
} from '../../src/features/administration/administrators/administrator.ts';
import {
  addAdministrator,
  changeAdministrator,
  removeAdministrator,
} from '../../src/features/administration/administrators/commands.ts';
import {
  changeBackupSchedule,
  readBackupSchedule,
} from '../../src/features/administration/backup-schedule.ts';
import { backupRecord } from '../../src/features/administration/backups.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { allGames } from '../../src/features/games/queries.ts';
import { backupsOf } from '../support/backups.ts';
import { get, post } from '../support/http.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry, gantryJson } from '../support/warm-gantry.ts';
import { bearer } from '../support/world.ts';

let directory: TemporaryDirectory;
let server: TestServer;
beforeEach(async () => {
  directory = await temporaryDirectory();
  server = await startTestServer({ DATA_DIR: join(directory.path, 'data') });
});
afterEach(async () => {
  await server.close();
  await directory[Symbol.asyncDispose]();
});

const call = (path: string, input: object = {}, token = server.adminToken) =>
  post(`${server.url}/admin/${path}`, input, bearer(token));

async function make(input: object = {}) {
  const { status, body } = await call('make-backup', input);
  expect(status, JSON.stringify(body)).toBe(200);
  return z.object({ backup: backupRecord }).parse(body).backup;
}

async function linkTo(name: string, token?: string): Promise<string> {
  const { status, body } = await call('download-backup', { name }, token);
  expect(status, JSON.stringify(body)).toBe(200);
  return server.url + z.object({ path: z.string() }).parse(body).path;
}

const mode = (path: string) => statSync(path).mode & 0o777;

describe('a backup made by the server', () => {
  test('is a file that nobody else can read, and that restores the original data', async () => {
    await server.createGame({ name: 'Orbit' });
    const backup = await make();
    const folder = join(directory.path, 'data', 'backups');
    expect(readdirSync(folder)).toEqual([backup.name]);
    expect([mode(folder), mode(join(folder, backup.name))]).toEqual([0o700, 0o600]);
    expect(statSync(join(folder, backup.name)).size).toBe(backup.bytes);
    const into = join(directory.path, 'into');
    const { code, stderr } = await gantry(['restore', join(folder, backup.name)], {
      env: { DATA_DIR: into },
    });
    expect(code, stderr).toBe(0);
    expect(existsSync(join(into, 'secret.key'))).toBe(true);
    await using restored = await startTestServer({ DATA_DIR: into });
    expect((await restored.services.db.read(allGames)).map(({ name }) => name)).toContain('Orbit');
  });

  test('omits the keys on request, and says so', async () => {
    const backup = await make({ withoutKeys: true });
    expect(backup.hasKeys).toBe(false);
    const into = join(directory.path, 'into');
    const file = join(directory.path, 'data', 'backups', backup.name);
    await gantry(['restore', file], { env: { DATA_DIR: into } });
    expect(existsSync(join(into, 'secret.key'))).toBe(false);
    expect(await backupsOf(server).list()).toEqual([backup]);
  });

  test('is the only one at a time; other requests are told to wait', async () => {
    const answers = await Promise.all([call('make-backup'), call('make-backup'), call('make-backup')]);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(2);
    for (const { body } of refused) expect(body).toMatchObject({ data: { reason: 'backup_running' } });
    expect(await backupsOf(server).list()).toHaveLength(1);
    expect(backupsOf(server).running()).toBeNull();
  });

  test('begins after a scheduled one in progress, and the command says so', async () => {
    const backups = backupsOf(server);
    const there = ['--url', server.url, '--token', server.adminToken, 'admin'];
    await gantry([...there, 'list-backups']); // from now on, commands start at once
    const during = async <Answer>(ask: () => Promise<Answer>) => {
      const scheduled = [1, 2, 3].map(() => backups.make('scheduled', { withoutKeys: false }));
      expect(backups.running()?.kind).toBe('scheduled');
      const [answer] = await Promise.all([ask(), ...scheduled]);
      return answer;
    };
    const asked = await during(() => call('make-backup'));
    expect(asked).toMatchObject({ status: 200, body: { backup: { kind: 'manual' } } });
    expect(await during(() => gantry([...there, 'make-backup']))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"kind":"manual"'),
      stderr: 'A scheduled backup is in progress; this one begins when it is complete\n',
    });
    const kinds = (await backups.list()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'manual')).toHaveLength(2);
    expect(kinds.filter((kind) => kind === 'scheduled')).toHaveLength(6);
  });

  test('is stored in BACKUP_DIR, and fails with a clear error where it cannot', async () => {
    const elsewhere = join(directory.path, 'elsewhere');
    await using own = await startTestServer({ DATA_DIR: join(directory.path, 'own'), BACKUP_DIR: elsewhere });
    const { name } = await backupsOf(own).make('manual', { withoutKeys: false });
    expect(readdirSync(elsewhere)).toEqual([name]);
    const file = join(directory.path, 'a-file');
    writeFileSync(file, '');
    await using none = await startTestServer({ DATA_DIR: join(directory.path, 'none'), BACKUP_DIR: file });
    const answer = await post(`${none.url}/admin/make-backup`, {}, bearer(none.adminToken));
    expect(answer).toMatchObject({
      status: 503,
      body: {
        data: { reason: 'backup_failed' },
        message: 'The backup was not made: BACKUP_DIR is no directory',
      },
    });
  });

  test('that a stop interrupted leaves no files behind, and old leftovers are removed', async () => {
    const folder = join(directory.path, 'data', 'backups');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    const making = backupsOf(server).make('manual', { withoutKeys: false });
    const [outcome] = await Promise.allSettled([making, server.close()]);
    const left = readdirSync(folder);
    expect(left).toHaveLength(outcome.status === 'fulfilled' ? 1 : 0);
    expect(left.filter((name) => name.includes('.partial'))).toEqual([]);
  });

  test('is deleted on request, while other files are kept', async () => {
    const { name } = await make();
    for (const other of [
      'gantry.db',
      '../gantry.db',
      '../secret.key',
      `../backups/${name}`,
      `${name}/`,
      '',
    ]) {
      const reason = other === '' ? 'input_invalid' : 'backup_unknown';
      expect((await call('remove-backup', { name: other })).body).toMatchObject({ data: { reason } });
      expect((await call('download-backup', { name: other })).body).toMatchObject({ data: { reason } });
    }
    expect((await call('remove-backup', { name })).status).toBe(200);
    expect(await backupsOf(server).list()).toEqual([]);
    expect(existsSync(join(directory.path, 'data', 'gantry.db'))).toBe(true);
  });
});

describe('a download', () => {
  async function newOperator() {
    const token = newAdministratorToken();
    const hashed = { tokenHash: hashOfToken(token), lifetimeMs: null };
    return { token, ...(await server.services.db.write(addAdministrator, 'Ada', 'operator', hashed)) };
  }

  test('is the file, through a link that works once and needs no token', async () => {
    const { name, bytes } = await make();
    const link = await linkTo(name);
    expect((await fetch(link, { method: 'HEAD' })).headers.get('Content-Length')).toBe(String(bytes));
    const response = await fetch(link);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(bytes),
      'cache-control': 'no-store',
    });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    const content = Buffer.from(await response.arrayBuffer());
    expect(content.subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(content.length).toBe(bytes);
    expect(await get(link)).toMatchObject({ status: 404, body: { data: { reason: 'path_unknown' } } });
    const { rows } = await server.services.db.read(readAuditLog, { limit: 1, skip: 0 });
    expect(rows).toMatchObject([{ operation: 'downloadBackup', input: { name }, outcome: 'ok' }]);
  });

  test('works once, whichever of several servers on the data directory sends it', async () => {
    const { name } = await make();
    const link = await linkTo(name);
    await using other = await startTestServer({ DATA_DIR: join(directory.path, 'data') });
    const elsewhere = other.url + new URL(link).pathname;
    expect((await fetch(elsewhere, { method: 'HEAD' })).status).toBe(200);
    const downloads = await Promise.all([link, elsewhere].map((one) => fetch(one)));
    expect(downloads.map(({ status }) => status).sort()).toEqual([200, 404]);
    for (const one of [link, elsewhere]) expect((await fetch(one, { method: 'HEAD' })).status).toBe(404);
    expect((await call('list-backups')).body).toMatchObject({ backups: [{ name }] });
  });

  test('continues where it was interrupted, with a new link and a range', async () => {
    const { name, bytes } = await make();
    const whole = await fetch(await linkTo(name));
    const content = Buffer.from(await whole.arrayBuffer());
    expect(whole.headers.get('Accept-Ranges')).toBe('bytes');
    const etag = whole.headers.get('ETag') ?? '';
    const part = async (headers: Record<string, string>) => {
      const response = await fetch(await linkTo(name), { headers });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, range: response.headers.get('Content-Range'), body };
    };
    const rest = { status: 206, range: `bytes 1000-${bytes - 1}/${bytes}`, body: content.subarray(1000) };
    expect(await part({ Range: 'bytes=1000-' })).toEqual(rest);
    expect(await part({ Range: 'bytes=1000-', 'If-Range': etag })).toEqual(rest);
    const [first, last] = [content.subarray(0, 16), content.subarray(-7)];
    expect(await part({ Range: 'bytes=0-15' })).toMatchObject({ status: 206, body: first });
    expect(await part({ Range: 'bytes=-7' })).toMatchObject({ status: 206, body: last });
    const all = { status: 200, range: null, body: content };
    expect(await part({ Range: 'bytes=1000-', 'If-Range': '"another"' })).toEqual(all);
    expect(await part({ Range: 'bytes=0-1,5-6' })).toEqual(all);
    expect(await part({ Range: 'lines=1-2' })).toEqual(all);
    const beyond = { status: 416, range: `bytes */${bytes}`, body: Buffer.alloc(0) };
    expect(await part({ Range: `bytes=${bytes}-` })).toEqual(beyond);
  });

  test('works through no other link, and through none of another server', async () => {
    const { name } = await make();
    const link = await linkTo(name);
    const changed = `${link.slice(0, -3)}AAA`;
    for (const other of [changed, `${server.url}/admin/backups/${name}`, `${server.url}/admin/backups/x`]) {
      expect((await get(other)).status).toBe(404);
    }
    await using foreign = await startTestServer();
    const theirs = await backupsOf(foreign).make('manual', { withoutKeys: true });
    const { path } = await backupsOf(foreign).link(theirs.name, {
      administratorId: null,
      actor: 'cli',
      role: 'owner',
      expiresAt: null,
    });
    expect((await get(server.url + path)).status).toBe(404);
    expect((await fetch(link, { method: 'POST' })).status).not.toBe(200);
  });

  test("is refused when the link's creator has been revoked or has another role since", async () => {
    const { name } = await make();
    const { token, administratorId } = await newOperator();
    const [first, second] = [await linkTo(name, token), await linkTo(name, token)];
    await server.services.db.write(changeAdministrator, administratorId, { role: 'moderator' });
    expect((await get(first)).status).toBe(404);
    await server.services.db.write(removeAdministrator, administratorId);
    expect((await get(second)).status).toBe(404);
  });

  test('in progress is aborted when the administrator is revoked', async () => {
    const { db } = server.services;
    const backups = backupsOf(server);
    const { name, bytes } = await make();
    const caller = await newOperator();
    const { path } = await backups.link(name, { ...caller, actor: 'Ada' });
    const download = await backups.open(path.split('/').at(-1) ?? '', { consume: true });
    expect(download?.bytes).toBe(bytes);
    const stream = download?.stream();
    const failed = new Promise<Error>((resolve) => stream?.once('error', resolve));
    await db.write(removeAdministrator, caller.administratorId); // nobody reads it: it waits
    expect((await failed).message).toMatch(/may not download/);
  });
});

describe('the schedule', () => {
  test('makes a backup immediately, keeps the configured number, and leaves manual ones', async () => {
    const manual = await make();
    const kinds = async () => (await backupsOf(server).list()).map(({ kind }) => kind);
    const { db } = server.services;
    const backups = backupsOf(server);
    for (const made of [1, 2, 2]) {
      const before = new Set((await backups.list()).map(({ name }) => name));
      await call('set-backup-schedule', { everyHours: null });
      expect(await call('set-backup-schedule', { everyHours: 24, keep: 2 })).toMatchObject({
        status: 200,
        body: { schedule: { everyHours: 24, keep: 2, failure: null } },
      });
      await until('it is made, and what is too much removed', async () => {
        const names = (await backups.list())
          .filter(({ kind }) => kind === 'scheduled')
          .map(({ name }) => name);
        return names.length === made && names.some((name) => !before.has(name));
      });
    }
    expect((await backups.list()).map(({ name }) => name)).toContain(manual.name);
    expect((await kinds()).toSorted()).toEqual(['manual', 'scheduled', 'scheduled']);
    await until('the next one is a day away', async () => {
      const dueAt = (await db.read(readBackupSchedule))?.schedule.dueAt ?? 0;
      return dueAt > Date.now() + 23 * 3_600_000;
    });
  });

  test('shows in the list why it failed', async () => {
    const file = join(directory.path, 'a-file');
    writeFileSync(file, '');
    await using own = await startTestServer({ DATA_DIR: join(directory.path, 'own'), BACKUP_DIR: file });
    await own.services.db.write(changeBackupSchedule, { everyHours: 1, keep: 1 });
    await until('it has failed', async () => {
      const found = await own.services.db.read(readBackupSchedule);
      return found?.schedule.failure === 'The backup was not made: BACKUP_DIR is no directory';
    });
  });

  test('is set on the command line, for a running server', async () => {
    const { dataDirectory } = server.config;
    expect(await gantryJson(['backup', '--schedule', '12', '--keep', '5'], dataDirectory)).toMatchObject({
      everyHours: 12,
      keep: 5,
    });
    await until('the server makes it', async () => (await backupsOf(server).list()).length === 1);
    expect(await gantryJson(['backup', '--schedule', 'off'], dataDirectory)).toEqual({ everyHours: null });
    expect(await server.services.db.read(readBackupSchedule)).toBeNull();
  });

  test.each([
    [['--schedule', '0.5'], /must be from 1 to 8,784 hours/],
    [['--schedule', '24', '--keep', '0'], /must be a whole number from 1 to 1,000/],
    [['--schedule', '24', 'some.gantry'], /takes no file/],
    [['--keep', '3'], /--keep goes with --schedule/],
    [[], /^Specify a file, or --schedule/],
  ])('gantry backup %j is refused with a clear error', async (args, words) => {
    const env = { DATA_DIR: server.config.dataDirectory };
    const { code, stdout, stderr } = await gantry(['backup', ...args], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test.skipIf(noPostgres !== null)(
  'on PostgreSQL backups are left to its own tools, and every interface says so',
  async () => {
    await using database = await freshDatabase();
    await using own = await startTestServer({
      DATA_DIR: join(directory.path, 'shared'),
      DATABASE_URL: database.url,
      GANTRY_SECRET_KEY: '5e'.repeat(32),
    });
    const ask = (path: string, input: object = {}) =>
      post(`${own.url}/admin/${path}`, input, bearer(own.adminToken));
    expect(await ask('list-backups')).toMatchObject({
      status: 200,
      body: { unavailable: expect.stringContaining('pg_dump'), backups: [], running: null, schedule: null },
    });
    for (const [path, input] of [
      ['make-backup', {}],
      ['download-backup', { name: 'any' }],
      ['remove-backup', { name: 'any' }],
      ['set-backup-schedule', { everyHours: 24 }],
    ] as const) {
      expect(await ask(path, input)).toMatchObject({
        status: 400,
        body: { data: { reason: 'backup_unavailable' }, message: expect.stringContaining('PostgreSQL') },
      });
    }
    const created = await ask('create-administrator', { name: 'Ada', role: 'moderator' });
    const { token } = z.object({ token: z.string() }).parse(created.body);
    const refused = await post(`${own.url}/admin/create-game`, { name: 'Orbit' }, bearer(token));
    expect(refused).toMatchObject({ status: 403, body: { data: { reason: 'role_insufficient' } } });
  },
);
