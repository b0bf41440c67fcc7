import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { noPostgres } from '../../support/postgres.ts';
import { volatileCalls } from '../../support/volatile-calls.ts';

const source = fileURLToPath(new URL('../../../src/engines/postgres', import.meta.url));
/** A text in single quotes or backticks, with what it inserts. */
const literal = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`/g;

/** The texts that update rows, also within an INSERT or a CTE, by file. */
const updates = readdirSync(source)
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(literal)]
      .filter(([text]) => /\bUPDATE\s+(SET|[\w$])/.test(text) && /\bSET\b/.test(text))
      .map(([text]) => ({ file, text })),
  );

describe.skipIf(noPostgres !== null)('an UPDATE of the engine', () => {
  test('calls no volatile function, which a distributed PostgreSQL refuses', async () => {
    const files = new Set(updates.map(({ file }) => file));
    expect([...files]).toEqual(
      expect.arrayContaining(['batch-writer.ts', 'event-writer.ts', 'rank-counts.ts', 'write-lane.ts']),
    );
    expect(await volatileCalls(updates.map(({ text }) => text))).toEqual([]);
    expect(await volatileCalls(['UPDATE t SET a = clock_timestamp()'])).toHaveLength(1);
  });
});
