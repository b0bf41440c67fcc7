import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, streams } from '../../../src/core/events/tables.ts';
import type { AnyTable } from '../../../src/core/storage/table.ts';
import { migrate, schemaVersion } from '../../../src/engines/postgres/migrate.ts';
import { physicalName, typeOfKind } from '../../../src/engines/postgres/physical-table.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { freshDatabase, noPostgres, type TestDatabase } from '../../support/postgres.ts';

/** Columns besides the declared ones. */
const undeclared: Readonly<Record<string, readonly string[]>> = {
  streams: ['id', 'last_lane', 'last_position'],
  events: ['lane', 'position', 'after_lane', 'after_position'],
};

/** The engine's own tables. */
const engines = [
  'board_counts',
  'board_moves',
  'board_versions',
  'boards',
  'history',
  'ranking',
  'schema_version',
  'write_lanes',
];

const all: readonly AnyTable[] = [...tables, streams, events];

describe.skipIf(noPostgres !== null)('the schema on PostgreSQL', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await freshDatabase();
    // As by nodes that are started concurrently on an empty database.
    await Promise.all(Array.from({ length: 3 }, () => migrate(database.url)));
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database[Symbol.asyncDispose]();
  });

  test('is created once by three nodes that start concurrently', async () => {
    const { rows } = await client.query('SELECT version FROM schema_version');
    expect(rows).toEqual([{ version: schemaVersion }]);
    expect((await client.query('SELECT count(*)::int AS count FROM history')).rows).toEqual([{ count: 1 }]);
  });

  test('has the declared tables and the engine’s own, and no others', async () => {
    const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    expect(rows.map(({ tablename }) => tablename).sort()).toEqual(
      [...all.map(({ name }) => name), ...engines].sort(),
    );
  });

  test.each(all.map((table) => ({ name: table.name, table })))(
    '$name has the declared columns and key',
    async ({ name, table }) => {
      const { rows } = await client.query(
        `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS "isNullable", collation_name AS collation
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
        [name],
      );
      const found = rows.filter((column) => !(undeclared[name] ?? []).includes(column.name));
      const declared = table.columns.map((column) => ({
        name: physicalName(column),
        type: typeOfKind[column.kind],
        isNullable: column.isNullable,
        collation: typeOfKind[column.kind] === 'text' ? 'C' : null,
      }));
      const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
      expect(found.toSorted(byName)).toEqual(declared.toSorted(byName));

      const { rows: key } = await client.query(
        `SELECT a.attname AS name FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = $1::regclass AND i.indisprimary`,
        [name],
      );
      const expected = name === 'streams' ? ['id'] : table.key;
      expect(key.map((column) => column.name).sort()).toEqual(
        expected
          .map((one) => table.columns.find((column) => column.name === one))
          .map((column) => (column ? physicalName(column) : 'id'))
          .sort(),
      );
    },
  );

  test.each(
    all
      .flatMap(({ indexes }) => indexes.filter(({ isUnique }) => isUnique))
      .map((index) => ({ name: index.name, index })),
  )('$name holds at most one row under its columns', async ({ index }) => {
    const { rows } = await client.query(
      `SELECT array_agg(a.attname::text ORDER BY a.attname) AS columns FROM pg_index AS i
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = $1::regclass AND i.indisunique GROUP BY i.indexrelid`,
      [index.table.name],
    );
    const columns = index.columns.map((one) => index.table.columns.find(({ name }) => name === one));
    expect(rows.map((row) => row.columns)).toContainEqual(
      columns.map((column) => (column ? physicalName(column) : '')).sort(),
    );
  });
});
