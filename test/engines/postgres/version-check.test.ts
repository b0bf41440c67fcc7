import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChangeCounts, changeMemory } from '../../../src/engines/postgres/change-counts.ts';
import type { Connection } from '../../../src/engines/postgres/connection.ts';
import { type DatabaseVersion, VersionCheck } from '../../../src/engines/postgres/version-check.ts';
import { versionLeaseMs } from '../../../src/engines/postgres/write-lane.ts';

/** A version check that the test answers: faults and delays cannot be caused on a server at will. */
interface Asked {
  readonly boards: readonly string[];
  /** `writer`: the owner of the sole writer's lane. */
  answer(version: number, writer?: string): void;
  fail(error: Error): void;
}

/** A version check whose statements wait for the test. */
function heldLook() {
  const requested: Asked[] = [];
  const seen: DatabaseVersion[] = [];
  const run = (_text: string, values: readonly unknown[] = []) =>
    new Promise((resolve, reject) => {
      const [boards = []] = values as [string[]?];
      requested.push({
        boards,
        answer(version, writer) {
          const first = { epoch: 'here', version, writer: writer ?? null, board: null, board_version: 0 };
          const none = { epoch: null, version: null, writer: null };
          const rows = boards.map((board) => ({ ...none, board, board_version: version }));
          resolve({ rows: [first, ...rows], rowCount: 1, command: 'SELECT' });
        },
        fail: reject,
      });
    });
  const changes = new ChangeCounts(changeMemory());
  const look = new VersionCheck({
    run: run as Connection['run'],
    node: 'this node',
    changes,
    seen: (one) => seen.push(one),
  });
  return { look, requested, seen, changes };
}

describe('a version check', () => {
  test('is shared by all callers of a turn, with the boards of each', async () => {
    const { look, requested, seen } = heldLook();
    const waiting = [look.now(null), look.now('a'), look.now('b'), look.now('a')];
    await nextTurn();
    expect(requested.map(({ boards }) => boards)).toEqual([['a', 'b']]);
    requested[0]?.answer(7);
    const answers = await Promise.all(waiting);
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatchObject({
      epoch: 'here',
      version: 7,
      boards: new Map([
        ['a', 7],
        ['b', 7],
      ]),
    });
    expect(seen).toHaveLength(1);
  });

  test('does not serve callers who came after it had begun: they share the next, which waits for it', async () => {
    const { look, requested } = heldLook();
    const first = look.now(null);
    await nextTurn();
    const later = [look.now(null)];
    await nextTurn();
    later.push(look.now('a'));
    await nextTurn();
    expect(requested).toHaveLength(1);
    requested[0]?.answer(1);
    expect((await first).version).toBe(1);
    await nextTurn();
    expect(requested.map(({ boards }) => boards)).toEqual([[], ['a']]);
    requested[1]?.answer(2);
    expect((await Promise.all(later)).map(({ version }) => version)).toEqual([2, 2]);
  });

  test('that fails rejects its callers, and the next one is made', async () => {
    const { look, requested } = heldLook();
    const first = look.now(null);
    await nextTurn();
    const second = look.now(null);
    requested[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await nextTurn();
    requested[1]?.answer(3);
    expect((await second).version).toBe(3);
    const third = look.now(null);
    await nextTurn();
    requested[2]?.answer(4);
    expect((await third).version).toBe(4);
  });
});

describe('the check of a sole writer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A check that has been answered, as the sole writer's. */
  async function leased() {
    const scene = heldLook();
    const first = scene.look.now('a');
    await nextTurn();
    scene.requested[0]?.answer(5, 'this node, first lane');
    await first;
    return scene;
  }

  test('is used again for the length of the lease, with the boards that were asked for', async () => {
    const { look, requested } = await leased();
    expect(look.now(null)).toMatchObject({ version: 5 });
    expect(look.now('a')).toMatchObject({ boards: new Map([['a', 5]]) });
    const other = look.now('b');
    await nextTurn();
    expect(requested.map(({ boards }) => boards)).toEqual([['a'], ['b']]);
    requested[1]?.answer(6, 'this node, first lane');
    expect((await other).version).toBe(6);
    const known = new Map([
      ['a', 5],
      ['b', 6],
    ]);
    expect(look.now('a')).toMatchObject({ version: 6, boards: known });
    vi.advanceTimersByTime(versionLeaseMs - 1);
    expect(look.now(null)).toMatchObject({ version: 6 });
    vi.advanceTimersByTime(1);
    expect(look.now(null)).toBeInstanceOf(Promise);
    await nextTurn();
    expect(requested).toHaveLength(3);
    requested[2]?.answer(7, 'this node, first lane');
    await nextTurn();
    expect(look.now(null)).toMatchObject({ version: 7 });
    expect(look.now('a'), 'a board that was not asked for since').toBeInstanceOf(Promise);
  });

  test('is not used again when another node is the sole writer, or none', async () => {
    for (const writer of ['that node, first lane', undefined]) {
      const { look, requested } = heldLook();
      const first = look.now(null);
      await nextTurn();
      requested[0]?.answer(5, writer);
      await first;
      expect(look.now(null)).toBeInstanceOf(Promise);
    }
  });

  test('is not used again from before a change is committed until a check that began after it', async () => {
    const { look, requested, changes } = await leased();
    changes.begin({ rows: true, boards: false });
    const during = look.now(null);
    await nextTurn();
    requested[1]?.answer(5, 'this node, first lane'); // the database may have the change a moment later
    await during;
    changes.end();
    const after = look.now(null);
    await nextTurn();
    requested[2]?.answer(6, 'this node, first lane');
    expect((await after).version).toBe(6);
    expect(look.now(null)).toMatchObject({ version: 6 });
  });

  test('is not used again when a change was committed while it was in flight', async () => {
    const { look, requested, changes } = heldLook();
    const first = look.now(null);
    await nextTurn();
    changes.begin({ rows: true, boards: true });
    changes.end();
    requested[0]?.answer(5, 'this node, first lane');
    await first;
    expect(look.now(null)).toBeInstanceOf(Promise);
  });

  test('is used again for rows, not for boards, when only boards have changed', async () => {
    const { look, requested, changes } = await leased();
    changes.begin({ rows: false, boards: true });
    expect(look.now(null)).toMatchObject({ version: 5 });
    expect(look.now('a')).toBeInstanceOf(Promise);
    await nextTurn();
    changes.end();
    requested[1]?.answer(6, 'this node, first lane');
    await nextTurn();
    const again = look.now('a');
    expect(again, 'the check began while the change was being committed').toBeInstanceOf(Promise);
    await nextTurn();
    requested[2]?.answer(7, 'this node, first lane');
    await again;
    expect(look.now('a')).toMatchObject({ boards: new Map([['a', 7]]) });
  });
});
