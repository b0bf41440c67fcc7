import { afterAll, describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { mergedState } from '../../src/features/states/merge-patch.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { StatePatcher } from '../../src/features/states/state-patcher.ts';
import { StateReader } from '../../src/features/states/state-reader.ts';
import { trio } from '../contracts/storage/fixture.ts';
import { openSqliteDatabase, type SqliteDatabaseUnderTest } from '../storage/sqlite-database-under-test.ts';

const filling = 'x'.repeat(100_000);
const quota = 1_000_000_000;

/** Merges like the real one, with a callback before each merge. */
class WatchedReader extends StateReader {
  merges = 0;
  readonly #beforeMerge: (merge: number) => Promise<unknown>;

  constructor(beforeMerge: (merge: number) => Promise<unknown>) {
    super();
    this.#beforeMerge = beforeMerge;
  }

  override async merge(stored: string | null, patch: string) {
    await this.#beforeMerge(++this.merges);
    return mergedState(stored, patch);
  }
}

async function large({ db }: SqliteDatabaseUnderTest): Promise<Owner> {
  const [owner] = await trio(db);
  await db.write(saveState, owner, 'a', JSON.stringify({ filling }), 'bafk');
  return owner;
}

async function kept({ db }: SqliteDatabaseUnderTest, owner: Owner): Promise<Record<string, unknown>> {
  const [state] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, 'a');
  return { version: state?.version, ...JSON.parse(state?.json ?? '{}'), filling: undefined };
}

describe('a patch of a large state', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());

  test('is merged by a thread as it is without one', async () => {
    await using fixture = await openSqliteDatabase();
    const owner = await large(fixture);
    const patcher = new StatePatcher(reader);
    const patched = await patcher.patch(fixture.db, owner, 'a', '{"b":{"c":1,"d":null}}', quota, {
      public: true,
    });
    expect(patched).toMatchObject({ version: 2, public: true });
    expect(patched.json).toBe(JSON.stringify({ b: { c: 1 }, filling }));
    const [state] = await fixture.db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, 'a');
    expect(state).toEqual(patched);
    const other = JSON.stringify({ filling });
    expect((await patcher.patch(fixture.db, owner, 'new', other, quota, {})).json).toBe(other);
  });

  test('is merged again into a concurrent write', async () => {
    await using fixture = await openSqliteDatabase();
    const owner = await large(fixture);
    const other = JSON.stringify({ filling, other: 1 });
    const watched = new WatchedReader(async (merge) => {
      if (merge < 4) await fixture.db.write(saveState, owner, 'a', other, 'bafk');
    });
    const patcher = new StatePatcher(watched);
    await patcher.patch(fixture.db, owner, 'a', '{"b":1}', quota, {});
    expect(watched.merges).toBe(4);
    expect(await kept(fixture, owner)).toMatchObject({ version: 5, other: 1, b: 1 });
  });

  test('is refused, with the current version, when others keep writing', async () => {
    await using fixture = await openSqliteDatabase();
    const owner = await large(fixture);
    const other = JSON.stringify({ filling, other: 1 });
    const watched = new WatchedReader(() => fixture.db.write(saveState, owner, 'a', other, 'bafk'));
    const patcher = new StatePatcher(watched);
    const conflict = (version: number) => ({
      reason: 'version_conflict',
      present: { label: 'a', version },
    });
    await expect(patcher.patch(fixture.db, owner, 'a', '{"b":1}', quota, {})).rejects.toMatchObject(
      conflict(6),
    );
    expect(watched.merges).toBe(5);
    // Callers that require a version are refused immediately.
    const named = patcher.patch(fixture.db, owner, 'a', '{"b":1}', quota, { ifVersion: 6 });
    await expect(named).rejects.toMatchObject(conflict(7));
    expect(watched.merges).toBe(6);
    await expect(
      patcher.patch(fixture.db, owner, 'a', '{"b":1}', quota, { ifVersion: 6 }),
    ).rejects.toMatchObject(conflict(7));
    expect(watched.merges).toBe(6);
    expect(await kept(fixture, owner)).toEqual({ version: 7, other: 1, filling: undefined });
  });

  test('waits behind earlier ones, and is executed whatever their outcome', async () => {
    await using fixture = await openSqliteDatabase();
    const owner = await large(fixture);
    const patcher = new StatePatcher(reader);
    const settled = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, n) =>
        patcher.patch(fixture.db, owner, 'a', `{"k${n}":${n}}`, quota, {}),
      ),
      patcher.patch(fixture.db, owner, 'a', '{"refused":1}', quota, { ifVersion: 99 }),
      patcher.patch(fixture.db, owner, 'a', '{"last":1}', quota, {}),
    ]);
    expect(settled.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 20 }, () => 'fulfilled'),
      'rejected',
      'fulfilled',
    ]);
    const state = await kept(fixture, owner);
    expect(state).toMatchObject({ version: 22, k0: 0, k19: 19, last: 1 });
    expect(state).not.toHaveProperty('refused');
  });
});
