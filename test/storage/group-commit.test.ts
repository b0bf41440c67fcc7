import { describe, expect, test } from 'vitest';
import { command, type Tx } from '../../src/core/storage/command.ts';
import { addRow, openGroupCommit } from './group-commit-under-test.ts';

describe('group commit', () => {
  test('writes of one turn of the event loop share one transaction', async () => {
    await using subject = await openGroupCommit();
    const before = subject.transactions();
    await Promise.all(Array.from({ length: 500 }, (_, n) => subject.add(`row ${n}`)));
    expect(subject.rows()).toHaveLength(500);
    expect(subject.transactions() - before).toBe(1);
  });

  test('sequential writes have a transaction each', async () => {
    await using subject = await openGroupCommit();
    const before = subject.transactions();
    for (const row of ['one', 'two', 'three']) await subject.add(row);
    expect(subject.transactions() - before).toBe(3);
  });

  test('writes made while others are acknowledged are not forgotten', async () => {
    await using subject = await openGroupCommit();
    await Promise.all([
      subject.add('one').then(() => subject.add('two')),
      subject.add('three').then(() => Promise.all([subject.add('four'), subject.add('five')])),
    ]);
    expect(subject.rows()).toEqual(['one', 'three', 'two', 'four', 'five']);
  });

  test('more writes than one transaction takes are all written, in order', async () => {
    await using subject = await openGroupCommit();
    const rows = Array.from({ length: 2_345 }, (_, n) => `row ${n}`);
    await Promise.all(rows.map((row) => subject.add(row)));
    expect(subject.rows()).toEqual(rows);
  });

  test('large writes have separate transactions, a megabyte at a time, with small ones in between', async () => {
    await using subject = await openGroupCommit();
    const large = (name: string) => subject.add(`${name} ${'x'.repeat(600_000)}`);
    const written = Promise.all([
      ...['a', 'b', 'c', 'd', 'e'].map(large),
      ...Array.from({ length: 50 }, (_, n) => subject.add(`small ${n}`)),
    ]);
    const before = subject.transactions();
    await written;
    // Two large ones, all that are small, two more, the last.
    expect(subject.transactions() - before).toBe(4);
    const rows = subject.rows().map((row) => row.slice(0, 7));
    expect(rows.slice(0, 4)).toEqual(['a xxxxx', 'b xxxxx', 'small 0', 'small 1']);
    expect(rows.slice(-4)).toEqual(['small 4', 'c xxxxx', 'd xxxxx', 'e xxxxx']);
  });

  test("many texts in a command's arguments count as one large one", async () => {
    await using subject = await openGroupCommit();
    const addAll = command('addAll', function* (tx: Tx, rows: readonly { text: string }[]) {
      for (const { text } of rows) yield* addRow(tx, text);
    });
    const large = (name: string) =>
      subject.group.write(addAll, [
        Array.from({ length: 10 }, (_, n) => ({ text: `${name} ${n} ${'x'.repeat(60_000)}` })),
      ]);
    const before = subject.transactions();
    await Promise.all([large('a'), large('b'), large('c'), subject.add('small')]);
    // Two large ones, the small one, the last.
    expect(subject.transactions() - before).toBe(3);
  });

  test('a command that throws is rolled back alone, with its events and their numbers', async () => {
    await using subject = await openGroupCommit();
    const before = subject.transactions();
    const broken = new Error('a command failed half way');
    const outcomes = await Promise.allSettled([
      subject.add('one'),
      subject.group.write(
        command('broken', function* (tx: Tx) {
          yield* addRow(tx, 'half a change');
          throw broken;
        }),
        [],
      ),
      subject.add('three'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: broken });
    expect(subject.rows()).toEqual(['one', 'three']);
    expect(subject.received.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(subject.eventSeqs()).toEqual([1, 2]);
    expect(subject.transactions() - before).toBe(1);
  });

  test('nothing is acknowledged or announced before the commit', async () => {
    await using subject = await openGroupCommit();
    const happened: string[] = [];
    subject.announcer.onCommit(() => happened.push(`told, ${subject.seenByOthers()} rows committed`));
    const write = command('write', function* (tx: Tx, row: string) {
      yield* addRow(tx, row);
      happened.push(`written, ${subject.seenByOthers()} rows committed`);
    });
    const writes = ['one', 'two'].map((row) =>
      subject.group
        .write(write, [row])
        .then(() => happened.push(`answered, ${subject.seenByOthers()} rows committed`)),
    );
    await Promise.all(writes);
    expect(happened).toEqual([
      'written, 0 rows committed',
      'written, 0 rows committed',
      'told, 2 rows committed',
      'answered, 2 rows committed',
      'answered, 2 rows committed',
    ]);
  });

  test('a command whose row violates a constraint is refused alone, and later ones are written', async () => {
    await using subject = await openGroupCommit();
    const outcomes = await Promise.allSettled([
      subject.add('one'),
      subject.add('one'), // which the database detects only when the rows are written
      subject.add('two'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(subject.rows()).toEqual(['one', 'two']);
    await subject.add('three');
    expect(subject.rows()).toEqual(['one', 'two', 'three']);
    expect(subject.received.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('no transaction stays open across turns of the event loop', async () => {
    await using subject = await openGroupCommit();
    let turns = 0;
    let done = false;
    const watch = (): void => {
      expect(subject.db.inTransaction).toBe(false);
      turns++;
      if (!done) setImmediate(watch);
    };
    watch();
    for (let round = 0; round < 50; round++) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => subject.add(`${round} ${n}`)));
      expect(subject.db.inTransaction).toBe(false);
    }
    done = true;
    expect(turns).toBeGreaterThan(50);
  });
});
