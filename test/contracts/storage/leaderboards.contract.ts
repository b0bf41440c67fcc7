import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { streamOf } from '../../../src/core/events/stream.ts';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { eraseScores } from '../../../src/features/administration/erasing-commands.ts';
import { exportGame, type GameRecord } from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import { findGame } from '../../../src/features/games/queries.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { type Board, defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { requireBoard } from '../../../src/features/scores/boards.ts';
import { deleteScore, setScore } from '../../../src/features/scores/commands.ts';
import type {
  BoardChoice,
  LeaderboardRules,
  NewLeaderboard,
} from '../../../src/features/scores/leaderboard.ts';
import {
  addLeaderboard,
  changeLeaderboard,
  clearRetiredSeason,
  deleteLeaderboard,
  endSeason,
} from '../../../src/features/scores/leaderboard-commands.ts';
import {
  countBoardScores,
  findBoardScore,
  findLeaderboard,
  listBoardScores,
  listDueSeasons,
  listSeasons,
  readAmong,
  readAround,
  readBoardPage,
  readPlace,
} from '../../../src/features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { findScore } from '../../../src/features/scores/queries.ts';
import { requestSignIn } from '../../../src/features/sessions/sign-in-commands.ts';
import { upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import {
  addGame,
  addPlayer,
  hour,
  listen,
  nowAndReopened,
  type OpenStore,
  sealedSecret,
  wholePage,
} from './fixture.ts';
import { SeasonModel } from './leaderboard-model.ts';

const everyRule: LeaderboardRules[] = [
  ...(['best', 'latest', 'sum', 'count'] as const).flatMap((keep) =>
    (['desc', 'asc'] as const).map((order) => ({ keep, order, entries: 'player' as const })),
  ),
  { keep: 'best', order: 'desc', entries: 'all' },
  { keep: 'best', order: 'asc', entries: 'all' },
];

const usual: NewLeaderboard = {
  name: 'weekly',
  keep: 'best',
  order: 'desc',
  entries: 'player',
  public: true,
  labels: ['de', 'fr'],
  schedule: null,
  keepSeasons: null,
};

/** Random steps: few scores, nonces and labels, so that ties and replacements are common. */
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      player: fc.nat(3),
      score: fc.integer({ min: -2, max: 2 }),
      nonce: fc.constantFrom('a', 'b', undefined),
      label: fc.constantFrom('de', 'fr', undefined, undefined),
      wait: fc.constantFrom(0, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const) }) },
);

/** Leaderboards by name: which scores count, how they are read, their seasons. */
export function leaderboardsContract(open: OpenStore): void {
  describe('leaderboards by name', () => {
    test.each([
      ['default', {}],
      ['a leaderboard by name', { leaderboard: 'weekly' }],
    ])("a cached page of %s has a player's new name at once, in every process", async (_, choice) => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      await db.write(addLeaderboard, gameId, usual);
      const player = await addPlayer(db, gameId);
      await db.write(setScore, player, 1);
      await db.write(setLeaderboardScore, player, 'weekly', 1);
      const processes = [db, await fixture.openOtherProcess()];
      const names = async () => {
        const read: (string | undefined)[] = [];
        for (const one of processes) {
          const [first] = await one.read(readBoardPage, await boardOf(one, gameId, choice), wholePage);
          read.push(first?.username);
        }
        return read;
      };
      await names();
      for (const [at, name] of ['Ada', 'Grace', 'Eve', ''].entries()) {
        await processes[at % 2]?.write(setProfile, player.wallet, { username: name });
        expect(await names()).toEqual([name, name]);
      }
    });

    test('ranks match a sort after random steps, for every keep and order, around, among, by label, after resets', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      for (const rules of everyRule) {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
            const { id: gameId } = await addGame(db);
            await db.write(addLeaderboard, gameId, { ...usual, ...rules });
            const players = await Promise.all([0, 1, 2, 3].map(() => addPlayer(db, gameId)));
            const seasons = [new SeasonModel(rules)];
            for (const one of steps) {
              const model = lastOf(seasons);
              if (one.kind === 'reset') {
                await db.write(endSeason, gameId, 'weekly');
                seasons.push(new SeasonModel(rules));
              } else if (one.kind === 'remove') {
                const { ids } = model;
                const id = ids[one.which % Math.max(1, ids.length)];
                if (id === undefined) continue;
                await db.write(deleteScore, gameId, id);
                model.remove(id, clock.now);
              } else {
                clock.advance(one.wait);
                const { nonce, label } = one;
                const player = at(players, one.player);
                const details = { nonce, label };
                model.set(await db.write(setLeaderboardScore, player, 'weekly', one.score, details));
              }
            }
            for (const [index, model] of seasons.entries()) {
              await expectSame(db, { leaderboard: 'weekly', season: index + 1 }, players, model);
              await expectSame(db, { leaderboard: 'weekly', season: index + 1, label: 'de' }, players, model);
            }
          }),
          { numRuns: 4 },
        );
      }
    });

    test('records read back as they were returned, also after a reopen, and not on another leaderboard', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      await db.write(addLeaderboard, gameId, usual);
      const details = {
        nonce: 'n',
        sessionId: 's',
        label: 'de',
        metadata: { replay: 'https://r.example/1' },
      };
      const record = await db.write(setLeaderboardScore, ada, 'weekly', 41.5, details);
      expect(record).toEqual({
        _id: record._id,
        nonce: 'n',
        gameId,
        normalizedAddress: ada.wallet,
        score: 41.5,
        updatedAt: clock.now,
        sessionId: 's',
        leaderboard: 'weekly',
        season: 1,
        label: 'de',
        metadata: { replay: 'https://r.example/1' },
      });
      const { sessionId: _session, ...shown } = record;
      for await (const one of nowAndReopened(fixture)) {
        const board = await boardOf(one, gameId, { leaderboard: 'weekly' });
        expect(await one.read(findBoardScore, board, ada, 'n')).toEqual(record);
        expect(await one.read(findBoardScore, board, ada)).toEqual(shown);
        expect(await one.read(listBoardScores, board, ada, wholePage)).toEqual([record]);
        expect(await one.read(countBoardScores, board, ada)).toBe(1);
        expect(await one.read(readBoardPage, board, wholePage)).toMatchObject([shown]);
        expect(await one.read(readBoardPage, defaultBoardOf(gameId), wholePage)).toEqual([]);
        expect(await one.read(findScore, ada)).toBeNull();
      }
      await fixture.db.write(setScore, ada, 7);
      const board = await boardOf(fixture.db, gameId, { leaderboard: 'weekly' });
      expect(await fixture.db.read(readBoardPage, board, wholePage)).toHaveLength(1);
    });

    test.each(['sum', 'count'] as const)(
      'what a removed record showed is not shown by the %s of the others',
      async (keep) => {
        await using fixture = await open();
        const { db } = fixture;
        const { id: gameId } = await addGame(db);
        const ada = await addPlayer(db, gameId);
        await db.write(addLeaderboard, gameId, { ...usual, keep });
        const set = (score: number, details: object) =>
          db.write(setLeaderboardScore, ada, 'weekly', score, details);
        const shown = async (label?: string) => {
          const board = await boardOf(db, gameId, { leaderboard: 'weekly', label });
          return (await db.read(readBoardPage, board, wholePage)).map(({ nonce, label, metadata }) => {
            return { nonce, label, metadata };
          });
        };
        await set(1, { nonce: 'first', label: 'de', metadata: { replay: 1 } });
        await set(2, { nonce: 'second' });
        const third = await set(3, { nonce: 'third', label: 'fr', metadata: { replay: 'insult' } });
        expect(await shown('fr')).toEqual([{ nonce: 'third', label: 'fr', metadata: { replay: 'insult' } }]);
        await db.write(deleteScore, gameId, third._id);
        const left = [{ nonce: 'second', label: 'de', metadata: { replay: 1 } }];
        expect([await shown(), await shown('de'), await shown('fr')]).toEqual([left, left, []]);
      },
    );

    test('sums of fractions are those of their decimals, also after one was removed', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      await db.write(addLeaderboard, gameId, { ...usual, keep: 'sum' });
      const sum = async () => {
        const board = await boardOf(db, gameId, { leaderboard: 'weekly' });
        return (await db.read(readBoardPage, board, wholePage)).map(({ score }) => score);
      };
      await db.write(setLeaderboardScore, ada, 'weekly', 0.1);
      const others = [
        await db.write(setLeaderboardScore, ada, 'weekly', 0.2),
        await db.write(setLeaderboardScore, ada, 'weekly', 0.3),
      ];
      expect(await sum()).toEqual([0.6]);
      for (const { _id } of others) await db.write(deleteScore, gameId, _id);
      expect(await sum()).toEqual([0.1]);
    });

    test("a record is replaced under its nonce, and one without by its id; nobody else's is affected", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, bob] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      await db.write(addLeaderboard, gameId, { ...usual, keep: 'sum' });
      const set = (owner: Owner, score: number, nonce?: string) =>
        db.write(setLeaderboardScore, owner, 'weekly', score, { nonce });
      await set(ada, 5, 'match-1');
      await set(ada, 5, 'match-1'); // again: not added twice
      const own = await set(ada, 10);
      await set(ada, 11, own._id);
      const stolen = await set(bob, 100, own._id);
      expect(stolen._id).not.toBe(own._id);
      const board = await boardOf(db, gameId, { leaderboard: 'weekly' });
      const rows = await db.read(readBoardPage, board, wholePage);
      expect(rows.map(({ score }) => score)).toEqual([100, 16]);
      const tooLarge = set(ada, Number.MAX_SAFE_INTEGER, 'much');
      await expect(tooLarge).rejects.toMatchObject({ reason: 'score_sum_too_large' });
      expect((await db.read(findBoardScore, board, ada))?.score).toBe(16);
    });

    test('unknown and duplicate names are refused, and so is more than the limits', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db, { policies: { scores: 'integer' } });
      const ada = await addPlayer(db, gameId);
      const reasonOf = async (doing: Promise<unknown>) =>
        doing.then(
          () => null,
          ({ reason }: { reason: string }) => reason,
        );
      const set = (name: string, score: number, details = {}) =>
        reasonOf(db.write(setLeaderboardScore, ada, name, score, details));
      await db.write(addLeaderboard, gameId, usual);
      expect(await set('monthly', 1)).toBe('leaderboard_unknown');
      expect(await set('weekly', 1, { label: 'it' })).toBe('label_unknown');
      expect(await set('weekly', 1.5)).toBe('score_not_integer');
      expect(await reasonOf(db.write(addLeaderboard, gameId, usual))).toBe('leaderboard_name_taken');
      const taken = { ...usual, name: 'default' };
      expect(await reasonOf(db.write(addLeaderboard, gameId, taken))).toBe('leaderboard_name_taken');
      expect(await reasonOf(db.write(addLeaderboard, 'none', usual))).toBe('game_unknown');
      expect(await reasonOf(db.write(endSeason, gameId, 'monthly'))).toBe('leaderboard_unknown');
      expect(await reasonOf(db.write(endSeason, gameId, 'weekly', { season: 2 }))).toBe('season_unknown');
      const many = Array.from({ length: 301 }, (_, n) => `l${n}`);
      const labelled = db.write(changeLeaderboard, gameId, 'weekly', { addLabels: many });
      expect(await reasonOf(labelled)).toBe('label_limit_reached');
      for (const cron of ['* * * * *', '0 0 30 2 *', 'soon', '0 0 * * * *', '61 0 * * *']) {
        const schedule = { cron, timeZone: 'UTC' };
        const scheduled = db.write(addLeaderboard, gameId, { ...usual, name: 'x', schedule });
        expect(await reasonOf(scheduled), cron).toBe('schedule_invalid');
      }
      const nowhere = { cron: '@daily', timeZone: 'Mars/Olympus' };
      const elsewhere = db.write(changeLeaderboard, gameId, 'weekly', { schedule: nowhere });
      expect(await reasonOf(elsewhere)).toBe('schedule_invalid');
      const add = (_: unknown, n: number) =>
        db.write(addLeaderboard, gameId, { ...usual, name: `board-${n}` });
      await Promise.all(Array.from({ length: 99 }, add));
      const more = { ...usual, name: 'one-more' };
      expect(await reasonOf(db.write(addLeaderboard, gameId, more))).toBe('leaderboard_limit_reached');
    });

    test('an ended season is kept with all its places, announced once, and the next one starts empty', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, bob] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      await db.write(addLeaderboard, gameId, usual);
      const startedAt = clock.now;
      await db.write(setLeaderboardScore, ada, 'weekly', 1, { nonce: 'n' });
      await db.write(setLeaderboardScore, bob, 'weekly', 2);
      clock.advance(hour);
      const received = listen(db);
      const ends = [1, 1, 1, 1].map((season) => db.write(endSeason, gameId, 'weekly', { season }));
      expect(await Promise.all(ends)).toEqual([2, 2, 2, 2]);
      const ended = received.filter(({ name }) => name === 'leaderboard-seasons ended');
      expect(ended.map(({ stream, record }) => ({ stream, record }))).toEqual([
        {
          stream: streamOf.game(gameId),
          record: {
            gameId,
            leaderboard: 'weekly',
            season: 1,
            startedAt,
            endedAt: clock.now,
            nextSeason: 2,
            nextSeasonEndsAt: null,
          },
        },
      ]);
      await db.write(setLeaderboardScore, ada, 'weekly', 5, { nonce: 'n' }); // a new season, a new record
      for await (const one of nowAndReopened(fixture)) {
        const first = await boardOf(one, gameId, { leaderboard: 'weekly', season: 1 });
        const rows = await one.read(readBoardPage, first, wholePage);
        expect(
          rows.map(({ normalizedAddress, score, season }) => [normalizedAddress, score, season]),
        ).toEqual([
          [bob.wallet, 2, 1],
          [ada.wallet, 1, 1],
        ]);
        expect(await one.read(readPlace, first, ada.wallet)).toBe(2);
        const second = await boardOf(one, gameId, { leaderboard: 'weekly' });
        expect(await one.read(readPlace, second, bob.wallet)).toBeNull();
        expect(await one.read(readBoardPage, second, wholePage)).toMatchObject([{ score: 5, season: 2 }]);
        expect(await one.read(listSeasons, gameId, 'weekly', wholePage)).toMatchObject([
          { season: 1, startedAt, endedAt: clock.now },
        ]);
      }
    });

    test('nothing is set in a season after its end was acknowledged, even with concurrent writers', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const otherProcess = await fixture.openOtherProcess();
      const { id: gameId } = await addGame(db);
      const players = await Promise.all(Array.from({ length: 6 }, () => addPlayer(db, gameId)));
      await db.write(addLeaderboard, gameId, { ...usual, keep: 'count' });
      let isOver = false;
      let set = 0;
      const writers = players.map(async (player, index) => {
        while (!isOver) {
          await (index % 2 ? db : otherProcess).write(setLeaderboardScore, player, 'weekly', 1);
          set++;
        }
      });
      const asEnded: unknown[] = [];
      for (let season = 1; season <= 8; season++) {
        const before = set;
        await until('some scores', () => set > before + 10);
        await (season % 2 ? otherProcess : db).write(endSeason, gameId, 'weekly', { season });
        asEnded.push(await pageOf(db, gameId, { leaderboard: 'weekly', season }));
      }
      isOver = true;
      await Promise.all(writers);
      const counted: number[] = [];
      for (let season = 1; season <= 9; season++) {
        const rows = await pageOf(db, gameId, { leaderboard: 'weekly', season });
        if (season <= 8) expect([season, rows]).toEqual([season, asEnded[season - 1]]);
        counted.push(...rows.map(({ score }) => score));
      }
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(set);
    });

    test('a cheater is removed from a finished season, and those behind move up', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, bob] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      await db.write(addLeaderboard, gameId, usual);
      const cheat = await db.write(setLeaderboardScore, ada, 'weekly', 1_000, { label: 'de' });
      await db.write(setLeaderboardScore, bob, 'weekly', 2);
      await db.write(endSeason, gameId, 'weekly');
      await db.write(deleteScore, gameId, cheat._id);
      const first = await boardOf(db, gameId, { leaderboard: 'weekly', season: 1 });
      expect(await db.read(readPlace, first, bob.wallet)).toBe(1);
      expect(await db.read(readPlace, first, ada.wallet)).toBeNull();
      const again = db.write(deleteScore, gameId, cheat._id);
      await expect(again).rejects.toMatchObject({ reason: 'score_unknown' });
    });

    test('a season ends by its schedule once, also when no process was running at the time', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const schedule = { cron: '0 0 * * *', timeZone: 'Europe/Berlin' };
      const made = await db.write(addLeaderboard, gameId, { ...usual, schedule });
      const { seasonEndsAt } = made;
      if (seasonEndsAt === null) throw new Error('no schedule');
      const due = async () => (await db.read(listDueSeasons, 10)).map(({ gameId: of }) => of);
      const end = () => db.write(endSeason, gameId, 'weekly', { isDue: true });
      expect(await due()).not.toContain(gameId);
      expect(await end()).toBe(1); // not before its time
      clock.advance(seasonEndsAt - clock.now + 3 * 24 * hour); // three days late
      await db.write(changeLeaderboard, gameId, 'weekly', { schedule, keepSeasons: 5 }); // as some clients send it
      expect(await due()).toContain(gameId);
      expect(await Promise.all([end(), end(), end()])).toEqual([2, 2, 2]);
      expect(await due()).not.toContain(gameId);
      const row = await db.read(findLeaderboard, gameId, 'weekly');
      expect(row?.nextEndAt).toBeGreaterThan(clock.now);
      expect(new Date(row?.nextEndAt ?? 0).toLocaleTimeString('de', { timeZone: 'Europe/Berlin' })).toBe(
        '00:00:00',
      );
      await db.write(changeLeaderboard, gameId, 'weekly', { schedule: null });
      clock.advance(30 * 24 * hour);
      expect(await due()).not.toContain(gameId);
    });

    test('only the configured number of finished seasons is kept; their rows are deleted in batches', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const players = await Promise.all(Array.from({ length: 12 }, () => addPlayer(db, gameId)));
      await db.write(addLeaderboard, gameId, { ...usual, keepSeasons: 1, entries: 'all' });
      for (let season = 1; season <= 3; season++) {
        const sets = players.flatMap((player) =>
          Array.from({ length: 20 }, (_, n) =>
            db.write(setLeaderboardScore, player, 'weekly', n, { label: n % 2 ? 'de' : undefined }),
          ),
        );
        await Promise.all(sets);
        await db.write(endSeason, gameId, 'weekly');
      }
      expect(await db.read(listSeasons, gameId, 'weekly', wholePage)).toMatchObject([{ season: 3 }]);
      expect((await counts(db)).records).toBe(3 * 240);
      let rounds = 0;
      while (await db.write(clearRetiredSeason)) rounds++;
      expect(rounds).toBeGreaterThan(2);
      expect(await counts(db)).toEqual({ records: 240, entries: 240 + 120, retired: 0 });
      const gone = boardOf(db, gameId, { leaderboard: 'weekly', season: 1 });
      await expect(gone).rejects.toMatchObject({ reason: 'season_unknown' });
      await db.write(deleteLeaderboard, gameId, 'weekly');
      const set = db.write(setLeaderboardScore, at(players, 0), 'weekly', 1);
      await expect(set).rejects.toMatchObject({ reason: 'leaderboard_unknown' });
      while (await db.write(clearRetiredSeason));
      expect(await counts(db)).toEqual({ records: 0, entries: 0, retired: 0 });
      // The name is free again, without any earlier data.
      await db.write(addLeaderboard, gameId, usual);
      expect(
        await db.read(readBoardPage, await boardOf(db, gameId, { leaderboard: 'weekly' }), wholePage),
      ).toEqual([]);
    });

    test('very many finished seasons are deleted in batches, and the name is in use until the last is gone', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      await db.write(addLeaderboard, gameId, usual);
      for (let season = 1; season <= 7; season++) await db.write(endSeason, gameId, 'weekly');
      expect(await db.write(deleteLeaderboard, gameId, 'weekly', 3)).toBe(false);
      const left = await db.read(listSeasons, gameId, 'weekly', wholePage);
      expect(left.map(({ season }) => season)).toEqual([7, 6, 5, 4]);
      const again = db.write(addLeaderboard, gameId, usual);
      await expect(again).rejects.toMatchObject({ reason: 'leaderboard_name_taken' });
      expect(await db.write(deleteLeaderboard, gameId, 'weekly', 3)).toBe(false);
      expect(await db.write(deleteLeaderboard, gameId, 'weekly', 3)).toBe(true);
      expect(await db.read(listSeasons, gameId, 'weekly', wholePage)).toEqual([]);
      await db.write(addLeaderboard, gameId, usual);
      for (let season = 1; season <= 7; season++)
        expect(await db.write(endSeason, gameId, 'weekly')).toBe(season + 1);
    });

    test('a guest who gets a wallet keeps every entry and place, in every season', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const bob = await addPlayer(db, gameId);
      const guest = { gameId, wallet: newGuestAddress() };
      const made = { address: guest.wallet, idleMs: 24 * hour };
      await db.write(addGuest, gameId, made, { secretHash: randomUUID(), name: '' }, hour);
      await db.write(addLeaderboard, gameId, usual);
      for (let season = 1; season <= 2; season++) {
        await db.write(setLeaderboardScore, guest, 'weekly', 9, { nonce: 'n', label: 'de' });
        await db.write(setLeaderboardScore, bob, 'weekly', 1, { label: 'de' });
        if (season === 1) await db.write(endSeason, gameId, 'weekly');
      }
      const wallet = randomWallet();
      const signIn = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: 8e15 };
      await db.write(requestSignIn, signIn, guest.wallet);
      await db.write(upgradeGuest, guest, signIn.id, hour);
      for (const season of [1, 2]) {
        for (const label of [undefined, 'de']) {
          const board = await boardOf(db, gameId, { leaderboard: 'weekly', season, label });
          expect(await db.read(readPlace, board, wallet)).toBe(1);
          expect(await db.read(readPlace, board, guest.wallet)).toBeNull();
          expect(await db.read(readPlace, board, bob.wallet)).toBe(2);
        }
      }
      await db.write(setLeaderboardScore, { gameId, wallet }, 'weekly', 0, { nonce: 'n' });
      const board = await boardOf(db, gameId, { leaderboard: 'weekly' });
      expect(await db.read(readPlace, board, wallet)).toBe(2);
    });

    test('a game is exported with its leaderboards, seasons and places, which get new ids on import', async () => {
      await using fixture = await open.empty();
      await using other = await open.empty();
      const from = fixture.db;
      const { id: gameId } = await addGame(from);
      const players = await Promise.all([0, 1, 2].map(() => addPlayer(from, gameId)));
      const names = everyRule.map((_, n) => `board-${n}`);
      for (const [n, rules] of everyRule.entries()) {
        const made = {
          ...usual,
          ...rules,
          name: nameAt(names, n),
          schedule: { cron: '@daily', timeZone: 'UTC' },
        };
        await from.write(addLeaderboard, gameId, made);
        for (let round = 0; round < 12; round++) {
          fixture.clock.advance(1);
          const details = { nonce: `n-${round % 5}`, label: ['de', 'fr'][round % 2], metadata: { round } };
          const player = at(players, round % 3);
          await from.write(setLeaderboardScore, player, nameAt(names, n), (round * 7) % 4, details);
          if (round === 5) await from.write(endSeason, gameId, nameAt(names, n));
        }
      }
      const records: GameRecord[] = [];
      await from.read(exportGame, tables, gameId, null, (record) => void records.push(record));
      other.clock.advance(fixture.clock.now - other.clock.now);
      const to = (await other.openInProcess?.()) ?? other.db;
      const options = { tables, slug: undefined, allowLauncher: false, newSecret: 'gsk_new' };
      await to.write(importGame, () => records, { ...options, seal: () => sealedSecret() });
      for (const name of names) {
        for (const season of [1, 2]) {
          for (const label of [undefined, 'de', 'fr']) {
            const choice = { leaderboard: name, season, label };
            const [here, there] = await Promise.all([from, to].map((db) => pageOf(db, gameId, choice)));
            expect([name, season, label, there]).toEqual([name, season, label, here]);
          }
        }
        const [one, two] = await Promise.all([from, to].map((db) => db.read(findLeaderboard, gameId, name)));
        expect(two?.seasonId).not.toBe(one?.seasonId);
        expect({ ...two, seasonId: '', nextEndAt: 0 }).toEqual({ ...one, seasonId: '', nextEndAt: 0 });
      }
      // A file that names another game's board or an unknown label is refused.
      for (const forged of [{ board: randomUUID() }, { label: 'it' }]) {
        await using third = await open.empty();
        const changed = records.map(({ type, row }) => ({
          type,
          row: type === 'leaderboard_records' ? { ...row, ...forged } : row,
        }));
        const into = (await third.openInProcess?.()) ?? third.db;
        const importing = into.write(importGame, () => changed, { ...options, seal: () => sealedSecret() });
        await expect(importing).rejects.toThrow(/leaderboard_records/);
      }
    });

    test('an erased player is on no leaderboard, in no season', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, bob] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      await db.write(addLeaderboard, gameId, { ...usual, keep: 'sum' });
      for (let season = 1; season <= 2; season++) {
        await db.write(setLeaderboardScore, ada, 'weekly', 9, { label: 'de' });
        await db.write(setLeaderboardScore, ada, 'weekly', 9, { label: 'fr' });
        await db.write(setLeaderboardScore, bob, 'weekly', 1, { label: 'fr' });
        if (season === 1) await db.write(endSeason, gameId, 'weekly');
      }
      while (await db.write(eraseScores, streamOf.player(gameId, ada.wallet)));
      for (const choice of [
        { season: 1 },
        { season: 2 },
        { season: 1, label: 'fr' },
        { season: 2, label: 'fr' },
      ]) {
        const board = await boardOf(db, gameId, { leaderboard: 'weekly', ...choice });
        expect(await db.read(readPlace, board, bob.wallet)).toBe(1);
        expect(await db.read(readBoardPage, board, wholePage)).toHaveLength(1);
      }
      expect((await counts(db)).records).toBe(2);
    });
  });
}

/** Pages, places, around and among, against the model. */
async function expectSame(
  db: Database,
  choice: BoardChoice,
  players: readonly Owner[],
  model: SeasonModel,
): Promise<void> {
  const { gameId } = at(players, 0);
  const board = await boardOf(db, gameId, choice);
  const expected = model.rows(choice.label);
  const summarize = (rows: readonly { _id: string; normalizedAddress: string; score: number }[]) =>
    rows.map(({ _id, normalizedAddress, score }) => `${_id} ${normalizedAddress} ${score}`);
  const wanted = expected.map(({ id, wallet, score }) => `${id} ${wallet} ${score}`);
  expect(summarize(await db.read(readBoardPage, board, wholePage))).toEqual(wanted);
  expect(summarize(await db.read(readBoardPage, board, { limit: 2, skip: 1 }))).toEqual(wanted.slice(1, 3));
  const places = new Map<string, number>();
  for (const [index, { wallet }] of expected.entries())
    if (!places.has(wallet)) places.set(wallet, index + 1);
  for (const { wallet } of players) {
    const place = places.get(wallet) ?? null;
    expect(await db.read(readPlace, board, wallet)).toBe(place);
    const around = await db.read(readAround, board, wallet, 3);
    if (place === null) expect(around).toBeNull();
    else {
      const skip = Math.max(0, Math.min(place - 2, wanted.length - 3));
      expect(summarize(around ?? [])).toEqual(wanted.slice(skip, skip + 3));
      expect(around?.find((row) => row.normalizedAddress === wallet)?.position).toBe(place);
    }
  }
  const among = await db.read(readAmong, board, [...players.map(({ wallet }) => wallet), randomWallet()]);
  expect(among.map(({ normalizedAddress, position }) => [normalizedAddress, position])).toEqual(
    [...places].sort(([, one], [, other]) => one - other),
  );
}

async function boardOf(db: Database, gameId: string, choice: BoardChoice): Promise<Board> {
  const game = await db.read(findGame, gameId);
  if (!game) throw new Error('there is no such game');
  return requireBoard(db, game, choice, { isPublic: true });
}

async function pageOf(db: Database, gameId: string, choice: BoardChoice) {
  const rows = await db.read(readBoardPage, await boardOf(db, gameId, choice), wholePage);
  return rows.map(({ username: _username, avatar: _avatar, ...row }) => row);
}

async function counts(db: Database): Promise<Record<string, number>> {
  const found = await rowsIn(
    db,
    `SELECT (SELECT count(*) FROM leaderboard_records) AS records, (SELECT count(*) FROM leaderboard_entries) AS entries,
      (SELECT count(*) FROM retired_seasons) AS retired`,
    {},
  );
  return z.array(z.record(z.string(), z.number())).parse(found)[0] ?? {};
}

function lastOf<One>(list: readonly One[]): One {
  const last = list.at(-1);
  if (last === undefined) throw new Error('the list is empty');
  return last;
}

function at(players: readonly Owner[], index: number): Owner {
  const player = players[index];
  if (!player) throw new Error(`there is no player ${index}`);
  return player;
}

function nameAt(names: readonly string[], index: number): string {
  return names[index] ?? '';
}
