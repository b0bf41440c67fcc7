import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import { exportGame, type GameRecord } from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { setFavorite } from '../../../src/features/games/library-commands.ts';
import { listFavorites } from '../../../src/features/games/library-queries.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import { endPlaysOf, recordPlays } from '../../../src/features/playtime/commands.ts';
import { leaseMs } from '../../../src/features/playtime/play.ts';
import { PlaytimeRecorder } from '../../../src/features/playtime/playtime-recorder.ts';
import { allPlayNodes, playtimeOf } from '../../../src/features/playtime/queries.ts';
import { requestSignIn } from '../../../src/features/sessions/sign-in-commands.ts';
import { upgradeGuest } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { randomWallet } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import {
  addGame,
  addPlayer,
  type DatabaseUnderTest,
  hour,
  nowAndReopened,
  type OpenStore,
  sealedSecret,
} from './fixture.ts';

const second = 1_000;

/** A node whose own clock the test moves, with the database's or without it. */
class TestNode {
  now = 0;
  readonly recorder: PlaytimeRecorder;
  readonly #db: Store;
  readonly #written: Promise<unknown>[] = [];

  constructor(db: Store) {
    this.#db = db;
    const write: Store['write'] = (...args) => {
      const written = db.write(...args);
      this.#written.push(written.catch(() => undefined));
      return written;
    };
    this.recorder = new PlaytimeRecorder({
      db: { now: () => db.now(), read: (...args) => db.read(...args), write },
      report: (thrown) => expect.unreachable(String(thrown)),
      clock: () => this.now,
    });
  }

  async set(wallet: string, gameId: string | null): Promise<void> {
    this.recorder.set(wallet, gameId);
    await this.written();
  }

  /** Resolves when everything that the node has to write is written. */
  async written(): Promise<void> {
    for (let count = -1; count < this.#written.length; ) {
      count = this.#written.length;
      await Promise.all(this.#written);
    }
  }

  /** How many writes the node makes meanwhile. */
  async writesOf(work: () => Promise<void>): Promise<number> {
    const before = this.#written.length;
    await work();
    return this.#written.length - before;
  }

  /** Whole seconds played, the sessions, and whether it is open. */
  async playtime(wallet: string): Promise<[gameId: string, seconds: number, sessions: number, boolean][]> {
    const found = await this.#db.read(playtimeOf, wallet, null);
    return found.map(({ gameId, ms, sessions, isPlaying }) => [gameId, ms / second, sessions, isPlaying]);
  }
}

async function setUp(fixture: DatabaseUnderTest, nodes = 1) {
  const { db } = fixture;
  const [{ id: chess }, { id: go }] = [await addGame(db), await addGame(db)];
  const { wallet } = await addPlayer(db, chess, randomWallet());
  const dbs = [db, ...(nodes > 1 ? [await fixture.openOtherProcess()] : [])];
  const all = dbs.map((one) => new TestNode(one));
  const [node, other] = all;
  if (!node) throw new Error('there is no node');
  const pass = async (seconds: number, running = all) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      const step = Math.min(5, seconds - passed) * second;
      fixture.clock.advance(step);
      for (const one of running) one.now += step;
      for (const one of running) await one.recorder.beat();
    }
  };
  return {
    ...{ db, chess, go, wallet, node, other: other ?? node, pass },
    async [Symbol.asyncDispose]() {
      for (const one of all) await one.recorder.close();
    },
  };
}

/** The contract of how long players have played, as nodes record it. */
export function playtimeContract(open: OpenStore): void {
  describe('playtime', () => {
    test('grows while a game is open, and stays when it is closed, in one game at a time', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { wallet, chess, go, node, pass } = nodes;
      await node.set(wallet, chess);
      await pass(62);
      expect(await node.playtime(wallet)).toEqual([[chess, 62, 1, true]]);
      await node.set(wallet, go);
      await pass(7);
      await node.set(wallet, null);
      await pass(20);
      await node.recorder.close();
      for await (const db of nowAndReopened(fixture)) {
        const found = await db.read(playtimeOf, wallet, null);
        expect(found.map(({ gameId, ms, isPlaying }) => [gameId, ms, isPlaying])).toEqual([
          [go, 7 * second, false],
          [chess, 62 * second, false],
        ]);
        expect((await db.read(playtimeOf, wallet, [chess])).map(({ gameId }) => gameId)).toEqual([chess]);
        for (const row of found) expect(row.lastAt - row.startedAt).toBe(row.ms);
      }
    });

    test('a game that is opened again within a minute continues the session', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { wallet, chess, node, pass } = nodes;
      for (const pause of [59, 61, 0]) {
        await node.set(wallet, chess);
        await pass(10);
        await node.set(wallet, null);
        await pass(pause);
      }
      expect(await node.playtime(wallet)).toEqual([[chess, 30, 2, false]]);
      const [row] = await fixture.db.read(playtimeOf, wallet, null);
      expect(row && [row.lastAt - row.firstAt, row.lastAt - row.startedAt]).toEqual([
        150 * second,
        10 * second,
      ]);
    });

    test('two nodes on which a player plays count once, and the last one that has said so ends it', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture, 2);
      const { wallet, chess, go, node, other, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      await other.set(wallet, chess);
      await pass(20);
      await node.set(wallet, null);
      await pass(20);
      expect(await node.playtime(wallet)).toEqual([[chess, 60, 1, true]]);
      await other.set(wallet, go);
      await pass(3);
      await other.set(wallet, null);
      expect(await node.playtime(wallet)).toEqual([
        [go, 3, 1, false],
        [chess, 60, 1, false],
      ]);
    });

    test('what a dead node has left open ends with its lease, once, whenever that is noticed', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture, 2);
      const { wallet, chess, node, other, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      fixture.clock.advance(3 * hour);
      await pass(15, [other]);
      expect(await other.playtime(wallet)).toEqual([[chess, 20 + leaseMs / second, 1, false]]);
      await pass(20, [other]);
      expect(await other.playtime(wallet)).toEqual([[chess, 20 + leaseMs / second, 1, false]]);
      const [row] = await fixture.db.read(playtimeOf, wallet, null);
      expect(row && row.lastAt - row.firstAt).toBe(20 * second + leaseMs);
    });

    test('a player who comes to another node from a dead one continues there', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture, 2);
      const { wallet, chess, node, other, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      await pass(2, [other]);
      await other.set(wallet, chess);
      await pass(60, [other]);
      await other.set(wallet, null);
      expect(await other.playtime(wallet)).toEqual([[chess, 82, 1, false]]);
    });

    test('a node that was thought dead records again what is still open', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture, 2);
      const { wallet, chess, node, other, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      await pass(20, [other]); // the node is paused
      expect(await other.playtime(wallet)).toEqual([[chess, 30, 1, false]]);
      await pass(10);
      await until('the node has recorded it again', async () => (await node.playtime(wallet))[0]?.[3]);
      await pass(30);
      await node.set(wallet, null);
      const [[, seconds] = []] = await node.playtime(wallet);
      expect(seconds).toBeGreaterThanOrEqual(60);
      expect(seconds).toBeLessThanOrEqual(70);
    });

    test.each([
      ['set back by an hour', -hour],
      ['set forward by an hour', hour],
    ])("the database's clock, %s, changes no duration", async (_, change) => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { wallet, chess, node, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      fixture.clock.advance(change);
      await pass(20);
      expect(await node.playtime(wallet)).toEqual([[chess, 40, 1, true]]);
      await node.set(wallet, null);
      expect(await node.playtime(wallet)).toEqual([[chess, 40, 1, false]]);
      fixture.clock.advance(-change);
    });

    test('an hour in which the process sleeps counts as one lease at most', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { wallet, chess, node, pass } = nodes;
      await node.set(wallet, chess);
      await pass(20);
      fixture.clock.advance(hour);
      node.now += hour;
      await node.set(wallet, null);
      expect(await node.playtime(wallet)).toEqual([[chess, 20 + leaseMs / second, 1, false]]);
    });

    test('a stretch counts as a day at most', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { db, wallet, chess } = nodes;
      const id = crypto.randomUUID();
      await db.write(recordPlays, { id, upMs: 0 }, [{ wallet, gameId: chess, agoMs: 0 }]);
      await db.write(recordPlays, { id, upMs: 30 * hour }, [{ wallet, gameId: null, agoMs: 0 }]);
      expect((await db.read(playtimeOf, wallet, null)).map(({ ms }) => ms)).toEqual([24 * hour]);
    });

    test('changes that are repeated, late, or about who is gone change nothing wrong', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { db, wallet, chess, go } = nodes;
      const node = { id: crypto.randomUUID(), upMs: 10 * second };
      const change = { wallet, gameId: chess, agoMs: 4 * second };
      for (let n = 0; n < 2; n++) await db.write(recordPlays, node, [change, change]);
      const later = { ...node, upMs: 20 * second };
      const stop = { wallet, gameId: null, agoMs: second };
      const stranger = { wallet: randomWallet(), gameId: go, agoMs: 0 };
      for (let n = 0; n < 2; n++) await db.write(recordPlays, later, [stop, stranger]);
      await db.write(recordPlays, later, [{ wallet, gameId: crypto.randomUUID(), agoMs: 0 }]);
      expect((await db.read(playtimeOf, wallet, null)).map(({ ms }) => ms)).toEqual([13 * second]);
      expect(await db.read(playtimeOf, stranger.wallet, null)).toEqual([]);
      expect(await db.write(endPlaysOf, node)).toBe(false); // it has spoken since
      expect((await db.read(allPlayNodes)).map(({ nodeId }) => nodeId)).toContain(node.id);
      expect(await db.write(endPlaysOf, later)).toBe(false);
      expect((await db.read(allPlayNodes)).map(({ nodeId }) => nodeId)).not.toContain(node.id);
    });

    test('a guest who gets a wallet while playing goes on under the wallet, or has stopped', async () => {
      await using fixture = await open();
      await using nodes = await setUp(fixture);
      const { db, chess, node, pass } = nodes;
      for (const goesOn of [true, false]) {
        const guest = { gameId: chess, wallet: newGuestAddress() };
        const device = { secretHash: randomUUID(), name: 'phone' };
        await db.write(addGuest, chess, { address: guest.wallet, idleMs: hour }, device, hour);
        await node.set(guest.wallet, chess);
        await pass(20);
        const wallet = randomWallet();
        const signIn = { id: randomUUID(), gameId: chess, wallet, signRequest: '', expiresAt: 8e15 };
        await db.write(requestSignIn, signIn, guest.wallet);
        await db.write(upgradeGuest, guest, signIn.id, hour);
        await node.set(guest.wallet, null); // its sessions have ended
        if (goesOn) await node.set(wallet, chess);
        await pass(5);
        await until('what is open', async () => (await node.playtime(wallet))[0]?.[3] === goesOn);
        await pass(300);
        expect(await node.playtime(wallet)).toEqual([[chess, goesOn ? 325 : 25, 1, goesOn]]);
        await node.set(wallet, null);
        expect(await node.playtime(guest.wallet)).toEqual([]);
      }
    });

    test('goes with its game when that is exported and imported, with favorites, without what is open', async () => {
      await using fixture = await open.empty();
      await using nodes = await setUp(fixture);
      const { db, chess, wallet, node, pass } = nodes;
      await db.write(setFavorite, { gameId: chess, wallet }, true);
      await node.set(wallet, chess);
      await pass(20);
      await node.set(wallet, null);
      const stored = await db.read(playtimeOf, wallet, null);
      await node.set(wallet, chess);
      await pass(20);
      const records: GameRecord[] = [];
      await db.read(exportGame, tables, chess, null, (record) => records.push(record));
      await eraseGameData(db, tables, chess);
      const importing = await (fixture.openInProcess?.() ?? db);
      const options = { slug: undefined, newSecret: 'gsk_new', seal: sealedSecret, allowLauncher: false };
      await importing.write(importGame, () => records, { tables, ...options });
      expect(await db.read(playtimeOf, wallet, null)).toEqual(stored);
      expect((await db.read(listFavorites, wallet)).map(({ game }) => game.id)).toEqual([chess]);
    });

    test('costs one write every five seconds, however many play, and none while nobody plays', async () => {
      await using fixture = await open.empty();
      await using nodes = await setUp(fixture);
      const { db, chess, node, pass } = nodes;
      expect(await node.writesOf(() => pass(60))).toBe(0);
      for (const count of [1, 1_000]) {
        const players = Array.from({ length: count }, () => addPlayer(db, chess, randomWallet()));
        for (const { wallet } of await Promise.all(players)) node.recorder.set(wallet, chess);
        await node.written();
        expect(await node.writesOf(() => pass(60))).toBe(12);
      }
    });

    test('is erased with the player and with the game, also what is open', async () => {
      await using fixture = await open.empty();
      await using nodes = await setUp(fixture);
      const { db, wallet, chess, go, node, pass } = nodes;
      const { wallet: stays } = await addPlayer(db, go);
      for (const one of [wallet, stays]) {
        await node.set(one, go);
        await pass(5);
        await node.set(one, chess);
      }
      await pass(5);
      await erasePlayerData(db, tables, wallet);
      expect(await db.read(playtimeOf, wallet, null)).toEqual([]);
      await eraseGameData(db, tables, chess);
      expect((await node.playtime(stays)).map(([gameId]) => gameId)).toEqual([go]);
      await node.set(stays, null);
      expect((await node.playtime(stays)).map(([gameId]) => gameId)).toEqual([go]);
    });
  });
}
