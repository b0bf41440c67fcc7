import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { streamOf } from '../../../src/core/events/stream.ts';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { ban, changeGame } from '../../../src/features/administration/commands.ts';
import { eraseScores } from '../../../src/features/administration/erasing-commands.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import { requeueAction } from '../../../src/features/queue/commands.ts';
import { heldActionError } from '../../../src/features/queue/held-actions.ts';
import { readActions } from '../../../src/features/queue/queries.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import {
  endPrizeRun,
  failPrize,
  givePrizes,
  holdPrizes,
} from '../../../src/features/rules/prizes/commands.ts';
import type { Winner } from '../../../src/features/rules/prizes/prize-run.ts';
import { openPrizeRuns, readPrizeRun } from '../../../src/features/rules/prizes/queries.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { deleteScore } from '../../../src/features/scores/commands.ts';
import type { NewLeaderboard } from '../../../src/features/scores/leaderboard.ts';
import {
  addLeaderboard,
  clearRetiredSeason,
  deleteLeaderboard,
  endSeason,
} from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { requestSignIn } from '../../../src/features/sessions/sign-in-commands.ts';
import { upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, hour, listen, type OpenStore, wholePage } from './fixture.ts';

const usual: NewLeaderboard = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: ['de'],
  schedule: null,
  keepSeasons: null,
};

const chain = { signers: {}, balances: {} };

/** Sends a player's place, and the score in the ended season, as a notification. */
function prizeFor(places: object, more: object = {}) {
  return {
    trigger: 'prize',
    seasonEnd: { leaderboard: 'weekly', places, ...more },
    actions: [
      {
        type: 'Notify',
        message: '{place} {season} {value} {nonce}',
        conditions: [{ type: 'score-condition', leaderboard: 'weekly', operator: 'gt', value: 0 }],
      },
    ],
  };
}

export function prizesContract(open: OpenStore): void {
  describe('prizes at the end of a season', () => {
    /** A game with a leaderboard, on which the first player is first. */
    async function seasonOf(
      db: Database,
      rules: unknown[],
      board: Partial<NewLeaderboard> = {},
      players = 3,
    ) {
      const { id: gameId } = await addGame(db);
      await db.write(addLeaderboard, gameId, { ...usual, ...board });
      await db.write(replaceRules, gameId, ruleList.parse(rules));
      const owners: Owner[] = [];
      for (let at = 0; at < players; at++) {
        const owner = await addPlayer(db, gameId);
        owners.push(owner);
        await db.write(setLeaderboardScore, owner, 'weekly', 100 - at, { nonce: 'n' });
      }
      return { gameId, owners };
    }

    test('are given for the places of a rule, once each, in a run that continues after a reopen', async () => {
      await using fixture = await open();
      const { gameId, owners } = await seasonOf(fixture.db, [prizeFor({ from: 2, to: 3 })], {}, 4);
      await fixture.db.write(endSeason, gameId, 'weekly');
      // Rules and scores after the end have no effect.
      await fixture.db.write(replaceRules, gameId, []);
      const told = messagesOf(fixture.db);
      const [run = ''] = await fixture.db.read(openPrizeRuns, 9);
      const first = await next(fixture.db, run);
      expect(first).toMatchObject({ place: 2, wallet: owners[1]?.wallet });
      expect(await give(fixture.db, first)).toBe(true);
      expect(await give(fixture.db, first)).toBe(false);
      expect(told()).toEqual([[owners[1]?.wallet, '2 1 2 weekly/1']]);

      const db = await fixture.reopen();
      const toldThen = messagesOf(db);
      expect(await give(db, first)).toBe(false);
      const second = await next(db, run);
      expect(second).toMatchObject({ place: 3, wallet: owners[2]?.wallet });
      expect(await give(db, second)).toBe(true);
      expect(toldThen()).toEqual([[owners[2]?.wallet, '3 1 3 weekly/1']]);
      expect(await db.read(readPrizeRun, run, 9)).toBeNull();
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);
    });

    test('are given by one of two processes', async () => {
      await using fixture = await open();
      const { gameId } = await seasonOf(fixture.db, [prizeFor({ to: 3 })]);
      await fixture.db.write(endSeason, gameId, 'weekly');
      const otherProcess = await fixture.openOtherProcess();
      const told = messagesOf(fixture.db);
      const [run = ''] = await fixture.db.read(openPrizeRuns, 9);
      for (let place = 1; place <= 3; place++) {
        const winner = await next(fixture.db, run);
        const given = await Promise.all([fixture.db, otherProcess, fixture.db].map((db) => give(db, winner)));
        expect(given.toSorted()).toEqual([false, false, true]);
      }
      expect(told().length).toBeLessThanOrEqual(3);
      expect(await fixture.db.read(openPrizeRuns, 9)).toEqual([]);
    });

    test('several are given in one transaction, up to a player who is no longer next', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId, owners } = await seasonOf(db, [prizeFor({ to: 4 })], {}, 5);
      const [ada, bob, cleo, dan, eve] = owners.map(({ wallet }) => wallet);
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      const winners = await nextOnes(db, run);
      expect(winners.map(({ wallet }) => wallet)).toEqual([ada, bob, cleo, dan]);
      while (await db.write(eraseScores, streamOf.player(gameId, cleo ?? '')));
      expect(await giveTogether(db, winners)).toBe(2);
      expect(await giveTogether(db, winners)).toBe(0);
      expect(await giveTogether(db, winners.slice(2))).toBe(0);
      expect(await giveTogether(db, await nextOnes(db, run))).toBe(2);
      expect(told()).toEqual([
        [ada, '1 1 1 weekly/1'],
        [bob, '2 1 2 weekly/1'],
        [dan, '3 1 3 weekly/1'],
        [eve, '4 1 4 weekly/1'],
      ]);
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);
    });

    test('one that is refused leaves none of its transaction', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const rule = prizeFor({ to: 3 });
      const add = { type: 'UpdateScore', amount: 1e15, leaderboard: 'total', mode: 'add' };
      const { gameId, owners } = await seasonOf(db, [{ ...rule, actions: [...rule.actions, add] }]);
      await db.write(addLeaderboard, gameId, { ...usual, name: 'total', keep: 'sum' });
      const second = owners[1] ?? { gameId, wallet: '' };
      await db.write(setLeaderboardScore, second, 'total', Number.MAX_SAFE_INTEGER);
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      const winners = await nextOnes(db, run);
      await expect(giveTogether(db, winners)).rejects.toMatchObject({
        reason: 'score_sum_too_large',
      });
      expect(told()).toEqual([]);
      expect(await nextOnes(db, run)).toEqual(winners);
      expect(await giveTogether(db, winners.slice(0, 1))).toBe(1);
      expect(await db.write(failPrize, await next(db, run), 'no')).toBe(true);
      expect(await giveTogether(db, winners.slice(2))).toBe(1);
      expect(told()).toEqual([
        [owners[0]?.wallet, '1 1 1 weekly/1'],
        [owners[2]?.wallet, '3 1 3 weekly/1'],
      ]);
    });

    test("are not given by a game's own trigger, whatever its name", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { owners } = await seasonOf(db, [prizeFor({ to: 3 })]);
      const [ada] = owners;
      if (!ada) throw new Error('no player');
      expect((await db.write(triggerRules, ada, { trigger: 'prize', value: 1 })).actions).toEqual([]);
    });

    test('are separate per season and rule; other leaderboards have none, and seasons without a rule neither', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId, owners } = await seasonOf(db, [
        prizeFor({ to: 1 }),
        prizeFor({ to: 2 }),
        { trigger: 'prize', actions: [{ type: 'Notify', message: 'reported' }] },
      ]);
      await db.write(addLeaderboard, gameId, { ...usual, name: 'daily' });
      await db.write(endSeason, gameId, 'daily');
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);
      const told = messagesOf(db);
      for (const season of [1, 2]) {
        if (season === 2) for (const one of owners) await db.write(setLeaderboardScore, one, 'weekly', 1);
        await db.write(endSeason, gameId, 'weekly');
        expect(await giveAll(db)).toBe(3);
      }
      const [ada, bob] = owners;
      expect(told()).toEqual([
        [ada?.wallet, '1 1 1 weekly/1'],
        [ada?.wallet, '1 1 1 weekly/1'],
        [bob?.wallet, '2 1 2 weekly/1'],
        [ada?.wallet, '1 2 1 weekly/2'],
        [ada?.wallet, '1 2 1 weekly/2'],
        [bob?.wallet, '2 2 2 weekly/2'],
      ]);
    });

    test('are given by the places among a label, and only one to a player with several entries', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const rules = [prizeFor({ to: 1 }, { label: 'de' }), prizeFor({ to: 3 })];
      const { gameId, owners } = await seasonOf(db, rules, { entries: 'all' });
      const [ada, bob] = owners;
      if (!ada || !bob) throw new Error('no players');
      await db.write(setLeaderboardScore, ada, 'weekly', 99.5, { nonce: 'also' });
      await db.write(setLeaderboardScore, bob, 'weekly', 1, { label: 'de' });
      const told = messagesOf(db);
      await db.write(endSeason, gameId, 'weekly');
      await giveAll(db);
      // The second place is another entry of the first player.
      expect(told().toSorted()).toEqual(
        [
          [ada.wallet, '1 1 1 weekly/1'],
          [bob.wallet, '1 1 1 weekly/1'],
          [bob.wallet, '3 1 3 weekly/1'],
        ].toSorted(),
      );
    });

    test('a player whose score is removed meanwhile gets no second one, and no other place is skipped', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId, owners } = await seasonOf(db, [prizeFor({ to: 3 })]);
      const [ada, bob, cleo] = owners;
      if (!ada || !bob || !cleo) throw new Error('no players');
      const { _id } = await db.write(setLeaderboardScore, ada, 'weekly', 1_000);
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      await give(db, await next(db, run));
      await db.write(deleteScore, gameId, _id); // 100 counts again
      const again = await next(db, run);
      expect(again).toMatchObject({ place: 2, wallet: ada.wallet });
      await give(db, again);
      const second = await next(db, run);
      while (await db.write(eraseScores, streamOf.player(gameId, bob.wallet)));
      expect(await give(db, second)).toBe(false);
      await giveAll(db);
      expect(told()).toEqual([
        [ada.wallet, '1 1 1 weekly/1'],
        [cleo.wallet, '2 1 2 weekly/1'],
      ]);
    });

    test('a banned player gets none and keeps the place; while a game is archived nobody does', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId, owners } = await seasonOf(db, [prizeFor({ to: 2 })]);
      const [ada, bob] = owners;
      if (!ada || !bob) throw new Error('no players');
      await db.write(endSeason, gameId, 'weekly');
      await db.write(ban, ada.wallet, gameId, 'cheats');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      const first = await next(db, run);
      await db.write(changeGame, gameId, { listing: 'archived' });
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);
      expect(await give(db, first)).toBe(false);
      await db.write(changeGame, gameId, { listing: 'listed' });
      await giveAll(db);
      expect(told()).toEqual([[bob.wallet, '2 1 2 weekly/1']]);
    });

    test('a guest who gets a wallet meanwhile gets one, as the wallet', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId } = await seasonOf(db, [prizeFor({ to: 3 })], {}, 0);
      const [before, between] = await Promise.all([newGuest(db, gameId), newGuest(db, gameId)]);
      await db.write(setLeaderboardScore, before, 'weekly', 9);
      await db.write(setLeaderboardScore, between, 'weekly', 8);
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      await give(db, await next(db, run));
      await upgraded(db, before);
      const second = await next(db, run);
      const wallet = await upgraded(db, between);
      expect(await give(db, second)).toBe(false);
      await giveAll(db);
      expect(told()).toEqual([
        [before.wallet, '1 1 1 weekly/1'],
        [wallet, '2 1 2 weekly/1'],
      ]);
    });

    test('a season that is not kept is cleared after its prizes; removing a leaderboard discards its open ones', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId } = await seasonOf(db, [prizeFor({ to: 3 })], { keepSeasons: 0 });
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      expect(await db.write(clearRetiredSeason)).toBe(false);
      expect(await giveAll(db)).toBe(3);
      expect(told()).toHaveLength(3);
      expect(await db.write(endSeason, gameId, 'weekly')).toBe(3);
      expect(await giveAll(db)).toBe(0); // nobody has set a score in it
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);

      await db.write(endSeason, gameId, 'weekly');
      expect(await db.read(openPrizeRuns, 9)).toHaveLength(1);
      expect(await db.write(deleteLeaderboard, gameId, 'weekly')).toBe(true);
      expect(await db.read(openPrizeRuns, 9)).toEqual([]);
      while (await db.write(clearRetiredSeason));
    });

    test('seasons that wait for their prizes do not delay the clearing of others', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId } = await seasonOf(db, [prizeFor({ to: 3 })], { keepSeasons: 0 });
      for (let seasons = 0; seasons < 21; seasons++) await db.write(endSeason, gameId, 'weekly');
      expect(await db.write(clearRetiredSeason)).toBe(false);
      const other = await seasonOf(db, [], { keepSeasons: 0 });
      await db.write(endSeason, other.gameId, 'weekly');
      expect(await db.write(clearRetiredSeason)).toBe(true);
      expect(await db.write(clearRetiredSeason)).toBe(false);
    });

    test('after a restore, what may have been sent to a chain since waits for an operator', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const call = {
        type: 'CallContract',
        chainId: 1,
        contract: `0x${'ab'.repeat(20)}`,
        function: 'function f()',
      };
      const rule = { ...prizeFor({ to: 1 }), actions: [call, { type: 'Notify', message: '{place}' }] };
      const { gameId, owners } = await seasonOf(db, [rule]);
      const spending = { transactionsPerDay: 9, transactionsPerPlayerPerDay: 9, tokens: [] };
      await db.write(changeGame, gameId, { policies: { spending } });
      await db.write(endSeason, gameId, 'weekly');
      await db.write(holdPrizes);
      await db.write(holdPrizes);
      for (const owner of owners) await db.write(setLeaderboardScore, owner, 'weekly', 1);
      const told = messagesOf(db);
      const signers = { signers: { default: `0x${'cd'.repeat(20)}` }, balances: {} };
      await giveAll(db, signers);
      await db.write(endSeason, gameId, 'weekly'); // was not in progress when it was held
      await giveAll(db, signers);
      expect(told()).toHaveLength(2);
      const { rows } = await db.read(readActions, { gameId }, wholePage);
      expect(rows.map(({ state, error }) => [state, error])).toEqual([
        ['queued', null],
        ['failed', heldActionError],
      ]);
      expect(await db.write(requeueAction, rows[1]?._id ?? '')).toMatchObject({ state: 'queued' });
    });

    test('one that cannot be given is listed as a failed action, and the next is given', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { gameId, owners } = await seasonOf(db, [prizeFor({ to: 2 })]);
      await db.write(endSeason, gameId, 'weekly');
      const told = messagesOf(db);
      const [run = ''] = await db.read(openPrizeRuns, 9);
      expect(await db.write(failPrize, await next(db, run), 'no')).toBe(true);
      await giveAll(db);
      expect(told()).toEqual([[owners[1]?.wallet, '2 1 2 weekly/1']]);
      const { rows } = await db.read(readActions, { gameId }, wholePage);
      expect(rows).toMatchObject([
        {
          type: 'Notify',
          kind: 'rules',
          state: 'failed',
          error: 'no',
          normalizedAddress: owners[0]?.wallet,
          payload: { leaderboard: 'weekly', season: 1, place: 1 },
        },
      ]);
      await expect(db.write(requeueAction, rows[0]?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_retryable',
      });
    });
  });
}

/** The next player of a run. */
async function next(db: Database, runId: string): Promise<Winner> {
  const [winner] = await nextOnes(db, runId);
  if (!winner) throw new Error('nobody is next');
  return winner;
}

/** The next players of a run. */
async function nextOnes(db: Database, runId: string): Promise<Winner[]> {
  return (await db.read(readPrizeRun, runId, 9))?.winners ?? [];
}

/** Gives one player the prize. False: the player is not next. */
async function give(db: Database, winner: Winner): Promise<boolean> {
  return (await giveTogether(db, [winner])) === 1;
}

function giveTogether(db: Database, winners: readonly Winner[], facts = chain): Promise<number> {
  const awards = winners.map((winner) => ({ winner, chain: facts, states: [] }));
  return db.write(givePrizes, awards);
}

/** Gives the due prizes, as the worker does, two at a time; returns their number. */
async function giveAll(db: Database, facts = chain): Promise<number> {
  let total = 0;
  for (const runId of await db.read(openPrizeRuns, 99)) {
    for (;;) {
      const found = await db.read(readPrizeRun, runId, 2);
      if (!found) break;
      if (found.winners.length === 0) await db.write(endPrizeRun, runId, found.run.place);
      const given = await giveTogether(db, found.winners, facts);
      expect(given > 0).toBe(found.winners.length > 0);
      total += given;
    }
  }
  return total;
}

/** Whom the store has notified, with what. */
function messagesOf(db: Database): () => [wallet: string, message: string][] {
  const received = listen(db);
  return () =>
    received.flatMap(({ name, record }) =>
      name === 'notifications created' && 'message' in record && 'normalizedAddress' in record
        ? [[String(record.normalizedAddress), String(record.message)] as [string, string]]
        : [],
    );
}

async function newGuest(db: Database, gameId: string): Promise<Owner> {
  const guest = { address: newGuestAddress(), idleMs: 24 * hour };
  await db.write(addGuest, gameId, guest, { secretHash: randomUUID(), name: '' }, hour);
  return { gameId, wallet: guest.address };
}

async function upgraded(db: Database, guest: Owner): Promise<string> {
  const wallet = randomWallet();
  const signIn = { id: randomUUID(), gameId: guest.gameId, wallet, signRequest: '', expiresAt: 8e15 };
  await db.write(requestSignIn, signIn, guest.wallet);
  await db.write(upgradeGuest, guest, signIn.id, hour);
  return wallet;
}
