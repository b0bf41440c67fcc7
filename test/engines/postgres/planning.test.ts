import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ExclusiveTx, exclusiveCommand, type Steps } from '../../../src/core/storage/command.ts';
import { statement } from '../../../src/core/storage/query.ts';
import type { Index } from '../../../src/core/storage/table.ts';
import { Connection, planByKey } from '../../../src/engines/postgres/connection.ts';
import { physicalTables } from '../../../src/engines/postgres/local-writer.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { listText } from '../../../src/engines/postgres/texts.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { states } from '../../../src/features/states/tables.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame, addPlayer } from '../../contracts/storage/fixture.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';

const settings = statement<Record<never, never>, { name: string; setting: string }>(
  `SELECT name, setting FROM pg_settings
    WHERE name IN ('plan_cache_mode', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin') ORDER BY name`,
);

const showPlanning = exclusiveCommand('showPlanning', function* (tx: ExclusiveTx): Steps<string[]> {
  return (yield* tx.rows(settings, {})).map(({ setting }) => setting);
});

describe.skipIf(noPostgres !== null)('the planning of a batch', () => {
  test('never scans a table, even while it is small, because the plan is kept when the table has grown', async () => {
    const schema = await freshSchema();
    onTestFinished(() => schema[Symbol.asyncDispose]());
    const first = await PostgresDatabase.open(schema.url, domain);
    const { id: gameId } = await addGame(first);
    const owners = await Promise.all(Array.from({ length: 12 }, () => addPlayer(first, gameId)));
    const save = (db: PostgresDatabase, json: string) =>
      Promise.all(owners.map((owner) => db.write(saveState, owner, 'save', json, 'cid')));
    await save(first, '{}');
    await first.close(); // connections report their scans when they end
    const before = await scansOf(schema.url);
    const db = await PostgresDatabase.open(schema.url, domain);
    for (let size = 0; size < 20; size++) await save(db, JSON.stringify('.'.repeat(size)));
    await db.close();
    expect(await scansOf(schema.url)).toEqual(before);
  });

  test('reads a list in the order of its index, however many rows have its prefix', async () => {
    const schema = await freshSchema();
    const connection = await Connection.open(schema.url, 'test');
    onTestFinished(async () => {
      await connection.close();
      await schema[Symbol.asyncDispose]();
    });
    const { id: gameId } = await registeredGame(schema.url);
    await connection.script(`INSERT INTO states (id, game_id, wallet, label, ipfs_hash, json, updated_at, revision, version)
      SELECT gen_random_uuid(), '${gameId}', 'wallet', n, '', repeat('.', 500), 0, (n * 7919) % 20011, 1
      FROM generate_series(1, 20000) AS n`);
    await connection.script('ANALYZE states');
    await planByKey(connection);
    const list = { length: 2, last: true, isAfter: false };
    const text = listText(physicalTables(domain.tables).of(states), states.byUpdate as Index, list);
    await connection.script(`PREPARE list (uuid, text, int, int) AS ${text}`);
    const { rows } = await connection.run(`EXPLAIN EXECUTE list ('${gameId}', 'wallet', 50, 0)`);
    const plan = JSON.stringify(rows);
    expect(plan).toContain('Index Scan Backward using states_by_update');
    expect(plan).not.toContain('Sort');
  });

  test('does not apply to exclusive commands, whose statements depend on their values', async () => {
    const schema = await freshSchema();
    const db = await PostgresDatabase.open(schema.url, domain);
    onTestFinished(async () => {
      await db.close();
      await schema[Symbol.asyncDispose]();
    });
    expect(await db.write(showPlanning)).toEqual(['on', 'on', 'on', 'auto']);
  });
});

async function registeredGame(url: string) {
  const db = await PostgresDatabase.open(url, domain);
  try {
    return await addGame(db);
  } finally {
    await db.close();
  }
}

/** How often the tables of states were scanned whole. */
async function scansOf(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname IN ('states', 'storage_use') ORDER BY relname`,
  );
  await client.end();
  return rows;
}
