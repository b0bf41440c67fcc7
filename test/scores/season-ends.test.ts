import { expect, test } from 'vitest';
import type { Database } from '../../src/core/storage/database.ts';
import { endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { listDueSeasons } from '../../src/features/scores/leaderboard-queries.ts';
import { startSeasonEnds } from '../../src/features/scores/season-ends.ts';
import { until } from '../support/until.ts';

interface Due {
  gameId: string;
  name: string;
  season: number;
  seasonId: string;
}

/** More than one poll ends. */
const failing = 60;

/** Seasons that are due, of which those whose name begins with `bad` cannot be ended. */
function database(due: Map<string, Due>): { db: Pick<Database, 'read' | 'write'>; attempts: string[] } {
  const attempts: string[] = [];
  const db = {
    async read(query: unknown, limit: number) {
      expect(query).toBe(listDueSeasons);
      return [...due.values()].slice(0, limit);
    },
    async write(command: unknown, _gameId: string, name: string) {
      expect(command).toBe(endSeason);
      attempts.push(name);
      if (name.startsWith('bad')) throw new Error(`no end of ${name}`);
      due.delete(name);
    },
  };
  return { db: db as unknown as Pick<Database, 'read' | 'write'>, attempts };
}

test('seasons that cannot be ended delay none behind them, and are not retried at every poll', async () => {
  const names = [...Array.from({ length: failing }, (_, index) => `bad-${index}`), 'good-1', 'good-2'];
  const due = new Map(names.map((name) => [name, { gameId: 'g', name, season: 1, seasonId: name }]));
  const { db, attempts } = database(due);
  const reported: unknown[] = [];
  const stop = new AbortController();
  try {
    startSeasonEnds(db as Database, {
      signal: stop.signal,
      report: (thrown) => reported.push(thrown),
      everyMs: 5,
    });
    await until('the others have ended', () => !due.has('good-1') && !due.has('good-2'));
  } finally {
    stop.abort();
  }
  expect(attempts.toSorted()).toEqual(names.toSorted()); // each once
  expect(reported).toHaveLength(failing);
});
