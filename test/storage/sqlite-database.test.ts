import { afterAll, expect, test } from 'vitest';
import { storageContract } from '../contracts/storage.contract.ts';
import {
  differenceWhenHidden,
  filledWith,
  RecordedStatements,
  withVisibleParameters,
} from '../engines/sqlite/hidden-parameters.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

const recorded = new RecordedStatements();
afterAll(() => recorded.stop());

storageContract('SQLite', openSqliteDatabase);

test('every statement has its parameters hidden, and compiles to the same program as without that', async () => {
  const statements = recorded
    .stop()
    .filter(({ text }) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(text));
  expect(statements.length).toBeGreaterThan(1_000);
  await using under = await openSqliteDatabase();
  const differences = statements.flatMap(({ text, values }) => {
    const visible = withVisibleParameters(text);
    const one = values ?? filledWith(1, visible);
    return differenceWhenHidden(under.db.connection, visible, one) ?? [];
  });
  expect(differences).toEqual([]);
});

test('a statement that uses a partial index for one value of a parameter only is reported', async () => {
  await using under = await openSqliteDatabase();
  const { connection } = under.db;
  connection.exec('CREATE INDEX open_actions ON actions(due_at) WHERE attempts = 0');
  const text = 'SELECT due_at FROM actions WHERE attempts = ? ORDER BY due_at';
  expect(differenceWhenHidden(connection, text, [0])).not.toBeNull();
  expect(differenceWhenHidden(connection, text, [1])).toBeNull();
});
