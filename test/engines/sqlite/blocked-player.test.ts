import SqliteConnection, { type Statement } from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PublicUrls } from '../../../src/core/public-urls.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import {
  addFriend,
  blockEverywhere,
  declineFriend,
  removeFriend,
} from '../../../src/features/friends/commands.ts';
import { sendInvites } from '../../../src/features/friends/invite-commands.ts';
import { getPlayers, searchPlayers } from '../../../src/features/friends/operations/other-players.ts';
import { joinFriend } from '../../../src/features/friends/operations/presence.ts';
import { setPrivacy } from '../../../src/features/friends/privacy-commands.ts';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { addGame, addPlayer, hour } from '../../contracts/storage/fixture.ts';
import { ask, befriend } from '../../contracts/storage/friend-pairs.ts';
import { openSqliteDatabase } from '../../storage/sqlite-database-under-test.ts';

// How long a call takes follows from what it reads. A wall clock would need thousands of calls to tell.

/** Part of writing an event, of which a player who has blocked another gets none. */
const ofEvent = 'SELECT id FROM streams WHERE name = +?';
/** The statements that have read, while recorded, and the rows that they returned; without the blocks themselves. */
let reads: { statements: string[]; rows: number } | null = null;

beforeAll(() => {
  const connection = new SqliteConnection(':memory:');
  const prototype: Statement = Object.getPrototypeOf(connection.prepare('SELECT 1'));
  connection.close();
  const record = (source: string, rows: number) => {
    if (!reads || source === ofEvent) return;
    reads.statements.push(source);
    if (!/ FROM player_blocks\b/.test(source)) reads.rows += rows;
  };
  const { get, all } = prototype;
  vi.spyOn(prototype, 'get').mockImplementation(function (this: Statement, ...values) {
    const row = get.apply(this, values);
    record(this.source, Number(row !== undefined));
    return row;
  });
  vi.spyOn(prototype, 'all').mockImplementation(function (this: Statement, ...values) {
    const rows = all.apply(this, values);
    record(this.source, rows.length);
    return rows;
  });
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Ada, who calls, and Bob, who may have blocked her, in a game and in a launcher. */
async function sceneIn(db: Database) {
  const { id: gameId } = await addGame(db, { url: 'https://chess.example/' });
  const { id: launcher } = await addGame(db, { kind: 'launcher' });
  const [ada, bob] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
  const details = await db.write(startSession, { gameId: launcher, wallet: ada.wallet }, hour);
  await db.write(startSession, { gameId: launcher, wallet: bob.wallet }, hour);
  await db.write(setProfile, bob.wallet, { username: 'Bob the Blocker' });
  await db.write(setPrivacy, bob.wallet, { searchable: true });
  await db.write(setScore, bob, 1); // his stream in the game, which a block would create
  return { db, gameId, ada, bob, caller: { ...details, wallet: ada.wallet, hasSecret: false } };
}
type Scene = Awaited<ReturnType<typeof sceneIn>>;
type Before = (scene: Scene) => Promise<unknown>;

/** What a call reads on a database that has just been opened, so that nothing is cached. */
async function readsOf(before: Before, call: (scene: Scene) => Promise<unknown>, between?: Before) {
  await using under = await openSqliteDatabase();
  const scene = await sceneIn(under.db);
  await between?.(scene);
  await before(scene);
  const db = await under.reopen();
  reads = { statements: [], rows: 0 };
  try {
    await call({ ...scene, db }).catch(() => undefined);
    return reads;
  } finally {
    reads = null;
  }
}

const nothing: Before = async () => undefined;
const inGame: Before = ({ db, bob, ada }) => db.write(block, bob, ada.wallet);
const everywhere: Before = ({ db, bob, ada }) =>
  db.write(blockEverywhere, { ...bob, everywhere: true }, ada.wallet);
const asFriends: Before = ({ db, ada, bob }) => befriend(db, ada.wallet, bob.wallet);
const cancelled: Before = async ({ db, ada, bob }) => {
  await ask(db, ada.wallet, bob.wallet);
  await db.write(removeFriend, ada.wallet, bob.wallet);
};
const declined: Before = async ({ db, ada, bob }) => {
  await ask(db, ada.wallet, bob.wallet);
  await db.write(declineFriend, bob.wallet, ada.wallet);
  await db.write(removeFriend, ada.wallet, bob.wallet);
};
const unsearchable: Before = ({ db, bob }) => db.write(setPrivacy, bob.wallet, { searchable: false });

const publicUrls = new PublicUrls(() => 'http://127.0.0.1');

describe('what SQLite reads does not tell a player', () => {
  test.each([
    ['in the game', inGame, nothing],
    ['in every game', everywhere, nothing],
    ['by declining', declined, cancelled],
  ])('who asks to be friends that the other refused it %s', async (_, refuse, ordinary) => {
    const request = ({ db, gameId, ada, bob }: Scene) =>
      db.write(addFriend, ada.wallet, { wallet: bob.wallet, hasCode: false, message: 'Hi', gameId });
    const refused = await readsOf(refuse, request);
    expect(refused.statements.length).toBeGreaterThan(5);
    expect(refused).toEqual(await readsOf(ordinary, request));
  });

  test.each([
    ['in the game', inGame],
    ['in every game', everywhere],
  ])('who writes a message that the other has blocked the player %s', async (_, blocked) => {
    const [channels, send] = messageOf();
    const refused = await readsOf(blocked, send, channels);
    expect(refused.statements.length).toBeGreaterThan(5);
    expect(refused).toEqual(await readsOf(nothing, send, channels));
  });

  test('who joins or invites a friend that the friend has blocked the player in the game', async () => {
    const join = ({ db, bob, caller, gameId }: Scene) => {
      const rich = { details: '', values: {}, group: null, connect: 'room 1' };
      const game = { id: gameId, name: 'Chess', at: 0 };
      const playing = { status: 'online', text: '', since: 0, game, rich } as const;
      const services = { db, players: { visible: () => playing }, publicUrls };
      return joinFriend.handler({ input: { wallet: bob.wallet }, caller }, services);
    };
    const invite = ({ db, ada, bob, gameId }: Scene) =>
      db.write(sendInvites, ada.wallet, [bob.wallet], { gameId, connect: '', message: '' });
    for (const call of [join, invite]) {
      const refused = await readsOf(inGame, call, asFriends);
      expect(refused.statements.length).toBeGreaterThan(2);
      expect(refused).toEqual(await readsOf(nothing, call, asFriends));
    }
  });

  test('who looks for another whether that player has blocked the player, or cannot be searched', async () => {
    const find = ({ db, bob, caller }: Scene) =>
      getPlayers.handler({ input: { wallets: [bob.wallet] }, caller }, { db, publicUrls });
    const search = ({ db, caller }: Scene) =>
      searchPlayers.handler({ input: { query: 'Bob', limit: 20 }, caller }, { db, publicUrls });
    for (const call of [find, search]) {
      for (const blocked of [inGame, everywhere]) {
        expect(await readsOf(blocked, call)).toEqual(await readsOf(unsearchable, call));
      }
    }
  });
});

/** Creates a channel with both, and writes into it. */
function messageOf(): [Before, (scene: Scene) => Promise<unknown>] {
  let channelId = '';
  return [
    async ({ db, ada, bob }) => {
      channelId = (await db.write(createChannel, ada, [bob.wallet]))._id;
    },
    ({ db, ada }) => db.write(sendMessage, ada, channelId, 'Hello'),
  ];
}
