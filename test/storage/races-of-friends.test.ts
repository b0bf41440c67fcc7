import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { sweepErased } from '../../src/features/administration/erasure-sweeps.ts';
import { erasePlayerData } from '../../src/features/administration/player-eraser.ts';
import {
  acceptFriend,
  addFriend,
  blockEverywhere,
  declineFriend,
  endFriendship,
  removeFriend,
} from '../../src/features/friends/commands.ts';
import { maxFriends, maxSent, never } from '../../src/features/friends/friend.ts';
import { maxOpenInvites } from '../../src/features/friends/invite.ts';
import { sendInvites } from '../../src/features/friends/invite-commands.ts';
import { countFriendships, friendWallets, openInvites } from '../../src/features/friends/queries.ts';
import { addGuest } from '../../src/features/guests/commands.ts';
import { unblock } from '../../src/features/messages/blocks/commands.ts';
import { requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import { upgradeGuest } from '../../src/server/declarations/commands.ts';
import { tables } from '../../src/server/declarations/tables.ts';
import { addPlayer, type DatabaseUnderTest, hour, listen } from '../contracts/storage/fixture.ts';
import { befriend, between, fillFriends, inProcess, pair } from '../contracts/storage/friend-pairs.ts';
import { noPostgres } from '../support/postgres.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet } from '../support/server.ts';
import { openPostgresDatabase } from './postgres-database-under-test.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

/** Pairs in each race; `FRIEND_RACES=500` for the full size. */
const pairs = Number(process.env.FRIEND_RACES ?? 6);
const day = 24 * hour;

const none = [undefined, undefined];
const friends = ['friend', 'friend'];
/** How the two lists may stand to each other. */
const agreeing = [
  none,
  friends,
  ['sent', 'received'],
  ['received', 'sent'],
  ['sent', undefined],
  [undefined, 'sent'],
];

describe.each([
  ['SQLite', openSqliteDatabase, null],
  ['PostgreSQL', openPostgresDatabase, noPostgres],
] as const)('friends on two nodes of %s', (_engine, open, skipped) => {
  if (skipped !== null) {
    test.skip(`the races: ${skipped}`, () => {});
    return;
  }
  let fixture: DatabaseUnderTest;
  let one: Database;
  let two: Database;
  let gameId: string;
  beforeAll(async () => {
    fixture = await open();
    one = fixture.db;
    two = await fixture.openOtherProcess();
    ({ gameId } = await pair(one));
  });
  afterAll(() => fixture?.[Symbol.asyncDispose]());

  const player = async () => (await addPlayer(one, gameId)).wallet;
  const request = (other: string) => ({ wallet: other, hasCode: false, message: '', gameId });
  const everywhere = (wallet: string) => ({ gameId, wallet, everywhere: true });

  /** Runs a race between two new players many times at once; the calls take turns in who comes first. */
  async function race(
    prepare: (ada: string, grace: string) => Promise<unknown>,
    calls: readonly ((ada: string, grace: string) => Promise<unknown>)[],
  ) {
    return Promise.all(
      Array.from({ length: pairs }, async (_, n) => {
        const [ada, grace] = [await player(), await player()];
        await prepare(ada, grace);
        const ordered = n % 2 === 0 ? calls : calls.toReversed();
        const refused = (await Promise.all(ordered.map((call) => refusal(call(ada, grace))))).filter(
          (reason) => reason !== null,
        );
        return { ada, grace, refused, states: await between(one, ada, grace) };
      }),
    );
  }

  test('requests that cross, each sent twice, become one friendship', async () => {
    const received = [listen(one), listen(two)];
    const raced = await race(async () => {}, [
      (ada, grace) => one.write(addFriend, ada, request(grace)),
      (ada, grace) => two.write(addFriend, grace, request(ada)),
      (ada, grace) => two.write(addFriend, ada, request(grace)),
      (ada, grace) => one.write(addFriend, grace, request(ada)),
    ]);
    for (const { ada, grace, states, refused } of raced) {
      expect([states, refused]).toEqual([friends, []]);
      for (const wallet of [ada, grace]) {
        const told = await rowsIn(
          one,
          `SELECT name FROM events WHERE stream_id = (SELECT id FROM streams WHERE name = @name) ORDER BY seq`,
          { name: `account:${wallet}` },
        );
        expect(told).toEqual([{ name: 'friends created' }, { name: 'friends patched' }]);
      }
    }
    expect(received.flat().length).toBeGreaterThanOrEqual(4 * pairs);
  });

  test('a request that is accepted and cancelled at once leaves nothing', async () => {
    const raced = await race(
      (ada, grace) => one.write(addFriend, ada, request(grace)),
      [
        (ada, grace) => one.write(acceptFriend, grace, ada),
        (ada, grace) => two.write(removeFriend, ada, grace),
      ],
    );
    for (const { states, refused } of raced) {
      expect(states).toEqual(none);
      expect([[], ['friend_request_unknown']]).toContainEqual(refused);
    }
  });

  test('a request that is accepted and declined at once is either', async () => {
    const raced = await race(
      (ada, grace) => one.write(addFriend, ada, request(grace)),
      [
        (ada, grace) => one.write(acceptFriend, grace, ada),
        (ada, grace) => two.write(declineFriend, grace, ada),
      ],
    );
    for (const { states, refused } of raced) {
      expect(refused).toEqual(['friend_request_unknown']);
      expect([friends, ['sent', undefined]]).toContainEqual(states);
    }
  });

  test('who blocks while the request is accepted is nobody’s friend', async () => {
    for (const by of ['sender', 'receiver'] as const) {
      const raced = await race(
        (ada, grace) => one.write(addFriend, ada, request(grace)),
        [
          (ada, grace) => one.write(acceptFriend, grace, ada),
          (ada, grace) =>
            by === 'sender'
              ? two.write(blockEverywhere, everywhere(ada), grace)
              : two.write(blockEverywhere, everywhere(grace), ada),
          (ada, grace) => two.write(addFriend, ada, request(grace)),
        ],
      );
      for (const { ada, grace, states } of raced) {
        expect([none, ['sent', undefined]]).toContainEqual(states);
        if (by === 'sender') expect(states).toEqual(none);
        for (const wallet of [ada, grace]) expect(await two.read(friendWallets, wallet)).toEqual([]);
      }
    }
  });

  test('a guest who gets a wallet while a request is accepted keeps both sides of it', async () => {
    await Promise.all(
      Array.from({ length: pairs }, async (_, n) => {
        const [ada, guest, wallet] = [await player(), newGuestAddress(), randomWallet()];
        const device = { secretHash: randomUUID(), name: '' };
        await one.write(addGuest, gameId, { address: guest, idleMs: hour }, device, hour);
        const signIn = { id: randomUUID(), gameId, wallet, signRequest: '', expiresAt: 8e15 };
        await one.write(requestSignIn, signIn, guest);
        const isSender = n % 4 < 2;
        if (isSender) await one.write(addFriend, guest, request(ada));
        else await one.write(addFriend, ada, request(guest));
        const accept = () =>
          isSender ? two.write(acceptFriend, ada, guest) : two.write(acceptFriend, guest, ada);
        const upgrade = () => one.write(upgradeGuest, { gameId, wallet: guest }, signIn.id, hour);
        const calls = n % 2 === 0 ? [accept, upgrade] : [upgrade, accept];
        const refused = await Promise.all(calls.map((call) => refusal(call())));
        const states = await between(two, ada, wallet);
        if (refused.every((reason) => reason === null)) expect(states).toEqual(friends);
        else {
          expect(refused.filter((reason) => reason !== null)).toEqual(['guest_upgraded']);
          expect(states).toEqual(isSender ? ['received', 'sent'] : ['sent', 'received']);
        }
        const rows = 'SELECT wallet FROM friendships WHERE wallet = @guest OR other = @guest';
        expect(await rowsIn(one, rows, { guest })).toEqual([]);
      }),
    );
  });

  test('a player who is erased while a request is accepted or sent is in nobody’s list', async () => {
    const erased: string[] = [];
    const raced = await race(
      async (ada, grace) => {
        erased.push(grace);
        await one.write(addFriend, ada, request(grace));
      },
      [
        (_ada, grace) => one.write(acceptFriend, grace, _ada),
        (_ada, grace) => erasePlayerData(two, tables, grace),
        (ada, grace) => two.write(addFriend, ada, request(grace)),
      ],
    );
    fixture.clock.advance(2_000);
    await sweepErased(one, tables);
    for (const { ada } of raced) {
      expect(await one.read(countFriendships, ada)).toEqual({ friend: 0, sent: 0, received: 0 });
    }
    const left = await rowsIn(one, 'SELECT wallet, other FROM friendships', {});
    const events = await rowsIn(one, `SELECT record FROM events WHERE name LIKE 'friends %'`, {});
    const text = JSON.stringify([left, events]);
    expect(erased.filter((wallet) => text.includes(wallet))).toEqual([]);
  });

  test('the last friend, request and invite that a player may have are had once', async () => {
    const filling = await inProcess(fixture);
    const ada = await player();
    await filling.write(fillFriends, ada, 'friend', maxFriends - 1, never);
    const asking = await Promise.all(Array.from({ length: 10 }, player));
    for (const other of asking) await one.write(addFriend, other, request(ada));
    const accepted = await Promise.all(
      asking.map((other, n) => refusal((n % 2 ? one : two).write(acceptFriend, ada, other))),
    );
    expect(accepted.toSorted()).toEqual([...Array(9).fill('friend_limit_reached'), null]);
    expect(await two.read(countFriendships, ada)).toEqual({ friend: maxFriends, sent: 0, received: 9 });
    const states = await Promise.all(asking.map((other) => between(one, ada, other)));
    for (const [n, reason] of accepted.entries())
      expect(states[n]).toEqual(reason === null ? friends : ['received', 'sent']);

    const grace = await player();
    await filling.write(fillFriends, grace, 'sent', maxSent - 1, fixture.clock.now + day);
    const sent = await Promise.all(
      asking.map((other, n) => refusal((n % 2 ? one : two).write(addFriend, grace, request(other)))),
    );
    expect(sent.filter((reason) => reason === null)).toHaveLength(1);
    expect((await one.read(countFriendships, grace)).sent).toBe(maxSent);

    const linus = await player();
    for (const other of asking.slice(0, 2)) await befriend(one, linus, other);
    const what = () => ({ gameId: randomUUID(), connect: '', message: '' });
    const invited = await Promise.all(
      Array.from({ length: maxOpenInvites + 10 }, (_, n) =>
        refusal((n % 2 ? one : two).write(sendInvites, linus, asking.slice(0, 1), what())),
      ),
    );
    expect(invited.filter((reason) => reason === null)).toHaveLength(maxOpenInvites);
    expect(await one.read(openInvites, linus)).toHaveLength(maxOpenInvites);
  });

  test('whatever a few players do to each other at once, both lists agree', async () => {
    const players = await Promise.all(Array.from({ length: 5 }, player));
    const seed = (Date.now() % 1e6) + 1;
    let state = seed;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const act = (db: Database, wallet: string, other: string): Promise<unknown> => {
      const acts = [
        () => db.write(addFriend, wallet, request(other)),
        () => db.write(addFriend, wallet, request(other)),
        () => db.write(acceptFriend, wallet, other),
        () => db.write(acceptFriend, wallet, other),
        () => db.write(declineFriend, wallet, other),
        () => db.write(removeFriend, wallet, other),
        () => db.write(endFriendship, wallet, other),
        () => db.write(blockEverywhere, everywhere(wallet), other),
        () => db.write(unblock, everywhere(wallet), other),
        () =>
          db.write(sendInvites, wallet, players.filter((one) => one !== wallet).slice(0, 3), {
            gameId,
            connect: '',
            message: '',
          }),
      ];
      return acts[random(acts.length)]?.() ?? Promise.resolve();
    };
    for (let round = 0; round < pairs; round++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => {
          const wallet = players[random(5)] ?? '';
          const others = players.filter((other) => other !== wallet);
          return refusal(act(n % 2 ? one : two, wallet, others[random(4)] ?? ''));
        }),
      );
      for (const [n, wallet] of players.entries())
        for (const other of players.slice(n + 1))
          expect([seed, agreeing]).toEqual([
            seed,
            expect.arrayContaining([await between(one, wallet, other)]),
          ]);
    }
    const invited = await rowsIn(
      one,
      `SELECT i.id FROM invites AS i WHERE i.sender IN (@a, @b, @c, @d, @e) AND NOT EXISTS (
        SELECT 1 FROM friendships AS f WHERE f.wallet = i.sender AND f.other = i.wallet AND f.state = 'friend')`,
      Object.fromEntries(players.map((wallet, n) => ['abcde'[n] ?? '', wallet])),
    );
    expect(invited).toEqual([]);
  });
});

/** Why a call was refused; null: it was not. Other errors, such as a deadlock, are thrown. */
async function refusal(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof GantryError) return error.reason;
    throw error;
  }
}
