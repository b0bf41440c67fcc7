import { isDeepStrictEqual } from 'node:util';
import { GantryError } from '../../src/core/errors.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import { events, streams } from '../../src/core/events/tables.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { Store } from '../../src/core/storage/store.ts';
import type { AnyTable } from '../../src/core/storage/table.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { rowsIn } from '../support/rows-in.ts';
import { learn, newScene, type RandomOperation, randomFrom, randomOperation } from './random-writes.ts';

/** Deterministic ids in the same order. */
export function countedIds(): () => string {
  let made = 0;
  return () => `00000000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`;
}

export interface DifferentialCounts {
  operations: number;
  /** Refused by both. */
  refused: number;
  events: number;
  /** Of all tables. */
  rows: number;
  /** Descriptions of the differences. */
  differences: string[];
}

/** Executes the same random operations on two databases, and compares every result, every event and every row. */
export async function compareEngines(
  one: Database,
  other: Database,
  clocks: readonly ManualClock[],
  { operations, seed }: { operations: number; seed: number },
): Promise<DifferentialCounts> {
  const random = randomFrom(seed);
  const told: [StoredEvent[], StoredEvent[]] = [[], []];
  one.onCommit((received) => told[0].push(...received));
  other.onCommit((received) => told[1].push(...received));
  const scene = newScene(Array.from({ length: 12 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`));
  const counts: DifferentialCounts = { operations, refused: 0, events: 0, rows: 0, differences: [] };
  const both = async (operation: RandomOperation) => {
    const [first, second] = [await outcomeOf(operation, one), await outcomeOf(operation, other)];
    if (!isDeepStrictEqual(first, second)) {
      counts.differences.push(`${operation.name}: ${JSON.stringify(first)} ≠ ${JSON.stringify(second)}`);
    }
    if (typeof first === 'object' && first !== null && 'refused' in first) counts.refused++;
    learn(scene, operation, first);
    return first;
  };
  for (const slug of ['first', 'second', 'third']) {
    const secret = { hash: slug, sealedMd5: slug, sealedSecret: slug };
    const game = await both({
      name: 'game',
      run: (db) => db.write(registerGame, { name: slug, slug }, secret),
    });
    scene.gameIds = [...scene.gameIds, String((game as { id: string }).id)];
  }
  for (const gameId of scene.gameIds) {
    for (const wallet of scene.wallets) {
      await both({ name: 'open', run: (db) => db.write(startSession, { gameId, wallet }, 1e9) });
    }
  }
  for (let n = 0; n < operations; n++) {
    if (random() < 0.5) {
      const ms = 1 + Math.floor(random() * 3_000);
      for (const clock of clocks) clock.advance(ms);
    }
    await both(randomOperation(random, scene));
  }
  counts.events = told[0].length;
  const plain = (received: readonly StoredEvent[]) =>
    received.map(({ stream, seq, name, record, audience }) => {
      // A set: its order means nothing.
      const inGames = audience.kind === 'account' ? audience.inGames?.toSorted() : undefined;
      return { stream, seq, name, record, audience: inGames ? { ...audience, inGames } : audience };
    });
  if (!isDeepStrictEqual(plain(told[0]), plain(told[1]))) counts.differences.push('the events differ');
  for (const table of [streams, ...tables, events]) {
    const [first, second] = await Promise.all([contentOf(one, table), contentOf(other, table)]);
    counts.rows += first.length;
    if (!isDeepStrictEqual(first, second)) {
      const at = first.findIndex((row, place) => row !== second[place]);
      counts.differences.push(`${table.name}, row ${at}: ${first[at]} ≠ ${second[at]}`);
    }
  }
  return counts;
}

async function outcomeOf({ run }: RandomOperation, db: Database): Promise<unknown> {
  try {
    return await run(db);
  } catch (error) {
    if (error instanceof GantryError) return { refused: error.reason, message: error.message };
    throw error;
  }
}

/** The rows of a table as text, sorted; streams by their names. */
export async function contentOf(db: Store, table: AnyTable): Promise<string[]> {
  const selected = table.columns.map(({ name, sqlName, kind }) => {
    if (kind === 'stream') return `(SELECT name FROM streams WHERE id = t.${sqlName}_id) AS "${name}"`;
    if (kind === 'board') return `(SELECT game_id FROM boards WHERE id = t.board_id) AS "${name}"`;
    return `t.${sqlName} AS "${name}"`;
  });
  const rows = await rowsIn(db, `SELECT ${selected.join(', ')} FROM ${table.name} AS t`, {});
  return rows.map((row) => JSON.stringify(row)).sort();
}
