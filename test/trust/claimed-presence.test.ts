import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FriendPresence } from '../../src/features/friends/presence.ts';
import { apiOf } from '../support/api.ts';
import { befriend } from '../support/befriend.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

let server: TestServer;
let launcherGame: string;
beforeAll(async () => {
  server = await startTestServer();
  launcherGame = (await server.createGame({ name: 'Launcher', kind: 'launcher' })).gameId;
});
afterAll(() => server.close());

interface Game {
  gameId: string;
  gameSecret: string;
}

async function call<Answer>(name: string, input: object, secret?: string): Promise<Answer> {
  const headers = secret === undefined ? {} : bearer(secret);
  const { status, body } = await apiOf(server).dispatch(name, input, { headers });
  expect([name, status, body]).toEqual([name, 200, body]);
  return body as Answer;
}

/** A connection of a session that the game's server has opened, which says what the player does and how to join. */
async function claimed({ gameSecret }: Game, wallet: string): Promise<TestLauncher> {
  const { launcherJwt } = await call<{ launcherJwt: string }>('openChannelSession', { wallet }, gameSecret);
  const socket = await connectLauncher(server.url, { launcherJwt });
  await socket.call('setRichPresence', { details: 'Level 7', connect: 'room 7' });
  return socket;
}

const follow = async (launcher: TestLauncher) =>
  ((await launcher.call('followPresence')) as { friends: FriendPresence[] }).friends;

function wasTold({ received }: TestLauncher, wallet: string): boolean {
  return received.some(
    ({ name, record }) =>
      name === 'friend-presence patched' &&
      (record.friends as FriendPresence[]).some((friend) => friend.wallet === wallet),
  );
}

const playtimeOf = async ({ launcherJwt }: TestPlayer) =>
  (await call<{ playtime: { gameId: string; playing: boolean }[] }>('getPlaytime', { launcherJwt })).playtime;

const playingIn = async ({ gameId }: Game) =>
  (await call<{ count: number }>('countInGame', { gameId })).count;

/** Ada, who follows her friends Bob and Carol, with their sessions in the launcher. */
async function friends() {
  const [ada, bob, carol] = await Promise.all([1, 2, 3].map(() => server.openSession(launcherGame)));
  if (!ada || !bob || !carol) throw new Error('there are three');
  for (const one of [bob, carol]) await befriend(server.services.db, launcherGame, one.wallet, ada.wallet);
  const watching = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });
  await follow(watching);
  return { ada, bob, carol, watching };
}

const inGame = ({ gameId }: Game) =>
  expect.objectContaining({ gameId, details: 'Level 7', status: 'online', joinable: true });

test("a game's server cannot show a player as online or playing, nor count playtime, before the player has opened the game", async () => {
  const game = await server.createGame({ name: 'Claims' });
  const { ada, bob, carol, watching } = await friends();
  using _watching = watching;
  using _claimed = await claimed(game, bob.wallet);

  // What Carol does later is seen and stored after whatever the server has claimed.
  await server.openSession(game.gameId, carol.wallet);
  using _carol = await claimed(game, carol.wallet);
  await until('Carol shown', () => wasTold(watching, carol.wallet));
  await until('her playtime', async () => (await playtimeOf(carol)).length === 1);
  expect(wasTold(watching, bob.wallet)).toBe(false);
  expect((await follow(watching)).map(({ wallet }) => wallet)).toEqual([carol.wallet]);
  const join = { launcherJwt: ada.launcherJwt, wallet: bob.wallet };
  expect((await apiOf(server).dispatch('joinFriend', join)).body).toMatchObject({
    data: { reason: 'not_joinable' },
  });
  expect(await playtimeOf(bob)).toEqual([]);
  expect(await playingIn(game)).toBe(1);
});

test('what a player plays is shown and counted whatever the server of another game claims', async () => {
  const [chess, claims] = await Promise.all([server.createGame({ name: 'Chess' }), server.createGame()]);
  const { bob, watching } = await friends();
  using _watching = watching;
  using playing = await connectLauncher(server.url, { launcherJwt: bob.launcherJwt });
  await playing.call('setCurrentGame', { gameId: chess.gameId });
  await until('Bob in chess', async () => (await follow(watching))[0]?.gameId === chess.gameId);
  const claim = await claimed(claims, bob.wallet);
  await playing.call('setStatus', { status: 'busy' });
  await until('Bob busy', async () => (await follow(watching))[0]?.status === 'busy');
  expect((await follow(watching))[0]).toMatchObject({ gameId: chess.gameId, gameName: 'Chess' });
  expect(await playtimeOf(bob)).toEqual([expect.objectContaining({ gameId: chess.gameId, playing: true })]);
  claim.socket.disconnect();
});

test("sessions of a game's server show players who have opened the game, from their next connection on", async () => {
  const game = await server.createGame();
  const { ada, bob, watching } = await friends();
  using _watching = watching;
  const before = await claimed(game, bob.wallet);
  await call('openChannelSession', { launcherJwt: bob.launcherJwt, gameId: game.gameId });
  await before.call('setRichPresence', { details: 'Level 8' });
  using _after = await claimed(game, bob.wallet);
  await until('Bob in the game', async () => (await follow(watching)).length === 1);
  await until('how to join', async () => (await follow(watching))[0]?.joinable);
  expect(await follow(watching)).toEqual([inGame(game)]);
  expect(await call('joinFriend', { launcherJwt: ada.launcherJwt, wallet: bob.wallet })).toMatchObject({
    connect: 'room 7',
  });
  await until('playtime', async () => (await playtimeOf(bob))[0]?.gameId === game.gameId);
  before.socket.disconnect();
});

test("sessions of a game's server show players for whom it vouches, and anyone if the game may see all friends", async () => {
  const [vouching, trusted] = await Promise.all([
    server.createGame(),
    server.createGame({ policies: { friends: 'all' } }),
  ]);
  const { ada, bob, watching } = await friends();
  using _watching = watching;
  const vouched = await call<{ wallet: string }>('vouchForPlayer', { playerId: 'eve' }, vouching.gameSecret);
  await befriend(server.services.db, launcherGame, vouched.wallet, ada.wallet);
  using _vouched = await claimed(vouching, vouched.wallet);
  using _trusted = await claimed(trusted, bob.wallet);
  const shown = async () => (await follow(watching)).filter(({ joinable }) => joinable);
  await until('both shown', async () => (await shown()).length === 2);
  expect(await shown()).toEqual(expect.arrayContaining([inGame(vouching), inGame(trusted)]));
});
