import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Value } from '../../../src/core/storage/table.ts';
import { type ArrayColumn, arrays, columnArrays } from '../../../src/engines/postgres/array-columns.ts';
import { Connection } from '../../../src/engines/postgres/connection.ts';
import { freshDatabase, noPostgres, type TestDatabase } from '../../support/postgres.ts';

const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '01234567-89ab-cdef-0123-456789abcdef',
];

/** Values that must round-trip, of each type. */
const values: Readonly<Record<string, readonly Value[]>> = {
  uuid: [...uuids, null],
  text: [
    '',
    'NULL',
    'null',
    '{}',
    '"',
    '\\',
    'a,b',
    ' ',
    '\n',
    'é',
    '🎮',

    'x'.repeat(200_000),
    null,
  ],
  int: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null],
  bigint: [0, 1, -1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null],
  'double precision': [0, -0, 0.1, -1e300, 5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null],
};

function columnOf(type: string): ArrayColumn<Value> {
  return { type, of: (value) => value };
}

describe.skipIf(noPostgres !== null)("arrays in PostgreSQL's format", () => {
  let database: TestDatabase;
  let connection: Connection;
  beforeAll(async () => {
    database = await freshDatabase();
    connection = await Connection.open(database.url, 'arrays');
  });
  afterAll(async () => {
    await connection.close();
    await database[Symbol.asyncDispose]();
  });

  test.each(Object.entries(values))('%s', async (type, sent) => {
    const columns = [columnOf(type)];
    const text = `SELECT v FROM unnest(${arrays(columns)}) WITH ORDINALITY AS u(v, i) ORDER BY i`;
    const { rows } = await connection.run<{ v: Value }>(text, columnArrays(sent, columns));
    expect(rows.map(({ v }) => v)).toEqual(sent);
    expect((await connection.run(text, columnArrays([], columns))).rows).toEqual([]);
  });

  test('several columns of one list, beside parameters that are not arrays', async () => {
    const columns: ArrayColumn<{ id: string; count: number }>[] = [
      { type: 'uuid', of: ({ id }) => id },
      { type: 'bigint', of: ({ count }) => count },
    ];
    const things = uuids.map((id, count) => ({ id, count }));
    const { rows } = await connection.run(
      `SELECT u.*, $3::int AS third FROM unnest(${arrays(columns)}) AS u(id, count)`,
      [...columnArrays(things, columns), 3],
    );
    expect(rows).toEqual(things.map((thing) => ({ ...thing, third: 3 })));
  });

  test.each([
    ['uuid', 'none'],
    ['uuid', '01234567-89ab-cdef-0123-456789abcdeg'],
    ['uuid', '01234567-89ab-cdef-0123-456789abcdef0'],
    ['uuid', '01234567089ab-cdef-0123-456789abcdef'],
    ['uuid', '01234567-89ab-cdef-0123-456789abcde\u0130'],
    ['bigint', 1.5],
    ['bigint', 2 ** 53],
    ['bigint', 'one'],
    ['int', Number.NaN],
  ])('values that the type does not allow are refused: %s %s', (type, value) => {
    expect(() => columnArrays([value], [columnOf(type)])).toThrow(expect.objectContaining({ code: '22P02' }));
  });

  test('an array is not changed by later ones', () => {
    const columns = [columnOf('text')];
    const [first] = columnArrays(['first'], columns);
    const before = first?.toString('latin1');
    columnArrays(['second', 'x'.repeat(3_000_000)], columns);
    columnArrays(['third'], columns);
    expect(first?.toString('latin1')).toBe(before);
  });
});
