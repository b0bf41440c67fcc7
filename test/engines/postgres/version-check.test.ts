import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/engines/postgres/connection.ts';
import { type DatabaseVersion, VersionCheck } from '../../../src/engines/postgres/version-check.ts';

/** A version check that the test answers: faults and delays cannot be caused on a server at will. */
interface Asked {
  readonly boards: readonly string[];
  answer(version: number): void;
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
        answer(version) {
          const first = { epoch: 'here', version, board: null, board_version: 0 };
          const rows = boards.map((board) => ({ epoch: null, version: null, board, board_version: version }));
          resolve({ rows: [first, ...rows], rowCount: 1, command: 'SELECT' });
        },
        fail: reject,
      });
    });
  const look = new VersionCheck(run as Connection['run'], (one) => seen.push(one));
  return { look, requested, seen };
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
