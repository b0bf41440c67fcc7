import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, rmSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Database, WriteTrouble } from '../../../src/core/storage/database.ts';
import { Connection } from '../../../src/engines/postgres/connection.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { Probe } from '../../../src/engines/postgres/probe.ts';
import { ReadConnections } from '../../../src/engines/postgres/read-connections.ts';
import { lastPositions } from '../../../src/features/events/queries.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { allGames } from '../../../src/features/games/queries.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres, PostgresServer } from '../../support/postgres.ts';
import { postgresUser } from '../../support/postgres-binaries.ts';
import { randomWallet } from '../../support/server.ts';
import { mayMountDisk, smallDisk } from '../../support/small-disk.ts';
import { startTransactionPooler } from '../../support/transaction-pooler.ts';
import { until } from '../../support/until.ts';

let lastGame = 0;
const createGame = (db: Database) =>
  db.write(registerGame, { name: 'Space Race' }, { hash: `h${lastGame++}`, sealedMd5: '', sealedSecret: '' });

test.skipIf(noPostgres !== null)(
  'while PostgreSQL is down, reads are refused with Retry-After; then everything continues with the existing data',
  async () => {
    await using server = await PostgresServer.start({ fsync: true });
    const db = await PostgresDatabase.open(server.url(), domain);
    await createGame(db);
    await server.kill();
    const refusal = { reason: 'store_unavailable', retryAfterSeconds: 1 };
    await expect(db.read(allGames)).rejects.toMatchObject(refusal);
    await expect(db.read(lastPositions)).rejects.toMatchObject(refusal);
    await server.start();
    const games = await until('reads', () => db.read(allGames).catch(() => null));
    expect(games).toMatchObject([{ name: 'Space Race' }]);
    await db.close();
  },
);

/** Ends those with this application name; resolves when they are gone. */
async function endConnections(server: PostgresServer, name: string): Promise<void> {
  const administrator = new Client({ connectionString: server.url() });
  await administrator.connect();
  await administrator.query(
    'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = $1',
    [name],
  );
  await administrator.end();
}

test.skipIf(noPostgres !== null)(
  'reads are refused with Retry-After while a pooler accepts connections, but has none to the server left',
  async () => {
    await using server = await PostgresServer.start();
    await using pooler = await startTransactionPooler(server.url());
    const first = await Connection.open(pooler.url, 'has the only one');
    await first.script('BEGIN');
    const reads = new ReadConnections(pooler.url);
    await expect(reads.run('SELECT 1')).rejects.toMatchObject({
      reason: 'store_unavailable',
      cause: { message: expect.stringContaining('default_pool_size') },
    });
    await reads.close();
    await first.close();
  },
);

describe.skipIf(noPostgres !== null)('while PostgreSQL is set to read-only', () => {
  test('writes are refused with Retry-After, reads continue, and the trouble says what to do and ends by itself', async () => {
    await using server = await PostgresServer.start();
    const db = await PostgresDatabase.open(server.url(), domain);
    let trouble: WriteTrouble | null = null;
    db.onTrouble((now) => {
      trouble = now;
    });
    await createGame(db);
    const administrator = new Client({ connectionString: server.url() });
    await administrator.connect();
    await administrator.query('SET default_transaction_read_only = off');
    await administrator.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await administrator.query('SELECT pg_reload_conf()');
    const refused = await until('refused', () =>
      createGame(db).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(refused).toMatchObject({ reason: 'store_unavailable', retryAfterSeconds: 1 });
    expect(trouble).toEqual({
      message: expect.stringMatching(
        /^PostgreSQL refuses writes: cannot execute .* DATABASE_URL lead to the primary/,
      ),
      isUnusable: false,
    });
    expect(await db.read(allGames)).not.toEqual([]);
    await administrator.query('ALTER SYSTEM RESET default_transaction_read_only');
    await administrator.query('SELECT pg_reload_conf()');
    await until('the end of the trouble', () => trouble === null);
    await createGame(db);
    await administrator.end();
    await db.close();
  });
});

test.skipIf(noPostgres !== null || !mayMountDisk)(
  'while the disk of PostgreSQL is full, writes are refused, and the trouble is reported once',
  async () => {
    await using disk = await smallDisk(60);
    if (postgresUser.uid !== undefined) chownSync(disk.path, postgresUser.uid, postgresUser.gid);
    await using server = await PostgresServer.start();
    const administrator = new Client({ connectionString: server.url() });
    await administrator.connect();
    await administrator.query(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
    await administrator.query('CREATE DATABASE small TABLESPACE small TEMPLATE template0');
    await administrator.end();
    const db = await PostgresDatabase.open(server.url('small'), domain);
    const { id: gameId } = await createGame(db);
    const { player } = await db.write(startSession, { gameId, wallet: randomWallet() }, 3_600_000);
    const troubles: (string | undefined)[] = [];
    db.onTrouble((now) => troubles.push(now?.message));
    const filler = `${disk.path}/filler`;
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']);
    const json = JSON.stringify(randomBytes(60_000).toString('hex'));
    const write = (label: string) =>
      db.write(saveState, { gameId, wallet: player.wallet }, label, json, 'id');
    for (const label of ['a', 'b', 'c'])
      await expect(write(label)).rejects.toMatchObject({ reason: 'store_unavailable' });
    expect(troubles).toEqual([expect.stringContaining('Make room on the disk of the PostgreSQL server')]);
    rmSync(filler);
    await until('the end of the trouble', () => troubles.length > 1);
    await write('d');
    await db.close();
    await server.stop();
  },
);

describe.skipIf(noPostgres !== null)('when PostgreSQL ends a connection', () => {
  test('what is sent on it since is refused with the reason', async () => {
    await using server = await PostgresServer.start();
    const connection = await Connection.open(server.url(), 'ended');
    await endConnections(server, 'ended');
    await until('lost', () => connection.isLost);
    await expect(connection.run('SELECT 1')).rejects.toThrow(
      'terminating connection due to administrator command',
    );
  });

  test('all statements in flight may destroy it: Node does not warn of a leak', async () => {
    await using server = await PostgresServer.start();
    const connection = await Connection.open(server.url(), 'ended');
    const warnings: string[] = [];
    const warn = ({ message }: Error) => void warnings.push(message);
    process.on('warning', warn);
    for (let n = 0; n < 20; n++) connection.destroy();
    await new Promise((resolve) => setImmediate(resolve)); // warnings are emitted in a later turn
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  test('the database counts as reachable if it is', async () => {
    await using server = await PostgresServer.start();
    const probe = new Probe(server.url());
    const { epoch } = await (async () => {
      const db = await PostgresDatabase.open(server.url(), domain);
      await db.close();
      return probe.check();
    })();
    await endConnections(server, 'gantry probe');
    expect(await probe.check()).toMatchObject({ epoch });
    await probe.close();
  });
});
