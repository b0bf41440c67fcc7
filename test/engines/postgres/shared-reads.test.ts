import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ReadConnections } from '../../../src/engines/postgres/read-connections.ts';
import { SharedReads } from '../../../src/engines/postgres/shared-reads.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';

const texts = [{ type: 'text', of: ([value = null]: readonly (string | number | null)[]) => value }];
/** Each search finds itself twice; `none` finds nothing, and `wrong` fails. */
const text = `SELECT k.i, k.c0 AS found, n, CASE WHEN c0 = 'wrong' THEN c0::int END FROM unnest($1::text[]) WITH ORDINALITY AS k(c0, i)
  CROSS JOIN LATERAL (VALUES (1), (2)) AS f(n) WHERE c0 <> 'none'`;

async function sharedReads() {
  const schema = await freshSchema();
  const connections = new ReadConnections(schema.url);
  onTestFinished(async () => {
    await connections.close();
    await schema[Symbol.asyncDispose]();
  });
  const sent: number[] = [];
  const shared = new SharedReads((statement, values) => {
    sent.push(sent.length);
    return connections.run(statement, values);
  });
  const read = async (value: string) =>
    (await shared.rows(text, texts, [value])).map(({ found, n }) => `${found} ${n}`);
  return { read, sent };
}

describe.skipIf(noPostgres !== null)('reads of one turn', () => {
  test('share a statement, and each receives its own rows', async () => {
    const { read, sent } = await sharedReads();
    const found = await Promise.all(['a', 'none', 'b', 'a'].map(read));
    expect(found).toEqual([['a 1', 'a 2'], [], ['b 1', 'b 2'], ['a 1', 'a 2']]);
    expect(sent).toHaveLength(1);
  });

  test('are divided among statements when they are many', async () => {
    const { read, sent } = await sharedReads();
    const values = Array.from({ length: 100 }, (_, at) => `value ${at}`);
    const found = await Promise.all(values.map(read));
    expect(found).toEqual(values.map((value) => [`${value} 1`, `${value} 2`]));
    expect(sent).toHaveLength(Math.ceil(values.length / 16));
  });

  test('do not serve those of a later turn, which may need what was written in between', async () => {
    const { read, sent } = await sharedReads();
    const first = read('a');
    await nextTurn();
    const second = read('b');
    expect(await Promise.all([first, second])).toEqual([
      ['a 1', 'a 2'],
      ['b 1', 'b 2'],
    ]);
    expect(sent).toHaveLength(2);
  });

  test('that fail reject all of them, and none that follows', async () => {
    const { read } = await sharedReads();
    const outcomes = await Promise.allSettled(['a', 'wrong'].map(read));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read('a')).toEqual(['a 1', 'a 2']);
  });
});
