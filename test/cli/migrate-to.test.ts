import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { events, streams } from '../../src/core/events/tables.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { serverKeys } from '../../src/features/sessions/tables.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { caseOf } from '../operations/cases.ts';
import { contentOf } from '../storage/differential.ts';
import { learn, newScene, randomFrom, randomOperation } from '../storage/random-writes.ts';
import { get, post } from '../support/http.ts';
import { listen } from '../support/listening-client.ts';
import { accepted, refused } from '../support/outcome.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { isAboutConnection, pathOf, registry } from '../support/registered.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';
import { bearer, createWorld, type World } from '../support/world.ts';

const publicUrl = 'https://play.example';
const onSqlite = { DATABASE_URL: '', GANTRY_SECRET_KEY: '', PUBLIC_URL: publicUrl };
const written = z.object({ tables: z.record(z.string(), z.number()), rows: z.number() });

/** About the running node: its counters, who is connected, deliveries that it retries, and whether it makes backups. */
const ofNode = [
  'joinFriend',
  'getServerStats',
  'serverSummary',
  'listActions',
  'listWebhookDeliveries',
  'listBackups',
];
const reads = registry.operations.filter(
  (operation) =>
    operation.kind === 'read' && !isAboutConnection(operation) && !ofNode.includes(operation.name),
);

test.skipIf(noPostgres !== null)(
  'a data directory moves to PostgreSQL: every read returns the same, keys, secrets and cursors stay valid',
  async () => {
    await using directory = await temporaryDirectory();
    await using database = await freshDatabase();
    const before = await startTestServer({ ...onSqlite, DATA_DIR: directory.path, ADMIN_TOKEN: '' });
    const { adminToken } = before;
    expect(adminToken).toMatch(/^gat_/);
    const world = await createWorld(before);
    await writeRandomly(world, 400);
    const calls = await callsOf(world);
    const away = listen({ url: before.url, launcherJwt: world.participant.launcherJwt });
    await away.client.ready();
    const { cursors } = away.client;
    away[Symbol.dispose]();
    const say = (db: Store, content: string) => db.write(sendMessage, world.owner, world.channelId, content);
    for (let n = 1; n <= 30; n++) await say(before.services.db, `missed ${n}`);
    const answers = await answersOf(before.url, calls, adminToken);
    const signingKeys = (await get(`${before.url}/.well-known/jwks.json`)).body;
    await before.close();
    const left = new SqliteDatabase(dataFiles(directory.path).database, domain);
    const content = await contentOfAll(left); // only now: a running server keeps retrying its deliveries
    await left.close();

    const { secretKey: secretFile } = dataFiles(directory.path);
    const secretKey = readFileSync(secretFile, 'utf8');
    const env = { DATA_DIR: directory.path, GANTRY_SECRET_KEY: secretKey };
    const moved = await gantry(['migrate-to', database.url, '--json'], { env });
    expect([moved.code, moved.stderr]).toEqual([0, '']);
    const report = written.parse(JSON.parse(moved.stdout));
    expect(report.tables).toEqual({
      ...Object.fromEntries(Object.entries(content).map(([name, rows]) => [name, rows.length])),
      server_keys: 2,
    });

    const filled = await PostgresDatabase.open(database.url, domain);
    expect(await contentOfAll(filled)).toEqual(content);
    await filled.close();
    await using after = await startTestServer({
      DATA_DIR: join(directory.path, 'none'),
      DATABASE_URL: database.url,
      GANTRY_SECRET_KEY: secretKey,
      PUBLIC_URL: publicUrl,
      ADMIN_TOKEN: '',
    });
    expect(after.createdAdminToken).toBe(null);
    expect(await answersOf(after.url, calls, adminToken)).toEqual(answers);
    expect((await get(`${after.url}/.well-known/jwks.json`)).body).toEqual(signingKeys);
    await showSecret(after.url, world);

    using back = listen({ url: after.url, launcherJwt: world.participant.launcherJwt, cursors });
    await back.client.ready();
    const said = () =>
      back.received
        .filter(({ meta }) => meta.stream === `channel:${world.channelId}`)
        .map(({ record }) => record.content);
    await say(after.services.db, 'after the move');
    await until('all that was missed', () => said().includes('after the move'));
    expect(said()).toEqual([...Array.from({ length: 30 }, (_, n) => `missed ${n + 1}`), 'after the move']);
    expect(back.resyncs).toEqual([]);

    const again = await gantry(['migrate-to', database.url], { env });
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/^The PostgreSQL database is not empty: .*games.* Create another database/);
  },
);

test.skipIf(noPostgres !== null)(
  'a data directory that cannot be moved completely is not moved, and the error says why',
  async () => {
    await using directory = await temporaryDirectory();
    await using database = await freshDatabase();
    const moveWith = async (variables: Record<string, string>, url = database.url) => {
      const { code, stdout, stderr } = await gantry(['migrate-to', url], {
        env: { DATA_DIR: directory.path, ...variables },
      });
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    expect(await moveWith({})).toMatch(/^There is no database in /);
    const server = await startTestServer({ ...onSqlite, DATA_DIR: directory.path });
    await server.createGame();
    const { secretKey: secretFile } = dataFiles(directory.path);
    const key = { GANTRY_SECRET_KEY: readFileSync(secretFile, 'utf8') };
    expect(await moveWith(key)).toBe(`A server or a command is using ${directory.path}. Stop it first.\n`);
    await server.close();
    expect(await moveWith({})).toContain(`GANTRY_SECRET_KEY=$(cat ${secretFile})`);
    expect(await moveWith({ GANTRY_SECRET_KEY: '5e'.repeat(32) })).toMatch(
      /^GANTRY_SECRET_KEY is not the key that .* set it to what .*secret\.key holds\. Nothing was changed\./,
    );
    expect(await moveWith(key, 'mysql://db/gantry')).toBe('The URL must begin with postgres://.\n');
    expect(await moveWith(key, 'postgres://gantry@127.0.0.1:1/gantry')).toMatch(
      /^The PostgreSQL database cannot be filled, and nothing was changed: .*ECONNREFUSED/,
    );
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query("SELECT 1 FROM pg_tables WHERE tablename = 'games'");
      expect(rows).toEqual([]);
    } finally {
      await client.end();
    }
  },
);

interface Call {
  name: string;
  path: string;
  isAdmin: boolean;
  /** The game's secret, where only its server may call. */
  secret?: string;
  input: object;
}

/** Every read operation, with the input of its case. */
async function callsOf(world: World): Promise<Call[]> {
  const calls: Call[] = [];
  for (const operation of reads) {
    const { input, caller = 'owner' } = caseOf(operation);
    const isAdmin = operation.auth === 'admin';
    const launcherJwt = isAdmin ? undefined : world.tokens[caller];
    const { name } = operation;
    calls.push({
      name,
      path: pathOf(operation),
      isAdmin,
      ...(operation.auth === 'game-secret' && { secret: world.gameSecret }),
      input: { launcherJwt, ...(await input(world, caller)) },
    });
  }
  return calls;
}

async function answersOf(
  url: string,
  calls: readonly Call[],
  adminToken: string,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { name, path, isAdmin, secret, input } of calls) {
    const token = isAdmin ? adminToken : secret;
    const { status, body } = await post(url + path, input, token === undefined ? {} : bearer(token));
    expect([name, status]).toEqual([name, 200]);
    answers[name] = body;
  }
  return answers;
}

/** The game's secret is still accepted, by what is stored of it, and another one is refused. */
async function showSecret(url: string, { owner, gameSecret }: World): Promise<void> {
  const scores = (secret: string) =>
    post(
      `${url}/launcher/get-user-scores`,
      { launcherJwt: owner.launcherJwt, limit: 1, skip: 0 },
      bearer(secret),
    );
  accepted(await scores(gameSecret), z.unknown());
  refused(await scores(`${gameSecret}x`), 401, 'secret_invalid');
}

/** Random writes, by players other than the world's, who would be banned and have their sessions ended. */
async function writeRandomly({ server, gameId, otherGameId }: World, count: number): Promise<void> {
  const { db } = server.services;
  const players = await Promise.all([1, 2, 3].map(() => server.openSession(gameId)));
  const random = randomFrom(14);
  const wallets = players.map(({ wallet }) => wallet);
  const scene = { ...newScene(wallets, ['games']), gameIds: [gameId, otherGameId] };
  for (let n = 0; n < count; n++) {
    const operation = randomOperation(random, scene);
    learn(scene, operation, await operation.run(db).catch(() => null)); // some are refused
  }
}

async function contentOfAll(db: Store): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const table of [streams, ...tables, events]) {
    content[table.name] = table === serverKeys ? [] : await contentOf(db, table);
  }
  return content;
}
