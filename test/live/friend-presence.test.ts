import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeFriend } from '../../src/features/friends/commands.ts';
import type { FriendPresence } from '../../src/features/friends/presence.ts';
import { setPrivacy } from '../../src/features/friends/privacy-commands.ts';
import { friendWallets } from '../../src/features/friends/queries.ts';
import { findNamedGame } from '../../src/features/games/queries.ts';
import { block, unblock } from '../../src/features/messages/blocks/commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { PresenceFeed } from '../../src/transports/live/presence-feed.ts';
import { befriend } from '../support/befriend.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const name = 'friend-presence patched';

let server: TestServer;
let launcherGame: string;
let chess: string;
beforeAll(async () => {
  server = await startTestServer();
  launcherGame = (await server.createGame({ name: 'Launcher', kind: 'launcher' })).gameId;
  chess = (await server.createGame({ name: 'Chess', url: 'https://chess.example/play' })).gameId;
});
afterAll(() => server.close());

/** A new player, with a session in the launcher. */
const newPlayer = () => server.openSession(launcherGame);

async function friends(): Promise<[ada: TestPlayer, bob: TestPlayer]> {
  const [ada, bob] = await Promise.all([newPlayer(), newPlayer()]);
  await befriend(server.services.db, launcherGame, ada.wallet, bob.wallet);
  return [ada, bob];
}

function connect({ launcherJwt }: TestPlayer, status?: object): Promise<TestLauncher> {
  return connectLauncher(server.url, { launcherJwt, ...(status && { status }) });
}

async function follow(launcher: TestLauncher): Promise<FriendPresence[]> {
  return ((await launcher.call('followPresence')) as { friends: FriendPresence[] }).friends;
}

/** What a launcher was sent about friends, in order. */
function toldOf({ received }: TestLauncher): FriendPresence[] {
  return received
    .filter((event) => event.name === name)
    .flatMap(({ record }) => record.friends as FriendPresence[]);
}

/** The last state of a friend that a launcher was sent. */
function lastOf(launcher: TestLauncher, { wallet }: { wallet: string }): FriendPresence | undefined {
  return toldOf(launcher).findLast((friend) => friend.wallet === wallet);
}

/** Resolves when whatever was caused before has been sent to all sockets that follow. */
async function told(): Promise<void> {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using _ = await connect(bob);
  await until('a later change', () => lastOf(watching, bob)?.status === 'online');
}

test('a follower gets a snapshot of who is online, and then only the friends that change', async () => {
  const [ada, bob] = await friends();
  const carol = await newPlayer();
  await befriend(server.services.db, launcherGame, carol.wallet, ada.wallet);
  using _ = await connect(carol);
  using watching = await connect(ada);
  await until('carol online', async () => (await follow(watching)).length === 1);
  expect(await follow(watching)).toEqual([
    { wallet: carol.wallet, status: 'online', since: expect.any(Number), joinable: false },
  ]);
  const before = Date.now();
  using playing = await connect(bob);
  await until('bob online', () => lastOf(watching, bob)?.status === 'online');
  await playing.call('setStatus', { status: 'away', text: 'Tea' });
  await playing.call('setCurrentGame', { gameId: chess });
  const last = await until('bob in the game', () => toldOf(watching).find(({ gameId }) => gameId === chess));
  expect(last).toEqual({
    wallet: bob.wallet,
    status: 'away',
    since: expect.any(Number),
    text: 'Tea',
    gameId: chess,
    gameName: 'Chess',
    joinable: false,
  });
  expect(last.since - before).toBeLessThan(5_000);
  expect(watching.received.find((event) => event.name === name)?.meta).toEqual({
    stream: `account:${ada.wallet}`,
  });
  playing.socket.disconnect();
  await until('bob offline', () => lastOf(watching, bob)?.status === 'offline');
  expect(toldOf(watching).every(({ wallet }) => wallet === bob.wallet)).toBe(true);

  await watching.call('unfollowPresence');
  const count = toldOf(watching).length;
  using _again = await connect(bob);
  await told();
  expect(toldOf(watching)).toHaveLength(count);
});

test('only friends can be seen: not strangers, nor those who asked, nor after the friendship has ended', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const stranger = await newPlayer();
  using watching = await connect(ada);
  using strangers = await connect(stranger);
  await follow(watching);
  await follow(strangers);
  using playing = await connect(bob);
  await until('bob online', () => lastOf(watching, bob)?.status === 'online');

  await db.write(removeFriend, bob.wallet, ada.wallet);
  await until('bob retracted', () => lastOf(watching, bob)?.status === 'offline');
  await playing.call('setStatus', { status: 'busy' });
  await told();
  expect(lastOf(watching, bob)?.status).toBe('offline');
  expect(await follow(watching)).toEqual([]);

  await befriend(db, launcherGame, ada.wallet, bob.wallet);
  await until('bob shown to his new friend', () => lastOf(watching, bob)?.status === 'busy');
  await db.write(removeFriend, ada.wallet, bob.wallet);
  await until('bob retracted', () => lastOf(watching, bob)?.status === 'offline');
  expect(await follow(watching)).toEqual([]);
  expect(toldOf(strangers)).toEqual([]);
});

test('an invisible player sends the one offline, and is never shown again by reconnecting', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  const first = await connect(bob);
  await until('bob online', () => lastOf(watching, bob)?.status === 'online');
  await first.call('setStatus', { status: 'invisible', text: 'secret' });
  await until('bob offline', () => lastOf(watching, bob)?.status === 'offline');
  const sent = toldOf(watching).length;
  first.socket.disconnect();
  using second = await connect(bob, { status: 'invisible', text: 'secret' });
  using _third = await connect(bob); // without a status: it is remembered
  using _game = await connect(await server.openSession(chess, bob.wallet));
  await second.call('setCurrentGame', { gameId: chess });
  await told();
  expect(toldOf(watching)).toHaveLength(sent);
  expect(await follow(watching)).toEqual([]);
  await second.call('setStatus', { status: 'online' });
  await until('bob back', () => lastOf(watching, bob)?.gameId === chess);
  expect(lastOf(watching, bob)).not.toHaveProperty('text');
});

test("a player's launchers are told the player's own status, whichever of them set it; friends and games are not", async () => {
  const [ada, bob] = await friends();
  const { db } = server.services;
  await db.write(setPrivacy, ada.wallet, { presence: 'nobody' });
  using phone = await connect(ada);
  using desktop = await connect(ada);
  using game = await connect(await server.openSession(chess, ada.wallet));
  using watching = await connect(bob);
  const own = (launcher: TestLauncher) =>
    launcher.received
      .filter((event) => event.name === name)
      .map(({ record }) => record.own as { status: string } | undefined);
  for (const one of [phone, desktop]) {
    expect(await one.call('followPresence')).toEqual({
      success: true,
      friends: [],
      own: { status: 'online', text: '' },
    });
  }
  expect(await game.call('followPresence')).toEqual({ success: true, friends: [] });
  await follow(watching);
  await phone.call('setStatus', { status: 'busy', text: 'In a raid' });
  await phone.call('setCurrentGame', { gameId: chess });
  await desktop.call('setStatus', { status: 'invisible' });
  await until('told', () => [phone, desktop].every((one) => own(one).at(-1)?.status === 'invisible'));
  const inOrder = [
    [{ status: 'invisible', text: '' }],
    [
      { status: 'busy', text: 'In a raid' },
      { status: 'invisible', text: '' },
    ],
  ];
  for (const one of [phone, desktop]) expect(inOrder).toContainEqual(own(one));
  await told();
  expect(own(game)).toEqual([]);
  expect(own(watching)).toEqual([]);
  expect(toldOf(watching)).toEqual([]);
  desktop.socket.disconnect();
  using again = await connect(ada);
  expect(await again.call('followPresence')).toMatchObject({ own: { status: 'invisible', text: '' } });
});

test("a launcher that follows at once is told the status of its handshake, and of the call before, as the player's own", async () => {
  const ada = await newPlayer();
  using launcher = await connect(ada, { status: 'invisible' });
  expect(await launcher.call('followPresence')).toMatchObject({ own: { status: 'invisible' } });
  await launcher.call('setStatus', { status: 'busy' });
  expect(await launcher.call('followPresence')).toMatchObject({ own: { status: 'busy' } });
});

test('a status that is set again with its age replaces no later one, also in a handshake, but an earlier one', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using phone = await connect(bob);
  const seen = (status: string) => until(status, () => lastOf(watching, bob)?.status === status);
  await seen('online');
  {
    using computer = await connect(bob);
    await computer.call('setStatus', { status: 'away' });
    await seen('away');
    await phone.call('setStatus', { status: 'busy', ageMs: 60_000 });
    using _ = await connect(bob, { status: 'invisible', ageMs: 60_000 });
    await told();
    expect(lastOf(watching, bob)?.status).toBe('away');
    await phone.call('setStatus', { status: 'busy' });
    await seen('busy');
    await until('a choice of after that', async () => {
      await computer.call('setStatus', { status: 'online', ageMs: 1 });
      return lastOf(watching, bob)?.status === 'online';
    });
  }
});

test('a status in the handshake obeys the rules of setStatus, and is set before the player is seen', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using _ = await connect(bob, { status: 'busy', text: 'In a raid' });
  await until('bob', () => lastOf(watching, bob));
  expect(toldOf(watching)).toMatchObject([{ status: 'busy', text: 'In a raid' }]);
  const reasonOf = (player: TestPlayer, status: unknown) =>
    connectLauncher(server.url, { launcherJwt: player.launcherJwt, status }).then(
      () => 'admitted',
      (error: Error & { data?: { data?: { reason?: string } } }) => error.data?.data?.reason,
    );
  expect(await reasonOf(bob, { status: 'asleep' })).toBe('input_invalid');
  expect(await reasonOf(bob, 'busy')).toBe('input_invalid');
  expect(await reasonOf(await server.openSession(chess), { status: 'busy' })).toBe('not_a_launcher');
});

test('privacy settings send what becomes visible, and retract what becomes hidden', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using playing = await connect(bob);
  await playing.call('setCurrentGame', { gameId: chess });
  await until('the game', () => lastOf(watching, bob)?.gameId === chess);
  await db.write(setPrivacy, bob.wallet, { showGame: false });
  const hidden = await until('no game', () => !lastOf(watching, bob)?.gameId && lastOf(watching, bob));
  expect(hidden).toEqual({
    wallet: bob.wallet,
    status: 'online',
    since: expect.any(Number),
    joinable: false,
  });
  await db.write(setPrivacy, bob.wallet, { presence: 'nobody' });
  await until('offline', () => lastOf(watching, bob)?.status === 'offline');
  expect(await follow(watching)).toEqual([]);
  await db.write(setPrivacy, bob.wallet, { presence: 'friends', showGame: true });
  await until('all again', () => lastOf(watching, bob)?.gameId === chess);
});

test('a player is online until the last device leaves, and plays by a launcher or by a game itself', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  const laptop = await connect(bob);
  const phone = await connect(bob);
  const game = await connect(await server.openSession(chess, bob.wallet));
  await until('playing', () => lastOf(watching, bob)?.gameId === chess);
  await game.call('setRichPresence', {
    details: 'Move 12',
    values: { color: 'white' },
    group: { id: 'table-4', size: 1, max: 2 },
    connect: 'table-4?seat=2',
  });
  const shown = await until('the details', () => lastOf(watching, bob)?.details && lastOf(watching, bob));
  expect(shown).toMatchObject({
    details: 'Move 12',
    group: { id: 'table-4', size: 1, max: 2 },
    joinable: true,
  });
  expect(shown).not.toHaveProperty('values'); // for sessions of the game only
  expect(JSON.stringify(toldOf(watching))).not.toContain('seat');
  using sameGame = await connect(await server.openSession(chess, ada.wallet));
  expect(await follow(sameGame)).toMatchObject([{ values: { color: 'white' } }]);
  expect(await watching.call('joinFriend', { wallet: bob.wallet })).toEqual({
    success: true,
    launch: { gameId: chess, url: 'https://chess.example/play' },
    connect: 'table-4?seat=2',
  });
  const refusal = { data: { reason: 'not_joinable' } };
  await server.services.db.write(block, { gameId: chess, wallet: bob.wallet }, ada.wallet);
  await expect(watching.call('joinFriend', { wallet: bob.wallet })).rejects.toMatchObject(refusal);
  await server.services.db.write(unblock, { gameId: chess, wallet: bob.wallet }, ada.wallet);

  await game.call('setRichPresence', { group: { id: 'table-4', size: 2, max: 2 }, connect: 'table-4' });
  await until('full', () => lastOf(watching, bob)?.joinable === false);
  await expect(watching.call('joinFriend', { wallet: bob.wallet })).rejects.toMatchObject(refusal);
  game.socket.disconnect();
  await until('not playing', () => !lastOf(watching, bob)?.gameId);
  expect(lastOf(watching, bob)).toMatchObject({ status: 'online', joinable: false });
  laptop.socket.disconnect();
  await told();
  expect(lastOf(watching, bob)?.status).toBe('online');
  phone.socket.disconnect();
  await until('offline', () => lastOf(watching, bob)?.status === 'offline');
});

test('who is blocked in a game sees a friend there whom nobody can join; nobody else is sent anything', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const [carol, dora] = await Promise.all([newPlayer(), newPlayer()]);
  await befriend(db, launcherGame, carol.wallet, bob.wallet);
  const { gameId: other } = await server.createGame();
  await db.write(block, { gameId: chess, wallet: bob.wallet }, dora.wallet);
  using watching = await connect(ada);
  using carols = await connect(carol);
  using doras = await connect(dora);
  for (const launcher of [watching, carols, doras]) await follow(launcher);
  using game = await connect(await server.openSession(chess, bob.wallet));
  await game.call('setRichPresence', { details: 'Move 12', connect: 'table-4' });
  for (const launcher of [watching, carols])
    await until('joinable', () => lastOf(launcher, bob)?.joinable === true);
  const open = lastOf(watching, bob);
  await befriend(db, launcherGame, dora.wallet, bob.wallet);
  expect(await until('the new friend', () => lastOf(doras, bob))).toEqual({ ...open, joinable: false });

  const sentToOthers = () => toldOf(carols).length + toldOf(doras).length;
  const before = sentToOthers();
  await db.write(block, { gameId: chess, wallet: bob.wallet }, ada.wallet);
  await until('not joinable', () => lastOf(watching, bob)?.joinable === false);
  expect(lastOf(watching, bob)).toEqual({ ...open, joinable: false });
  expect(await follow(watching)).toEqual([{ ...open, joinable: false }]);
  using sameGame = await connect(await server.openSession(chess, ada.wallet));
  expect(await follow(sameGame)).toEqual([{ ...open, joinable: false }]);
  for (const socket of [watching, sameGame])
    await expect(socket.call('joinFriend', { wallet: bob.wallet })).rejects.toMatchObject({
      data: { reason: 'not_joinable' },
    });
  await game.call('setRichPresence', { details: 'Move 13', connect: 'table-4' });
  await until('move 13', () => lastOf(watching, bob)?.details === 'Move 13');
  expect(lastOf(watching, bob)?.joinable).toBe(false);
  await until('move 13', () => sentToOthers() === before + 2);

  // In a game that the friend does not have open, nothing changes that is sent.
  const sent = toldOf(watching).length;
  await db.write(block, { gameId: other, wallet: bob.wallet }, ada.wallet);
  await told();
  expect(toldOf(watching)).toHaveLength(sent);
  await db.write(unblock, { gameId: chess, wallet: bob.wallet }, ada.wallet);
  await until('joinable again', () => lastOf(watching, bob)?.joinable === true);
  await told();
  expect(sentToOthers()).toBe(before + 2);
});

test('a game shows its players what its policy allows of their friends', async () => {
  const [ada, bob] = await friends();
  const inGame = async (policy: 'none' | 'in-game' | 'all') => {
    const { gameId } = await server.createGame({ policies: { friends: policy } });
    return { gameId, socket: await connect(await server.openSession(gameId, ada.wallet)) };
  };
  const [none, some, all] = await Promise.all([inGame('none'), inGame('in-game'), inGame('all')]);
  using playing = await connect(bob);
  await until('bob', async () => (await follow(all.socket)).length === 1);
  await expect(follow(none.socket)).rejects.toMatchObject({
    code: 403,
    data: { reason: 'friends_forbidden' },
  });
  await expect(none.socket.call('joinFriend', { wallet: bob.wallet })).rejects.toMatchObject({
    data: { reason: 'friends_forbidden' },
  });
  expect(await follow(some.socket)).toEqual([]);
  await expect(some.socket.call('joinFriend', { wallet: bob.wallet })).rejects.toMatchObject({
    data: { reason: 'not_a_friend' },
  });
  await playing.call('setStatus', { status: 'busy' });
  await until('busy', () => lastOf(all.socket, bob)?.status === 'busy');
  expect(toldOf(some.socket)).toEqual([]);
  // From the moment when the friend opens this game on, the session sees the friend.
  using game = await connect(await server.openSession(some.gameId, bob.wallet));
  await until('in the game', () => lastOf(some.socket, bob)?.gameId === some.gameId);
  game.socket.disconnect();
  await until('out of it', () => lastOf(some.socket, bob) && !lastOf(some.socket, bob)?.gameId);
  expect(lastOf(some.socket, bob)?.status).toBe('busy');
  expect(await follow(some.socket)).toHaveLength(1);
  for (const { socket } of [none, some, all]) socket.socket.disconnect();
});

test('a flood of updates arrives as a few, ends with the last one, and disconnects nobody', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using game = await connect(await server.openSession(chess, bob.wallet));
  await until('playing', () => lastOf(watching, bob));
  const from = performance.now();
  const calls = Array.from({ length: 900 }, (_, at) =>
    game.call('setRichPresence', { details: `Move ${at}` }),
  );
  await Promise.all(calls);
  await until('the last', () => lastOf(watching, bob)?.details === 'Move 899');
  expect(toldOf(watching).length).toBeLessThan(4 + (performance.now() - from) / 250);
  expect([watching.socket.connected, game.socket.connected]).toEqual([true, true]);
});

test('what a connection says last of its player is what friends see, also if the call before takes longer', async () => {
  const [ada, bob] = await friends();
  using watching = await connect(ada);
  await follow(watching);
  using launcher = await connect(bob);
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const reads = interceptReads(server.services.db, findNamedGame, { before: () => gate });
  const opening = launcher.call('setCurrentGame', { gameId: chess });
  const closing = launcher.call('setCurrentGame', { gameId: null });
  await launcher.call('channelStatus', {}, 'launcher'); // sent after them, and not about the connection
  goOn();
  await Promise.all([opening, closing]);
  reads.restore();
  await launcher.call('setStatus', { status: 'busy' });
  await until('busy', () => lastOf(watching, bob)?.status === 'busy');
  expect(lastOf(watching, bob)?.gameId).toBeUndefined();
});

test('a client with much left to read is not sent more: the last state follows when it has read', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const carol = await newPlayer();
  await befriend(db, launcherGame, carol.wallet, bob.wallet);
  const feed = feedOfOnlyNode();
  let isBacklogged = true;
  const sent = { slow: [] as string[], quick: [] as string[] };
  const follower = async (player: TestPlayer, to: string[], isSlow: boolean) => {
    const details = await db.read(findSession, player.sessionId);
    if (!details) throw new Error('the session exists');
    const outgoing = { send: (event: string) => to.push(event), isBacklogged: () => isSlow && isBacklogged };
    const socket = feed.connect(details, shown, outgoing);
    const wallets = await db.read(friendWallets, player.wallet);
    await socket.follow(async () => ({ friends: wallets, visible: null, blocking: [] }));
    return socket;
  };
  const slow = await follower(ada, sent.slow, true);
  const quick = await follower(carol, sent.quick, false);
  const changing = await follower(bob, [], false);
  for (const status of ['busy', 'away', 'online'] as const) {
    changing.setStatus({ status, text: '' });
    await until(`${status} sent`, () => sent.quick.at(-1)?.includes(`"${status}"`));
  }
  changing.setStatus({ status: 'busy', text: 'at last' });
  await until('the last sent', () => sent.quick.at(-1)?.includes('at last'));
  expect(sent.slow).toEqual([]);
  isBacklogged = false;
  await until('the last sent', () => sent.slow.length > 0);
  expect(sent.slow).toEqual([expect.stringContaining('at last')]);
  for (const socket of [slow, quick, changing]) socket.close();
  feed.close();
});

test('friends too long for one message are sent in several, each friend once', async () => {
  const { db } = server.services;
  const [ada, ...others] = await Promise.all(Array.from({ length: 31 }, () => server.openSession(chess)));
  if (!ada) throw new Error('Ada exists');
  for (const { wallet } of others) await befriend(db, launcherGame, ada.wallet, wallet);
  const feed = feedOfOnlyNode();
  const messages: string[] = [];
  const connectTo = async ({ sessionId }: TestPlayer, send: (event: string) => void) => {
    const details = await db.read(findSession, sessionId);
    if (!details) throw new Error('the session exists');
    return feed.connect(details, shown, { send, isBacklogged: () => false });
  };
  const watching = await connectTo(ada, (event) => messages.push(event));
  const wallets = others.map(({ wallet }) => wallet);
  await watching.follow(async () => ({ friends: wallets, visible: null, blocking: [] }));
  const sockets = await Promise.all(others.map((one) => connectTo(one, () => undefined)));
  const values = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`value ${at}`, 'x'.repeat(128)]));
  const sent = () => messages.flatMap((message) => JSON.parse(message)[1].friends as FriendPresence[]);
  await until('all online', () => sent().length === others.length);
  messages.length = 0;
  for (const socket of sockets) socket.setRichPresence({ details: '', values, group: null, connect: '' });
  await until('all sent', () => sent().length >= others.length);
  expect(sent().map(({ wallet }) => wallet)).toHaveLength(others.length);
  expect(new Set(sent().map(({ wallet }) => wallet))).toEqual(new Set(wallets));
  expect(messages.length).toBeGreaterThan(1);
  for (const { length } of messages) expect(length).toBeLessThan(70_000);
  for (const socket of [watching, ...sockets]) socket.close();
  feed.close();
});

test('while many sockets wait, the others wait longer, so that more changes are sent together', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const feed = feedOfOnlyNode();
  const [watching, changing] = await Promise.all(
    [ada, bob].map(({ sessionId }) => db.read(findSession, sessionId)),
  );
  if (!watching || !changing) throw new Error('the sessions exist');
  let sent = 0;
  const outgoing = { send: () => sent++, isBacklogged: () => false };
  const sockets = Array.from({ length: 250 }, () => feed.connect(watching, shown, outgoing));
  const snapshot = { friends: [bob.wallet], visible: null, blocking: [] };
  for (const socket of sockets) await socket.follow(async () => snapshot);
  feed.connect(changing, shown, outgoing);
  await until('all sent', () => sent === sockets.length);
  const waited = sockets.map(({ dueAt }) => dueAt - (sockets[0]?.dueAt ?? 0));
  expect(Math.max(...waited.slice(0, 200))).toBeLessThan(100);
  expect(Math.min(...waited.slice(200))).toBeGreaterThan(300);
  feed.close();
});

test('what has been sent to sockets leaves nothing behind that only a collection of the whole heap frees', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const feed = feedOfOnlyNode();
  const watching = await db.read(findSession, ada.sessionId);
  if (!watching) throw new Error('the session exists');
  const outgoing = { send: () => undefined, isBacklogged: () => false };
  const sockets = Array.from({ length: 500 }, () => feed.connect(watching, shown, outgoing));
  for (const socket of sockets)
    await socket.follow(async () => ({ friends: [], visible: null, blocking: [] }));
  setFlagsFromString('--expose-gc');
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
  let taken = 0;
  const change = (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      for (const socket of sockets) {
        socket.mark(bob.wallet);
        taken += [...socket.takeMarked()].length;
      }
      collect({ type: 'minor' });
    }
  };
  change(20);
  for (let time = 0; time < 2; time++) collect({ type: 'minor' }); // what survives twice becomes old
  const before = oldBytes();
  change(60);
  expect(taken).toBe(80 * sockets.length);
  expect(oldBytes() - before).toBeLessThan(1_000_000); // 4.5 MB when the map of a socket is used again
  for (const socket of sockets) socket.close();
  feed.close();
});

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

test('a socket that follows again while it waits is sent later changes once', async () => {
  const { db } = server.services;
  const [ada, bob] = await friends();
  const feed = feedOfOnlyNode();
  const [watching, changing] = await Promise.all(
    [ada, bob].map(({ sessionId }) => db.read(findSession, sessionId)),
  );
  if (!watching || !changing) throw new Error('the sessions exist');
  const sent: string[] = [];
  const outgoing = { send: (event: string) => void sent.push(event), isBacklogged: () => false };
  const socket = feed.connect(watching, shown, outgoing);
  const snapshot = async () => ({ friends: [], visible: null, blocking: [] });
  const playing = feed.connect(changing, shown, outgoing);
  await until('online', () => feed.visible(bob.wallet) !== null);
  await socket.follow(snapshot);
  socket.mark(bob.wallet);
  socket.unfollow();
  await until('its time has come', () => !socket.isWaiting);
  expect(sent).toEqual([]);
  await socket.follow(snapshot);
  socket.mark(bob.wallet);
  socket.unfollow();
  await socket.follow(snapshot);
  await playing.setStatus({ status: 'busy', text: '' });
  await until('the change', () => sent.some((event) => event.includes('"busy"')));
  expect(sent).toHaveLength(1);
  for (const one of [socket, playing]) one.close();
  feed.close();
});

test('changes during the snapshot are in it or follow it', async () => {
  const [ada, bob] = await friends();
  using playing = await connect(bob);
  using watching = await connect(ada);
  for (let round = 0; round < 12; round++) {
    const status = ['away', 'busy', 'online'][round % 3];
    const change = playing.call('setStatus', { status });
    await new Promise((resolve) => setTimeout(resolve, round * 15)); // at another moment each time
    let known = (await follow(watching)).find(({ wallet }) => wallet === bob.wallet);
    const seen = toldOf(watching).length;
    await change;
    await until('the new status', () => {
      known = toldOf(watching)[Math.max(seen, toldOf(watching).length - 1)] ?? known;
      return known?.status === status;
    });
  }
});

test('over a socket of another session, and on none, it is answered socket_required', async () => {
  const [ada, bob] = await friends();
  using anonymous = await connectLauncher(server.url);
  using others = await connect(bob);
  for (const socket of [anonymous, others]) {
    for (const [method, data] of [
      ['followPresence', {}],
      ['unfollowPresence', {}],
      ['setStatus', { status: 'busy' }],
      ['setCurrentGame', { gameId: null }],
    ] as const) {
      const call = socket.call(method, { ...data, launcherJwt: ada.launcherJwt });
      await expect(call).rejects.toMatchObject({ data: { reason: 'socket_required' } });
    }
  }
});

test('a muted player, and forbidden words, are not seen in a status or in details', async () => {
  const wordFilter = { action: 'mask' as const, words: ['darn'] };
  const { gameId } = await server.createGame({ policies: { wordFilter } });
  const player = await server.openSession(gameId);
  using game = await connect(player);
  await game.call('setRichPresence', { details: 'darn_it' });
  const detailsOf = () => server.services.players.visible(player.wallet)?.rich?.details;
  await until('masked', () => detailsOf() === '****_it');
  await server.services.db.write(mute, player, null, 'server', { seconds: 60, reason: '' });
  await expect(game.call('setRichPresence', { details: 'hello' })).rejects.toMatchObject({
    data: { reason: 'muted' },
    errors: [{ path: 'details' }],
  });
  await game.call('setRichPresence', { connect: 'room' });
  await until('nothing said', () => detailsOf() === '');
});

/** How a session's socket connects without a status. */
const shown = { status: null, isShown: true };

/** Of a node that knows no other. */
function feedOfOnlyNode(): PresenceFeed {
  return new PresenceFeed({
    ...{
      db: server.services.db,
      bus: null,
      nodeId: 'only',
      isBusUp: () => true,
      isBusAnswering: async () => true,
      closedAmong: async () => [],
    },
    report: expect.unreachable,
  });
}
