import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import type { Store } from '../../src/core/storage/store.ts';
import { listInbox } from '../../src/features/notifications/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { givePrizes } from '../../src/features/rules/prizes/commands.ts';
import { openPrizeRuns, readPrizeRun } from '../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { addGame, addPlayer, type DatabaseUnderTest } from '../contracts/storage/fixture.ts';
import { openPostgresDatabase } from '../storage/postgres-database-under-test.ts';
import { openSqliteDatabase } from '../storage/sqlite-database-under-test.ts';
import { noPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { prizeWorker } from './prize-worker-under-test.ts';

const program = fileURLToPath(new URL('killed-in-a-batch.ts', import.meta.url));
const pinnedNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

const places = 60;

/** What each engine opens, and how another process finds it. */
interface Opened {
  store: DatabaseUnderTest;
  where: string;
}

const engines: Record<string, { open: () => Promise<Opened>; isSkipped: boolean }> = {
  SQLite: {
    async open() {
      const store = await openSqliteDatabase();
      return { store, where: store.file };
    },
    isSkipped: false,
  },
  PostgreSQL: {
    async open() {
      const store = await openPostgresDatabase();
      return { store, where: store.url };
    },
    isSkipped: noPostgres !== null,
  },
};

describe.each(Object.entries(engines))('on %s', (_, { open, isSkipped }) => {
  test.skipIf(isSkipped)('a batch cut off in the middle is given once, as a whole', async () => {
    const { store, where } = await open();
    await using _closed = store;
    const { db } = store;
    const owners = await endedSeason(db, ['prize']);
    const [run = ''] = await db.read(openPrizeRuns, 9);
    const child = spawn(pinnedNode, [program, where, 'prize 35'], { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);

    const before = (await Promise.all(owners.map((owner) => messagesTo(db, owner)))).flat();
    const found = await db.read(readPrizeRun, run, 1);
    expect(before).toEqual(places1To(before.length));
    expect(before.length).toBeGreaterThan(1);
    expect(before.length).toBeLessThan(34);
    expect(found?.run.place).toBe(before.length + 1);

    const worker = prizeWorker(db);
    worker.start();
    await until('all are given', async () => (await db.read(openPrizeRuns, 9)).length === 0);
    await worker.stop();
    const told = await Promise.all(owners.map((owner) => messagesTo(db, owner)));
    expect(told).toEqual(places1To(places).map((message) => [message]));
  });

  test.skipIf(isSkipped)('two nodes share the runs, and give each prize once', async () => {
    const { store } = await open();
    await using _closed = store;
    const rules = ['a', 'b', 'c', 'd', 'e', 'f'];
    const owners = await endedSeason(store.db, rules);
    const nodes = [store.db, await store.openOtherProcess()].map((db) => ({ db, given: 0 }));
    const workers = nodes.map((node) => {
      // Each goes on only when the other has given some, too.
      const isAhead = () => node.given > 0 && nodes.some(({ given }) => given === 0);
      const counting: Store = {
        now: () => node.db.now(),
        read: (...args) => node.db.read(...args),
        async write(command, ...args) {
          await until('the other gives some', () => !isAhead());
          const result = await node.db.write(command, ...args);
          if (Object.is(command, givePrizes)) node.given += Number(result);
          return result;
        },
      };
      return prizeWorker(counting);
    });
    for (const worker of workers) worker.start();
    await until('all are given', async () => (await store.db.read(openPrizeRuns, 9)).length === 0);
    for (const worker of workers) await worker.stop();
    expect(nodes.reduce((sum, { given }) => sum + given, 0)).toBe(rules.length * places);
    for (const [at, owner] of owners.entries()) {
      const told = await messagesTo(store.db, owner);
      expect(told.toSorted()).toEqual(rules.map((rule) => `${rule} ${at + 1}`));
    }
  });
});

/** A season with a prize for each player and rule, ended; the players by place. */
async function endedSeason(db: Database, triggers: readonly string[]): Promise<Owner[]> {
  const { id: gameId } = await addGame(db);
  const rules = { keep: 'best', order: 'desc', entries: 'player', public: true } as const;
  const leaderboard = { name: 'weekly', ...rules, labels: [], schedule: null, keepSeasons: null };
  await db.write(addLeaderboard, gameId, leaderboard);
  const seasonEnd = { leaderboard: 'weekly', places: { to: places } };
  const prizes = triggers.map((trigger) => {
    return { trigger, seasonEnd, actions: [{ type: 'Notify', message: `${trigger} {place}` }] };
  });
  await db.write(replaceRules, gameId, ruleList.parse(prizes));
  const owners = await Promise.all(Array.from({ length: places }, () => addPlayer(db, gameId)));
  await Promise.all(owners.map((owner, at) => db.write(setLeaderboardScore, owner, 'weekly', places - at)));
  await db.write(endSeason, gameId, 'weekly');
  return owners;
}

function places1To(last: number): string[] {
  return Array.from({ length: last }, (_, at) => `prize ${at + 1}`);
}

async function messagesTo(db: Database, { gameId, wallet }: Owner): Promise<string[]> {
  const inbox = await db.read(listInbox, { gameId, wallet }, { limit: 250, unreadOnly: false });
  return inbox.notifications.map(({ message }) => message);
}
