import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ExclusiveTx, exclusiveCommand, type Steps } from '../../../src/core/storage/command.ts';
import { statement } from '../../../src/core/storage/query.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { saveState } from '../../../src/features/states/commands.ts';
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
