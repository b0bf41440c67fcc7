import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, streams } from '../../../src/core/events/tables.ts';
import type { AnyTable, Column, Kind } from '../../../src/core/storage/table.ts';
import { openDatabase, refuseStrayLog } from '../../../src/engines/sqlite/open-database.ts';
import { physicalName } from '../../../src/engines/sqlite/table-statements.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const typeOf: Record<Kind, string> = {
  uuid: 'TEXT',
  text: 'TEXT',
  json: 'TEXT',
  int: 'INTEGER',
  ms: 'INTEGER',
  real: 'REAL',
  stream: 'INTEGER',
  board: 'INTEGER',
};

/** Number columns besides the declared ones: foreign keys' targets, or the insertion order. */
const undeclared: Readonly<Record<string, readonly string[]>> = {
  streams: ['id'],
  scores: ['key'],
  events: ['position'],
};

/** The engine's own tables. */
const engines = ['boards', 'board_marks', 'score_order', 'history', 'remembered', 'sqlite_sequence'];

const all: readonly AnyTable[] = [...tables, streams, events];
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let db: Database;

beforeAll(async () => {
  directory = await temporaryDirectory();
  db = openDatabase(join(directory.path, 'gantry.db'));
});
afterAll(async () => {
  db.close();
  await directory[Symbol.asyncDispose]();
});

const inSql = (table: AnyTable, columns: readonly string[]) =>
  columns.map((name) => {
    const column = table.columns.find((one) => one.name === name);
    if (!column) throw new Error(`${table.name} declares no ${name}`);
    return physicalName(column);
  });

describe.each(all.map((table) => ({ name: table.name, table })))('the table $name', ({ name, table }) => {
  test('has the declared columns, of the declared types', () => {
    const found = db
      .prepare<[string], { name: string; type: string; notnull: number; pk: number }>(
        'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
      )
      .all(name)
      .filter((column) => !(undeclared[name] ?? []).includes(column.name))
      .map((column) => ({
        name: column.name,
        type: column.type,
        isNullable: column.notnull === 0 && column.pk === 0,
      }));
    const declared = table.columns.map((column: Column) => ({
      name: physicalName(column),
      type: typeOf[column.kind],
      isNullable: column.isNullable,
    }));
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    expect(found.toSorted(byName)).toEqual(declared.toSorted(byName));
  });

  test('has at most one row per key, and per unique index', () => {
    const indexes = db
      .prepare<[string], { name: string; unique: number }>('SELECT name, "unique" FROM pragma_index_list(?)')
      .all(name)
      .filter((index) => index.unique === 1)
      .map((index) =>
        db.prepare<[string], string>('SELECT name FROM pragma_index_info(?)').pluck().all(index.name),
      );
    const rowid = db
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
      .pluck()
      .all(name);
    const unique = [...indexes, rowid].map((columns) => columns.toSorted().join());
    for (const columns of [
      table.key,
      ...table.indexes.filter((one) => one.isUnique).map((one) => one.columns),
    ]) {
      expect(unique).toContain(inSql(table, columns).toSorted().join());
    }
  });

  test('declares the owner of its rows by existing columns', () => {
    const { player, game, stream, via, texts = [] } = table.of;
    const named = [player, game, stream, via?.column, ...texts].filter((column) => column !== undefined);
    expect(inSql(table, named)).toHaveLength(named.length);
    const wallets = table.columns.filter((column) => ['wallet', 'sender'].includes(column.name));
    if (wallets.length > 0 && name !== 'streams') expect(player).toBe(wallets[0]?.name);
  });
});

test("every table of the database is declared, or the engine's own", () => {
  const there = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  expect(there.toSorted()).toEqual([...all.map((table) => table.name), ...engines].toSorted());
});

test('a log is not without its database when another process has created both meanwhile', async () => {
  await using place = await temporaryDirectory();
  const file = join(place.path, 'gantry.db');
  const other = openDatabase(file);
  other.exec("INSERT INTO server_keys VALUES ('of the test', '', 0)");
  refuseStrayLog(file);
  other.close();
  await rm(file);
  await writeFile(`${file}-wal`, 'writes');
  expect(() => refuseStrayLog(file)).toThrow('is not there, but');
});
