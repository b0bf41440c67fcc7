import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { BatchWait } from '../../../src/engines/postgres/batch-wait.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { listScores } from '../../../src/features/scores/queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { addGame, addPlayer } from '../../contracts/storage/fixture.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';

afterEach(() => void vi.useRealTimers());

/** Nodes on one database, with players of a game. */
async function nodesOn(url: string, count: number): Promise<{ nodes: PostgresDatabase[]; players: Owner[] }> {
  const nodes = await Promise.all(Array.from({ length: count }, () => PostgresDatabase.open(url, domain)));
  const [db] = nodes;
  if (!db) throw new Error('there is no node');
  const { id: gameId } = await addGame(db);
  const players: Owner[] = [];
  for (let n = 0; n < 16; n++) players.push(await addPlayer(db, gameId));
  return { nodes, players };
}

/** Sets scores on a node, a caller for each of the players; each reads its scores before it sets the next. */
async function setScores(db: PostgresDatabase, callers: readonly Owner[], count: number): Promise<void> {
  await Promise.all(
    callers.map(async (player) => {
      for (let n = 0; n < count; n++) {
        await db.write(setScore, player, n);
        await db.read(listScores, player, { limit: 1, skip: 0 });
      }
    }),
  );
}

describe.skipIf(noPostgres !== null)('batches on PostgreSQL', () => {
  // Time stands still, so that ten transactions count as load on the slowest machine; timers run.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

  test.each([1, 3])(
    'never wait for more commands of %i callers that call one after the other',
    async (callers) => {
      await using database = await freshSchema();
      const { nodes, players } = await nodesOn(database.url, 1);
      const [db] = nodes;
      if (!db) throw new Error('there is no node');
      await setScores(db, players.slice(0, callers), 30);
      const { waits, batches } = await db.counts();
      await db.close();
      expect(batches).toBeGreaterThanOrEqual(30);
      expect(waits).toBe(0);
    },
  );

  test('wait for more under load, so that 48 callers of three nodes fill their batches', async () => {
    await using database = await freshSchema();
    const { nodes, players } = await nodesOn(database.url, 3);
    await Promise.all(nodes.map((db) => setScores(db, players, 50)));
    const counts = await Promise.all(nodes.map((db) => db.counts()));
    await Promise.all(nodes.map((db) => db.close()));
    const batches = counts.reduce((sum, one) => sum + one.batches, 0);
    for (const { waits } of counts) expect(waits).toBeGreaterThan(0);
    // 7.6 without waiting; 8.7 and more with it, also on a machine where few transactions a second count as load.
    expect((48 * 50) / batches).toBeGreaterThan(8);
  });
});

describe('a batch', () => {
  /** After twenty commits of six commands with ten in flight, a millisecond apart. */
  function underLoad(): BatchWait {
    vi.useFakeTimers();
    const wait = new BatchWait();
    for (let n = 0; n < 20; n++) {
      wait.committing(6, 4);
      vi.advanceTimersByTime(1);
    }
    return wait;
  }

  test('waits until as many commands are queued as were in flight', async () => {
    const wait = underLoad();
    let isOver = false;
    const waiting = wait.forMore(4)?.then(() => {
      isOver = true;
    });
    wait.queued(9);
    await Promise.resolve();
    expect(isOver).toBe(false);
    wait.queued(10);
    await waiting;
    expect([isOver, vi.getTimerCount()]).toEqual([true, 0]);
  });

  test('waits for two milliseconds at most', async () => {
    const waiting = underLoad().forMore(4);
    expect(waiting).not.toBeNull();
    vi.advanceTimersByTime(2);
    await waiting;
  });

  test('does not wait when there is enough, on an idle node, or after a lone command', () => {
    const wait = underLoad();
    expect(wait.forMore(10)).toBeNull();
    vi.advanceTimersByTime(100);
    expect(wait.forMore(4)).toBeNull();
    const other = underLoad();
    other.committing(1, 0);
    expect(other.forMore(1)).toBeNull();
  });

  test('begins the next transaction with its commit when that does not wait', () => {
    const wait = underLoad();
    expect(wait.committing(6, 4)).toBe(false);
    expect(wait.committing(6, 40)).toBe(true);
    vi.advanceTimersByTime(100);
    expect(wait.committing(6, 4)).toBe(true);
    expect(wait.committing(6, 0)).toBe(false);
  });
});
