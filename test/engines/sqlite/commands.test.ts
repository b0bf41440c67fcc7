import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GantryError } from '../../../src/core/errors.ts';
import { defineEvent } from '../../../src/core/events/event.ts';
import type { StoredEvent } from '../../../src/core/events/stream.ts';
import { lockGame } from '../../../src/core/events/stream-locks.ts';
import { command, type ExclusiveTx, exclusiveCommand, type Tx } from '../../../src/core/storage/command.ts';
import { query, type Read, statement } from '../../../src/core/storage/query.ts';
import type { Reaction } from '../../../src/core/storage/steps.ts';
import { type AnyTable, type RowOf, table } from '../../../src/core/storage/table.ts';
import { openDatabase } from '../../../src/engines/sqlite/open-database.ts';
import { SqliteDatabase } from '../../../src/engines/sqlite/sqlite-database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const columns = { id: 'text', list: 'text', place: 'int', closedAt: 'ms?' } as const;
const things = table('things', columns, {
  key: ['id'],
  indexes: {
    byPlace: { on: ['list', 'place'], unique: true },
    inOrder: { on: ['list', 'place', 'id'] },
    open: { on: ['list', 'place', 'id'], whereNull: 'closedAt' },
  },
});
type Thing = RowOf<typeof columns>;
const kept = table('kept_things', columns, {
  key: ['id'],
  indexes: { inOrder: { on: ['list', 'place', 'id'] } },
  cachedByWriter: true,
  cacheable: 'lists',
});
const createdThing = defineEvent('things created', z.object({ id: z.string() }));
const audience = { kind: 'game', gameId: 'g' } as const;

const add = command('add', function* (tx: Tx, id: string, place: number) {
  yield* lockGame(tx, 'g');
  tx.insert(things, { id, list: 'l', place, closedAt: null });
  return tx.emit('game:g', createdThing, { id }, audience);
});
const addThenRefuse = command('addThenRefuse', function* (tx: Tx, id: string, place: number) {
  yield* add(tx, id, place);
  throw new GantryError('input_invalid', 'no');
});
const listed = query('listed', function* (read: Read) {
  const rows = yield* read.list(things.inOrder, ['l'], { limit: 100 });
  return rows.map(({ id }) => id);
});

async function open(react: Reaction | null = null) {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const maker = openDatabase(file);
  for (const name of ['things', 'kept_things']) {
    maker.exec(`CREATE TABLE ${name} (id TEXT PRIMARY KEY, list TEXT NOT NULL, place INTEGER NOT NULL, closed_at INTEGER) STRICT;
      CREATE UNIQUE INDEX ${name}_by_place ON ${name}(list, place)`);
  }
  maker.close();
  const domain = { tables: [things, kept] as unknown as readonly AnyTable[], commands: new Map(), react };
  const databases = [new SqliteDatabase(file, domain)];
  const [db] = databases;
  if (!db) throw new Error('there is no database');
  const received: StoredEvent[] = [];
  db.onCommit((events) => received.push(...events));
  return {
    db,
    received,
    /** As another process would open it. */
    otherProcess() {
      const another = new SqliteDatabase(file, domain);
      databases.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(databases.map((one) => one.close()));
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('the commands of one batch', () => {
  test('see what those before them have changed, by key, by unique index and in lists', async () => {
    await using subject = await open();
    const look = command('look', function* (tx: Tx) {
      const [byKey, byIndex, first, last] = yield* tx.all(
        tx.get(things, 'a'),
        tx.get(things.byPlace, 'l', 2),
        tx.list(things.inOrder, ['l'], { limit: 1 }),
        tx.list(things.inOrder, ['l'], { limit: 2, last: true }),
      );
      return [byKey?.place, byIndex?.id, first.map(({ id }) => id), last.map(({ id }) => id)];
    });
    await subject.db.write(add, 'b', 2);
    const move = command('move', function* (tx: Tx, id: string, place: number) {
      const row = yield* tx.get(things, id);
      if (row) tx.put(things, { ...row, place });
    });
    const [, , found] = await Promise.all([
      subject.db.write(add, 'a', 1),
      subject.db.write(move, 'b', 3),
      subject.db.write(look),
    ]);
    expect(found).toEqual([1, undefined, ['a'], ['b', 'a']]);
    expect(await subject.db.read(listed)).toEqual(['a', 'b']);
  });

  test('do not see the changes of a refused one, nor does anybody else', async () => {
    await using subject = await open();
    const outcomes = await Promise.allSettled([
      subject.db.write(add, 'a', 1),
      subject.db.write(addThenRefuse, 'refused', 2),
      subject.db.write(add, 'b', 2),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await subject.db.read(listed)).toEqual(['a', 'b']);
    expect(subject.received.map(({ seq, record }) => [seq, JSON.parse(record)])).toEqual([
      [1, { id: 'a' }],
      [2, { id: 'b' }],
    ]);
  });

  test("are not refused because of another's constraint violation", async () => {
    await using subject = await open();
    const outcomes = await Promise.allSettled([
      subject.db.write(add, 'a', 1),
      subject.db.write(add, 'a again', 1),
      subject.db.write(add, 'b', 2),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await subject.db.read(listed)).toEqual(['a', 'b']);
    expect(subject.received.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('find the rest of a list when its first rows are deleted', async () => {
    await using subject = await open();
    await Promise.all(Array.from({ length: 20 }, (_, n) => subject.db.write(add, `t${n}`, n)));
    const close = command('close', function* (tx: Tx, count: number) {
      for (const row of yield* tx.list(things.open, ['l'], { limit: count })) {
        tx.put<Thing>(things, { ...row, closedAt: tx.now });
      }
      const left = yield* tx.list(things.open, ['l'], { limit: 3 });
      return left.map(({ id }) => id);
    });
    const [one, two] = await Promise.all([subject.db.write(close, 10), subject.db.write(close, 9)]);
    expect(one).toEqual(['t10', 't11', 't12']);
    expect(two).toEqual(['t19']);
  });

  test('of an event that is not locked, emit nothing', async () => {
    await using subject = await open();
    const unlocked = command('unlocked', function* (tx: Tx) {
      yield* tx.all();
      tx.emit('game:g', createdThing, { id: 'x' }, audience);
    });
    await expect(subject.db.write(unlocked)).rejects.toThrow('not locked');
    expect(subject.received).toEqual([]);
  });
});

test('a reaction runs in the transaction of the event, and is rolled back with it', async () => {
  const react: Reaction = function* (tx, { record }) {
    yield* tx.all();
    const { id } = record as { id: string };
    tx.insert(things, { id: `${id}, told`, list: 'told', place: id.length, closedAt: null });
    if (id === 'bad') throw new GantryError('input_invalid', 'no');
  };
  await using subject = await open(react);
  const outcomes = await Promise.allSettled([subject.db.write(add, 'a', 1), subject.db.write(add, 'bad', 2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  const told = query('told', function* (read: Read) {
    return yield* read.list(things.inOrder, ['told'], { limit: 10 });
  });
  expect((await subject.db.read(told)).map(({ id }) => id)).toEqual(['a, told']);
  expect(await subject.db.read(listed)).toEqual(['a']);
});

describe('an exclusive command', () => {
  const close = statement<{ list: string; at: number }>(
    'UPDATE things SET closed_at = @at WHERE list = @list',
  );
  const open_ = statement<{ list: string }, { id: string }>(
    'SELECT id FROM things WHERE list = @list AND closed_at IS NULL',
  );
  const closeAll = exclusiveCommand('closeAll', function* (tx: ExclusiveTx, refuses: boolean) {
    yield* add(tx, 'late', 99);
    const before = yield* tx.rows(open_, { list: 'l' });
    const changed = yield* tx.run(close, { list: 'l', at: tx.now });
    if (refuses) throw new GantryError('input_invalid', 'no');
    const row = yield* tx.get(things, 'late');
    return [before.length, changed, row?.closedAt === tx.now];
  });

  test('has its statements see its writes, and sees their changes', async () => {
    await using subject = await open();
    const [, answer] = await Promise.all([
      subject.db.write(add, 'a', 1),
      subject.db.write(closeAll, false),
      subject.db.write(add, 'b', 2),
    ]);
    expect(answer).toEqual([2, 2, true]);
    expect(await subject.db.read(listed)).toEqual(['a', 'b', 'late']);
    expect(subject.received.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('that refuses has changed nothing, not even by statements', async () => {
    await using subject = await open();
    await subject.db.write(add, 'a', 1);
    await expect(subject.db.write(closeAll, true)).rejects.toThrow('no');
    expect(await subject.db.read(listed)).toEqual(['a']);
    await subject.db.write(add, 'b', 2);
    expect(subject.received.map(({ seq }) => seq)).toEqual([1, 2]);
  });
});

test('cached data is reread when another process has written', async () => {
  await using subject = await open();
  const put = command('put', function* (tx: Tx, id: string, place: number) {
    yield* tx.all();
    tx.put(kept, { id, list: 'l', place, closedAt: null });
  });
  const first = command('first', function* (tx: Tx) {
    const [row] = yield* tx.list(kept.inOrder, ['l'], { limit: 1 });
    return row?.id;
  });
  const cached = query(
    'cached',
    function* (read: Read) {
      return yield* read.list(kept.inOrder, ['l'], { limit: 10 });
    },
    { max: 10, keyOf: () => 'all' },
  );
  const otherProcess = subject.otherProcess();
  await subject.db.write(put, 'b', 2);
  expect(await subject.db.write(first)).toBe('b');
  expect(await otherProcess.write(first)).toBe('b');
  expect(await otherProcess.read(cached)).toHaveLength(1);
  await subject.db.write(put, 'a', 1);
  expect(await otherProcess.write(first)).toBe('a');
  expect((await otherProcess.read(cached)).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await otherProcess.read(cached)).toBe(await otherProcess.read(cached));
});
