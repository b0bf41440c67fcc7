import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteFile from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/storage/store.ts';
import { schemaVersion } from '../../src/engines/postgres/migrate.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { latestSchema, migrate } from '../../src/engines/sqlite/migrate.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { listActivities } from '../../src/features/activities/queries.ts';
import { readAuditLog } from '../../src/features/administration/queries.ts';
import { streamPosition } from '../../src/features/events/queries.ts';
import { allGames, sealedSecrets } from '../../src/features/games/queries.ts';
import { listChannelMessages, listChannels } from '../../src/features/messages/queries.ts';
import { listUndelivered } from '../../src/features/notifications/queries.ts';
import { findPlayers } from '../../src/features/players/queries.ts';
import { readActions } from '../../src/features/queue/queries.ts';
import { readRules } from '../../src/features/rules/queries.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { listPlayerStates, readPublicStatesPage } from '../../src/features/states/queries.ts';
import { gameStorages } from '../../src/features/storage-quota/game-storage.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { recountedGameBytes } from '../contracts/storage/recounted-game-bytes.ts';
import { compiledOf, repository } from '../support/gantry-process.ts';
import { noPostgres } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fingerprint, gameId, makeDatabase, walletOf } from './database-of-version.ts';
import { growDatabase, idsOnPostgres } from './postgres-of-version.ts';

const earlier = Array.from({ length: latestSchema - 1 }, (_, index) => index + 1);
const players = 700;
const page = { limit: 250, skip: 0 };

/** Everything the store returns of the inserted data of so many players. */
async function told(store: Store, players: number, ids = { session: 'session-5', channel: 'channel' }) {
  const owner = { gameId, wallet: walletOf(0) };
  return {
    games: await store.read(allGames),
    secrets: await store.read(sealedSecrets, gameId),
    rules: await store.read(readRules, gameId),
    players: await store.read(findPlayers, { gameId }, { limit: 250, skip: 0 }),
    session: await store.read(findSession, ids.session),
    top: await store.read(readBoardPage, defaultBoardOf(gameId), page),
    deep: await store.read(readBoardPage, defaultBoardOf(gameId), { limit: 10, skip: players - 10 }),
    positions: await Promise.all(
      [0, 1, 255, 256, 699]
        .filter((player) => player < players)
        .map((player) => store.read(readPlace, defaultBoardOf(gameId), walletOf(player))),
    ),
    score: await store.read(listScores, { gameId, wallet: walletOf(9) }, page),
    states: await store.read(listPlayerStates, { gameId, wallet: walletOf(9) }, page),
    activities: await store.read(listActivities, { gameId }, page),
    notifications: await store.read(listUndelivered, { gameId, wallet: walletOf(3) }, 10),
    channels: await store.read(listChannels, owner, page),
    messages: await store.read(listChannelMessages, owner, ids.channel, page),
    audit: await store.read(readAuditLog, page),
    standing: await store.read(streamPosition, `player:${gameId}:${walletOf(4)}`),
  };
}

/** What a database of the first version contains after its upgrade. */
async function toldFromFirst() {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'first.db');
  makeDatabase(file, 1, players);
  const store = new SqliteDatabase(file, domain);
  const { standing: _, notifications: __, ...all } = await told(store, players);
  await store.close();
  return all;
}

let fromFirst: ReturnType<typeof toldFromFirst> | undefined;

describe.each(earlier)('a database of schema version %i', (version) => {
  let made: Buffer;
  beforeAll(async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'made.db');
    makeDatabase(file, version, players);
    made = readFileSync(file);
  });

  test('is upgraded with all its data, and keeps working', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.db');
    writeFileSync(file, made);
    const store = new SqliteDatabase(file, domain);
    const all = await told(store, players);
    fromFirst ??= toldFromFirst();
    expect(all).toMatchObject(await fromFirst); // whichever version it started from
    expect(all.top.map(({ score }) => score)).toEqual(
      Array.from({ length: 250 }, (_, rank) => players - 1 - rank),
    );
    expect(all.deep.at(-1)).toMatchObject({ score: 0, username: 'Player 0' });
    expect(all.positions).toEqual([700, 699, 445, 444, 1]);
    const recounted = await store.read(recountedGameBytes, domain.tables, gameId);
    expect(recounted).toBeGreaterThan(players * 512);
    expect(await store.read(gameStorages, 1)).toEqual([{ gameId, bytes: recounted, quota: 1 }]);
    expect(all.states).toMatchObject([{ label: 'save', version: 1, json: '{"level":9}' }]);
    const ofNine = { gameId, wallet: walletOf(9) };
    expect(await store.read(readPublicStatesPage, ofNine, page)).toMatchObject({ states: [] });
    expect(all.activities).toHaveLength(250);
    expect(all.notifications).toHaveLength(1);
    expect(all.channels.rows).toMatchObject([{ _id: 'channel' }]);
    expect(all.messages.rows).toMatchObject([{ content: 'Hello' }]);
    expect(all.rules).toMatchObject({ version: 3, rules: [{ trigger: 'win' }] });
    expect(all.secrets).toEqual([{ hash: 'hash', sealedMd5: 'md5', sealedSecret: 'sealed' }]);
    if (version >= 5)
      expect((await store.read(readActions, { state: 'failed' }, page)).total).toBe(players / 2);

    await store.write(setScore, { gameId, wallet: walletOf(2) }, 10_000);
    expect(await store.read(readPlace, defaultBoardOf(gameId), walletOf(2))).toBe(1);
    await store.close();
    const db = new SqliteFile(file);
    expect(db.pragma('user_version', { simple: true })).toBe(latestSchema);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    // A state and a play session each, and a message of the first player.
    const use = db.prepare<[string], number>('SELECT bytes FROM storage_use WHERE wallet = ?').pluck();
    expect([0, 9, 600].map((player) => use.get(walletOf(player)))).toEqual([
      3 * 512 + '{"level":0}{}Hello'.length,
      2 * 512 + '{"level":9}{}'.length,
      2 * 512 + '{"level":600}{}'.length,
    ]);
    db.close();
  });

  test('is left unchanged by a migration that fails, and is upgraded once nothing is in the way', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'gantry.db');
    writeFileSync(file, made);
    edit(file, 'VACUUM'); // no free pages inside that it could use
    // A table created late, where earlier tables are copied and need space; otherwise what the last migration creates.
    const table = version < 5 ? 'grants' : 'game_erasures';
    edit(file, `CREATE TABLE ${table} (in_the_way)`);
    const before = fingerprint(file);
    const full = new SqliteFile(file);
    full.pragma(`max_page_count = ${Number(full.pragma('page_count', { simple: true })) + 1}`);
    expect(() => migrate(full)).toThrow(/full|(grants|game_erasures) already exists/);
    expect(full.inTransaction).toBe(false);
    full.close();
    expect(fingerprint(file)).toBe(before);
    edit(file, `DROP TABLE ${table}`);
    const again = new SqliteFile(file);
    migrate(again);
    expect(again.pragma('user_version', { simple: true })).toBe(latestSchema);
    again.close();
  });
});

/** Every version of PostgreSQL's schema takes half a minute: `UPGRADES=all` tests them. */
const postgresStep = process.env.UPGRADES === 'all' ? 1 : 3;

test.skipIf(noPostgres !== null)(
  'PostgreSQL databases of earlier schema versions are upgraded with all their data, and keep working',
  async () => {
    const few = 60;
    await using growing = await growDatabase(few);
    let first: Awaited<ReturnType<typeof told>> | undefined;
    for (let version = 1; version < schemaVersion; version += postgresStep) {
      await using copy = await growing.copyOf(version);
      const db = await PostgresDatabase.open(copy.url, domain);
      try {
        const all = await told(db, few, idsOnPostgres);
        first ??= all;
        expect(all, `from ${version}`).toEqual(first);
        expect(await db.read(readActions, { state: 'failed' }, page)).toMatchObject({ total: few / 2 });
        await db.write(setScore, { gameId, wallet: walletOf(2) }, 10_000);
        expect(await db.read(readPlace, defaultBoardOf(gameId), walletOf(2))).toBe(1);
      } finally {
        await db.close();
      }
    }
    expect(first?.top.map(({ score }) => score)).toEqual(
      Array.from({ length: few }, (_, rank) => few - 1 - rank),
    );
    expect(first).toMatchObject({
      positions: [few, few - 1],
      secrets: [{ hash: 'hash', sealedMd5: 'md5', sealedSecret: 'sealed' }],
      rules: { version: 3, rules: [{ trigger: 'win' }] },
      session: { session: { gameId } },
      states: [{ label: 'save', version: 1, json: '{"level":9}' }],
      notifications: [{}],
      channels: { rows: [{ _id: idsOnPostgres.channel }] },
      messages: { rows: [{ content: 'Hello' }] },
    });
    expect([first?.players.rows.length, first?.activities.length]).toEqual([few, few]);
  },
);

function edit(file: string, sql: string): void {
  const db = new SqliteFile(file);
  db.exec(sql);
  db.close();
}

const upgradeOnce = compiledOf(fileURLToPath(new URL('upgrade-once.ts', import.meta.url)));

test('a process killed in the middle of a migration leaves the file unchanged or upgraded, and nothing in between', async () => {
  await using directory = await temporaryDirectory();
  const [made, file] = [join(directory.path, 'made.db'), join(directory.path, 'gantry.db')];
  makeDatabase(made, 1, 10_000);
  const before = fingerprint(made);
  copyFileSync(made, file);
  const whole = startUpgrade(file);
  await whole.says('begin');
  const began = performance.now();
  await whole.says('done');
  let takesMs = performance.now() - began;
  await whole.gone;
  const after = fingerprint(file);
  expect(after).not.toBe(before);

  const rounds = 6;
  const found = { before: 0, after: 0 };
  for (let round = 0; round < rounds; round++) {
    copyFileSync(made, file); // the previous log belongs to another file
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    const upgrade = startUpgrade(file);
    await upgrade.says('begin');
    setTimeout(() => upgrade.child.kill('SIGKILL'), (takesMs * (round + 0.5)) / rounds);
    await upgrade.gone;
    const db = new SqliteFile(file);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    const left = fingerprint(file);
    expect([before, after]).toContain(left);
    found[left === before ? 'before' : 'after']++;
    if (left === after) takesMs *= 0.7; // this time it was faster than the first time
    openDatabase(file).close();
    expect(fingerprint(file)).toBe(after);
  }
  expect(found.before).toBeGreaterThan(1); // it was in the middle
});

interface Upgrade {
  child: ChildProcess;
  says(word: string): Promise<void>;
  gone: Promise<unknown>;
}

function startUpgrade(file: string): Upgrade {
  const child = spawn(join(repository, 'node_modules/.bin/node'), [upgradeOnce, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    child,
    gone: once(child, 'close'),
    async says(word) {
      while (!output.includes(`${word}\n`)) await once(child.stdout, 'data');
    },
  };
}
