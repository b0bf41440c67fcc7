import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPrivacy } from '../../src/features/friends/privacy-commands.ts';
import { recordPlays } from '../../src/features/playtime/commands.ts';
import type { GameStats } from '../../src/features/playtime/events.ts';
import { befriend } from '../support/befriend.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let launcherGame: string;
beforeAll(async () => {
  server = await startTestServer();
  launcherGame = (await server.createGame({ name: 'Launcher', kind: 'launcher' })).gameId;
});
afterAll(() => server.close());

const connect = ({ launcherJwt }: TestPlayer) => connectLauncher(server.url, { launcherJwt });

async function newGame(): Promise<{ gameId: string; slug: string }> {
  const { gameId } = await server.createGame({ name: 'Chess' });
  const { data } = (await (
    await fetch(`${server.url}/launcher`, dispatch('getGames', { limit: 250 }))
  ).json()) as {
    data: { gameId: string; slug: string }[];
  };
  return { gameId, slug: data.find((game) => game.gameId === gameId)?.slug ?? '' };
}

const dispatch = (method: string, input: object) => ({
  method: 'POST',
  headers: { 'X-Service-Method': method, 'Content-Type': 'application/json' },
  body: JSON.stringify(input),
});

/** The number that the list of games has. */
async function playingIn({ slug }: { slug: string }): Promise<number | undefined> {
  const response = await fetch(`${server.url}/launcher`, dispatch('getGames', { slug }));
  return ((await response.json()) as { data: { playing: number }[] }).data[0]?.playing;
}

function statsOf({ received }: TestLauncher, gameId: string): GameStats[] {
  return received
    .filter(({ name, record }) => name === 'game-stats patched' && record.gameId === gameId)
    .map(({ record }) => record as unknown as GameStats);
}

test('players count once, in the game they opened last, by their launchers and by games, hidden ones too', async () => {
  const [chess, go] = [await newGame(), await newGame()];
  const [ada, bob] = await Promise.all([server.openSession(launcherGame), server.openSession(launcherGame)]);
  await server.services.db.write(setPrivacy, bob.wallet, { presence: 'nobody', showGame: false });
  await server.openSession(chess.gameId); // which has no socket
  using launcher = await connect(ada);
  const device = await connect(ada);
  using hidden = await connect(bob);
  for (const one of [launcher, device, hidden]) await one.call('setCurrentGame', { gameId: chess.gameId });
  await until('both', async () => (await playingIn(chess)) === 2);
  await hidden.call('setStatus', { status: 'invisible' });
  const inGame = await connect(await server.openSession(chess.gameId));
  await until('three', async () => (await playingIn(chess)) === 3);
  await device.call('setCurrentGame', { gameId: go.gameId });
  await until('the game opened last', async () => (await playingIn(go)) === 1);
  expect(await playingIn(chess)).toBe(2);
  device.socket.disconnect();
  await until('back in the other', async () => (await playingIn(chess)) === 3);
  expect(await playingIn(go)).toBe(0);
  inGame.socket.disconnect();
  await hidden.call('setCurrentGame', { gameId: null });
  await until('one', async () => (await playingIn(chess)) === 1);
  expect(await launcher.call('countInGame', chess.gameId, 'games')).toEqual({ count: 1 });
  expect(await launcher.call('countInGame', { gameId: chess.slug }, 'games')).toEqual({ count: 1 });
  const byText = { ...dispatch('countInGame', {}), body: JSON.stringify(chess.gameId) };
  expect(await (await fetch(`${server.url}/games`, byText)).json()).toEqual({ count: 1 });
  expect(await launcher.call('countLiveGames', null, 'games')).toEqual({ liveGamesCount: 1 });
});

test('followers are told when the number has changed, at most every two seconds, and the last number always', async () => {
  const [chess, go] = [await newGame(), await newGame()];
  using player = await connect(await server.openSession(launcherGame));
  using home = await connectLauncher(server.url); // before signing in
  expect(await home.call('followGameStats', { gameIds: [chess.gameId, go.slug] })).toEqual({
    success: true,
    games: [chess, go].map(({ gameId }) => ({ gameId, playing: 0, updatedAt: expect.any(Number) })),
  });
  using follower = await connect(await server.openSession(launcherGame));
  await follower.call('followGameStats', { gameIds: [chess.gameId] });
  const started = performance.now();
  await player.call('setCurrentGame', { gameId: chess.gameId });
  for (const one of [home, follower]) {
    await until('the first number', () => statsOf(one, chess.gameId).length === 1);
  }
  for (const gameId of [null, chess.gameId, null, chess.gameId, go.gameId]) {
    await player.call('setCurrentGame', { gameId });
    await until('the change', async () => (await playingIn(chess)) === Number(gameId === chess.gameId));
  }
  for (const one of [home, follower]) {
    await until('the last number', () => statsOf(one, chess.gameId).at(-1)?.playing === 0);
    const told = statsOf(one, chess.gameId);
    expect(told.length).toBeLessThanOrEqual(1 + (performance.now() - started) / 2_000);
    expect(told.map(({ playing }) => playing)).toEqual(told.map((_, at) => 1 - (at % 2)));
  }
  await until('the other game', () => statsOf(home, go.gameId).at(-1)?.playing === 1);
  expect(statsOf(follower, go.gameId)).toEqual([]);
  await home.call('followGameStats', { gameIds: [] });
  const before = statsOf(home, go.gameId).length;
  await player.call('setCurrentGame', { gameId: null });
  using other = await connectLauncher(server.url);
  await other.call('followGameStats', { gameIds: [go.gameId] });
  await until('a change of the other game', async () => (await playingIn(go)) === 0);
  await expect(other.call('followGameStats', { gameIds: ['none'] })).rejects.toMatchObject({
    data: { reason: 'game_unknown' },
  });
  expect(statsOf(home, go.gameId)).toHaveLength(before);
});

test("basement.fun's subscribers receive each change with their subscription", async () => {
  const chess = await newGame();
  using player = await connect(await server.openSession(launcherGame));
  using subscriber = await connect(await server.openSession(launcherGame));
  const subscription = { channel: 'game-stats', gameIds: [chess.gameId], filter: 'all' };
  await subscriber.call('subscribe', subscription, 'realtime-events');
  const changes = () =>
    subscriber.received
      .filter(({ name }) => name === 'realtime-events game-stats-change')
      .map(({ record }) => record);
  await player.call('setCurrentGame', { gameId: chess.gameId });
  await until('the change', () => Object(changes().at(-1)?.data).playing === 1);
  expect(changes()).toEqual(
    [0, 1].map((playing) => ({
      subscription,
      data: { gameId: chess.gameId, playing, updatedAt: expect.any(Number) },
    })),
  );
  await subscriber.call('unsubscribe', { channels: [`game:${chess.gameId}`] }, 'realtime-events');
  await player.call('setCurrentGame', { gameId: null });
  await until('the change', async () => (await playingIn(chess)) === 0);
  expect(changes()).toHaveLength(2);
});

test('what a friend plays while appearing offline is told by no call', async () => {
  const { db } = server.services;
  const [played, opened] = [await newGame(), await newGame()];
  const [ada, bob] = [await server.openSession(launcherGame), await server.openSession(launcherGame)];
  await befriend(db, launcherGame, ada.wallet, bob.wallet);
  const { wallet } = ada;
  const node = { id: crypto.randomUUID(), upMs: 0 };
  await db.write(recordPlays, node, [{ wallet, gameId: played.gameId, agoMs: 0 }]);
  await db.write(recordPlays, { ...node, upMs: 5_000 }, [{ wallet, gameId: null, agoMs: 0 }]);
  const [own, friend] = [await connect(ada), await connect(bob)];
  const calls = () =>
    Promise.all([
      friend.call('getPlaytime', { wallet }),
      friend.call('getPlaytimeForGame', { wallet, gameId: opened.gameId }, 'profiles'),
      friend.call('getTotalPlaytime', { wallet }, 'profiles'),
      friend.call('getLastPlayed', { wallet }, 'profiles'),
      friend.call('getGamesHistory', { wallet }, 'profiles'),
    ]);
  const before = await calls();
  await own.call('setStatus', { status: 'invisible' }, 'realtime-events');
  await own.call('setCurrentGame', { gameId: opened.gameId });
  const ownLast = () => own.call('getLastPlayed', wallet, 'profiles') as Promise<{ duration?: number }>;
  await until('a second of playtime', async () => ((await ownLast()).duration ?? 0) >= 1);
  expect(await ownLast()).toMatchObject({ gameId: opened.gameId, currentlyPlaying: true });
  expect(await calls()).toEqual(before);
  await own.call('setStatus', { status: 'online' }, 'realtime-events');
  await expect
    .poll(() => friend.call('getLastPlayed', wallet, 'profiles'))
    .toMatchObject({ gameId: opened.gameId, currentlyPlaying: true });
  for (const one of [own, friend]) one.socket.disconnect();
});

test('playtime is seen by the player, and by friends whom the player shows it', async () => {
  const { db } = server.services;
  const [chess, go] = [await newGame(), await newGame()];
  const [ada, bob, eve] = await Promise.all(
    [launcherGame, launcherGame, launcherGame].map((id) => server.openSession(id)),
  );
  if (!ada || !bob || !eve) throw new Error('there are no players');
  await befriend(db, launcherGame, ada.wallet, bob.wallet);
  const node = { id: crypto.randomUUID(), upMs: 0 };
  const { wallet } = ada;
  for (const [upMs, gameId] of [
    [0, chess.gameId],
    [90_000, go.gameId],
    [100_000, null],
  ] as const) {
    await db.write(recordPlays, { ...node, upMs }, [{ wallet, gameId, agoMs: 0 }]);
    const now = db.now();
    await until('a later moment', () => db.now() > now); // which orders the games
  }
  const [own, friend, stranger] = [await connect(ada), await connect(bob), await connect(eve)];
  const recent = (await own.call('listRecentGames', { limit: 1 })) as { games: object[] };
  expect(recent.games).toEqual([
    expect.objectContaining({ gameId: go.gameId, name: 'Chess', seconds: 10, sessions: 1, playing: false }),
  ]);
  const ofAda = { wallet, gameIds: [chess.slug, launcherGame] };
  for (const one of [own, friend]) {
    expect(await one.call('getPlaytime', ofAda)).toMatchObject({
      playtime: [{ gameId: chess.gameId, seconds: 90 }],
    });
    expect(await one.call('getPlaytimeForGames', ofAda, 'profiles')).toEqual({
      success: true,
      secondsPlayed: [90, 0],
    });
    expect(await one.call('getTotalPlaytime', { wallet }, 'profiles')).toEqual({
      success: true,
      playtime: 100,
    });
    expect(await one.call('getLastPlayed', wallet, 'profiles')).toMatchObject({
      gameId: go.gameId,
      currentlyPlaying: false,
    });
  }
  const inChess = await connect(await server.openSession(chess.gameId, wallet));
  expect(await inChess.call('getPlaytime')).toMatchObject({
    playtime: [{ gameId: chess.gameId, seconds: 90, playing: expect.any(Boolean) }],
  });
  // Whichever is named first, and known already.
  for (const gameIds of [
    [go.gameId, 'no-such-game'],
    ['no-such-game', go.gameId],
  ]) {
    await expect(inChess.call('getPlaytime', { gameIds })).rejects.toMatchObject({
      data: { reason: 'game_unknown' },
    });
  }
  await expect(inChess.call('getPlaytime', { gameIds: [go.gameId] })).rejects.toMatchObject({
    data: { reason: 'not_a_launcher' },
  });
  const open = async () =>
    (await friend.call('getPlaytime', { wallet })) as { playtime: { gameId: string; playing: boolean }[] };
  await until('the open game', async () => (await open()).playtime[0]?.playing);
  expect((await open()).playtime.map(({ gameId }) => gameId)).toEqual([chess.gameId, go.gameId]);
  await db.write(setPrivacy, wallet, { showGame: false });
  expect((await open()).playtime.map(({ playing }) => playing)).toEqual([false, false]);
  await db.write(setPrivacy, wallet, { showPlaytime: false });
  const refusal = { data: { reason: 'not_a_friend' } };
  for (const one of [friend, stranger]) {
    await expect(one.call('getPlaytime', { wallet })).rejects.toMatchObject(refusal);
    await expect(one.call('getGamesHistory', { wallet }, 'profiles')).rejects.toMatchObject(refusal);
  }
  expect(await own.call('getGamesHistory', { wallet, limit: 10, skip: 0 }, 'profiles')).toMatchObject({
    currentlyPlaying: [{ gameId: chess.gameId }],
    history: [{ gameId: go.gameId }],
  });
  for (const one of [own, friend, stranger, inChess]) one.socket.disconnect();
});
