import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { GantryError } from '../../src/core/errors.ts';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import type { NewGame } from '../../src/features/games/game.ts';
import { addGuest } from '../../src/features/guests/commands.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { PrizeWorker } from '../../src/features/rules/prizes/prize-worker.ts';
import { openPrizeRuns } from '../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { addLeaderboard, endSeason } from '../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../src/features/scores/leaderboard-score-commands.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { generousSpending, type RulesChain, startRulesChain } from '../support/rules-chain.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

const weekly = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: [],
  schedule: null,
  keepSeasons: null,
} as const;

const hour = 60 * 60 * 1000;

const notify = { type: 'Notify', message: 'place {place}' };

function ruleFor(to: number, ...actions: object[]) {
  return { trigger: 'prize', seasonEnd: { leaderboard: 'weekly', places: { to } }, actions };
}

/** A game with its players placed in the order in which they are listed. */
async function seasonOn(
  server: TestServer,
  rules: unknown[],
  wallets: string[],
  game: Partial<NewGame> = {},
) {
  const { gameId } = await server.createGame(game);
  const { db } = server.services;
  await db.write(addLeaderboard, gameId, { ...weekly, labels: [] });
  await db.write(replaceRules, gameId, ruleList.parse(rules));
  for (const [at, wallet] of wallets.entries()) {
    await db.write(setLeaderboardScore, { gameId, wallet }, 'weekly', 1_000 - at);
  }
  return gameId;
}

const inbox = z.object({ notifications: z.array(z.object({ message: z.string() })) });

async function messagesTo(server: TestServer, gameId: string, wallet: string): Promise<string[]> {
  const { launcherJwt } = await server.openSession(gameId, wallet);
  const { body } = await post(`${server.url}/launcher/list-notifications`, { launcherJwt });
  return inbox.parse(body).notifications.map(({ message }) => message);
}

async function players(server: TestServer, count: number): Promise<string[]> {
  const { gameId } = await server.createGame();
  const made = await Promise.all(Array.from({ length: count }, () => server.openSession(gameId)));
  return made.map(({ wallet }) => wallet);
}

let chain: RulesChain;
let server: TestServer;
beforeAll(async () => {
  chain = await startRulesChain();
  server = await startTestServer(chain.variables);
});
afterAll(async () => {
  await server.close();
  await chain[Symbol.asyncDispose]();
});

const admin = (path: string, body: object, at: TestServer | { url: string; adminToken: string } = server) =>
  post(`${at.url}/admin/${path}`, body, bearer(at.adminToken));

const listed = z.object({
  data: z.array(
    z.object({
      type: z.string(),
      state: z.string(),
      error: z.string().nullable(),
      normalizedAddress: z.string(),
    }),
  ),
});
async function actionsOf(gameId: string) {
  const { body } = await admin('list-actions', { gameId });
  return listed.parse(body).data;
}

test('the end of a season pays the winners on the chain, and says why a guest got nothing', async () => {
  const [first = '', second = '', third = ''] = await players(server, 3);
  const guest = newGuestAddress();
  const token = { type: 'IssueToken', chainId: chain.chainId, contract: chain.addresses.Token };
  const winsScore = {
    type: 'SetLeaderboardScore',
    chainId: chain.chainId,
    contract: chain.addresses.Board,
    conditions: [{ type: 'payload-value-condition', operator: 'eq', value: 1 }],
  };
  const rules = [ruleFor(3, notify, { ...token, ratio: '2', decimals: 0 }, winsScore)];
  const gameId = await seasonOn(server, rules, [first, second], {
    policies: { spending: generousSpending(chain) },
  });
  const { db } = server.services;
  const made = { address: guest, idleMs: 1e9 };
  await db.write(addGuest, gameId, made, { secretHash: guest, name: '' }, 1e9);
  await db.write(setLeaderboardScore, { gameId, wallet: guest }, 'weekly', 500);
  await db.write(setLeaderboardScore, { gameId, wallet: third }, 'weekly', 400);
  expect(await admin('reset-leaderboard', { gameId, leaderboard: 'weekly' })).toMatchObject({ status: 200 });
  const actions = await until('everything was sent', async () => {
    const all = await actionsOf(gameId);
    return all.length === 4 && all.every(({ state }) => !['queued', 'submitted'].includes(state)) && all;
  });
  const balances = await Promise.all(
    [first, second, third].map((wallet) => chain.read('Token', 'balanceOf', [wallet])),
  );
  expect(balances).toEqual([2n, 4n, 0n]);
  expect(await chain.read('Board', 'scoreOf', [first])).toBe(1_000n); // of the ended season
  expect(actions.filter(({ state }) => state !== 'confirmed')).toMatchObject([
    { type: 'IssueToken', state: 'failed', normalizedAddress: guest, error: /guest/ },
  ]);
  for (const [at, wallet] of [first, second, guest].entries()) {
    expect(await messagesTo(server, gameId, wallet)).toEqual([`place ${at + 1}`]);
  }
  expect(await messagesTo(server, gameId, third)).toEqual([]);
});

test('a refused action is listed as failed, and the next player gets the prize', async () => {
  const wallets = await players(server, 2);
  const rules = [
    ruleFor(2, { type: 'UpdateScore', amount: 1e15, leaderboard: 'total', mode: 'set' }, notify),
  ];
  const gameId = await seasonOn(server, rules, wallets);
  const { db } = server.services;
  await db.write(addLeaderboard, gameId, { ...weekly, labels: [], name: 'total', keep: 'sum' });
  const [first = '', second = ''] = wallets;
  await db.write(setLeaderboardScore, { gameId, wallet: first }, 'total', Number.MAX_SAFE_INTEGER);
  await admin('reset-leaderboard', { gameId, leaderboard: 'weekly' });
  await until('the second has the prize', async () => (await messagesTo(server, gameId, second)).length > 0);
  expect(await messagesTo(server, gameId, first)).toEqual([]);
  const actions = await actionsOf(gameId);
  expect(actions.map(({ type, state }) => [type, state])).toEqual(
    expect.arrayContaining([
      ['UpdateScore', 'failed'],
      ['Notify', 'failed'],
    ]),
  );
  for (const { normalizedAddress, error } of actions) {
    expect(normalizedAddress).toBe(first);
    expect(error).toMatch(/place 1 could not be granted: .*would exceed/);
  }
});

test('an unresponsive chain delays its rule only, until it answers, or the prize counts as failed', async () => {
  await using own = await startTestServer();
  await own.queue.prizes.stop(); // this test's is the only one
  const { db, states } = own.services;
  const wallets = await players(own, 2);
  const rules = [ruleFor(2, notify), { ...ruleFor(1, { ...notify, message: 'other' }), trigger: 'other' }];
  const gameId = await seasonOn(own, rules, wallets);
  await db.write(endSeason, gameId, 'weekly');
  const [first = '', second = ''] = wallets;
  let isDown = true;
  const reported: unknown[] = [];
  const withWorker = async (retryForMs: number, run: () => Promise<void>) => {
    const worker = new PrizeWorker(db, {
      states,
      ruleChains: {
        async factsFor(_rules, trigger, wallet) {
          if (trigger === 'prize' && (isDown || wallet === second)) {
            throw new GantryError('chain_unavailable', 'the chain is away');
          }
          return { signers: {}, balances: {} };
        },
      },
      report: (thrown) => reported.push(thrown),
      pollMs: 5,
      retryForMs,
      backoff: () => 1,
    });
    worker.start();
    await run().finally(() => worker.stop());
  };
  await withWorker(hour, async () => {
    await until('the other rule has run', async () =>
      (await messagesTo(own, gameId, first)).includes('other'),
    );
    await until('the chain is asked again', async () => reported.length > 1);
    expect(await messagesTo(own, gameId, first)).toEqual(['other']);
    isDown = false;
    await until('the first has both', async () => (await messagesTo(own, gameId, first)).length === 2);
  });
  expect(await db.read(openPrizeRuns, 9)).toHaveLength(1);
  await withWorker(0, async () => {
    await until('all are over', async () => (await db.read(openPrizeRuns, 9)).length === 0);
  });
  expect((await messagesTo(own, gameId, first)).toSorted()).toEqual(['other', 'place 1']);
  expect(await messagesTo(own, gameId, second)).toEqual([]);
  const { body } = await admin('list-actions', { gameId }, own);
  expect(listed.parse(body).data).toMatchObject([
    { type: 'Notify', state: 'failed', normalizedAddress: second, error: /place 2 .*the chain is away/ },
  ]);
});

test('a server killed while it gives prizes continues after its restart, and gives each once', async () => {
  await using directory = await temporaryDirectory();
  const adminToken = 'the-admin-token-of-the-tests';
  const { gameId, wallets } = await (async () => {
    await using first = await startTestServer({ DATA_DIR: directory.path });
    const all = await players(first, 40);
    return { gameId: await seasonOn(first, [ruleFor(40, notify)], all), wallets: all };
  })();
  {
    await using child = await serveGantry(directory.path, { ADMIN_TOKEN: adminToken });
    await admin('reset-leaderboard', { gameId, leaderboard: 'weekly' }, { url: child.url, adminToken });
    await child.end('SIGKILL');
  }
  await using server = await startTestServer({ DATA_DIR: directory.path });
  const { db } = server.services;
  await until('all are over', async () => (await db.read(openPrizeRuns, 9)).length === 0);
  const told = await Promise.all(wallets.map((wallet) => messagesTo(server, gameId, wallet)));
  expect(told).toEqual(wallets.map((_, at) => [`place ${at + 1}`]));
});
