import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import { ban } from '../../src/features/administration/commands.ts';
import {
  acceptFriend,
  addFriend,
  blockEverywhere,
  declineFriend,
  removeFriend,
  updateFriend,
} from '../../src/features/friends/commands.ts';
import { giveFriendCode } from '../../src/features/friends/friend-code-commands.ts';
import { sendInvites } from '../../src/features/friends/invite-commands.ts';
import { setPrivacy } from '../../src/features/friends/privacy-commands.ts';
import { addGuest } from '../../src/features/guests/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { friendCases } from '../operations/cases/friends.ts';
import { apiOf } from '../support/api.ts';
import { befriend } from '../support/befriend.ts';
import { connectLauncher, settled } from '../support/launcher.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer } from '../support/world.ts';

/** Callers, relative to Ada: players in a launcher, her own sessions, and servers that act for her. */
const others = ['friend', 'requested', 'blocked', 'declined', 'stranger', 'guest', 'banned'] as const;
const own = ['launcher', 'game: all', 'game: in-game', 'game: none'] as const;
const servers = ['server: all', 'server: in-game', 'server: none'] as const;
const callers = [...others, ...own, ...servers];
type Caller = (typeof callers)[number];

const operations = [
  ...Object.keys(friendCases),
  ...['listBlockedPlayers', 'blockPlayer', 'unblockPlayer'],
] as const;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Ada, and what is between her and each of the others. `outside` is a friend of hers who plays none of her games. */
async function createScene() {
  const { db } = server.services;
  const mark = randomUUID().slice(0, 8);
  const [all, inGame, none, launcher, elsewhere] = await Promise.all([
    server.createGame({ policies: { friends: 'all' } }),
    server.createGame(),
    server.createGame({ policies: { friends: 'none' } }),
    server.createGame({ kind: 'launcher' }),
    server.createGame(),
  ]);
  const ada = randomWallet();
  const outside = await server.openSession(elsewhere.gameId);
  const sessions = {
    launcher: await server.openSession(launcher.gameId, ada),
    'game: all': await server.openSession(all.gameId, ada),
    'game: in-game': await server.openSession(inGame.gameId, ada),
    'game: none': await server.openSession(none.gameId, ada),
  };
  const address = newGuestAddress();
  const device = { secretHash: randomUUID(), name: '' };
  const { details } = await db.write(addGuest, launcher.gameId, { address, idleMs: 1e9 }, device, 1e9);
  const guest = { wallet: address, launcherJwt: await issueToken(details, server.services) };
  const open = async () => server.openSession(launcher.gameId);
  const players = {
    ...{ friend: await open(), requested: await open(), blocked: await open(), declined: await open() },
    ...{ stranger: await open(), guest, banned: await open() },
  };
  const ask = (wallet: string, other: string, message: string) =>
    db.write(addFriend, wallet, { wallet: other, hasCode: false, message, gameId: launcher.gameId });
  await db.write(setProfile, ada, { username: `Ada ${mark}` });
  await db.write(setProfile, outside.wallet, { username: `outside-${mark}` });
  for (const [one, note] of [
    [players.friend.wallet, 'own-note'],
    [outside.wallet, 'secret-note'],
  ] as const) {
    await ask(one, ada, '');
    await db.write(acceptFriend, ada, one);
    await db.write(updateFriend, ada, one, { note: `${note}-${mark}` });
  }
  for (const name of ['requested', 'blocked', 'declined'] as const) await ask(players[name].wallet, ada, '');
  await db.write(
    blockEverywhere,
    { gameId: launcher.gameId, wallet: ada, everywhere: true },
    players.blocked.wallet,
  );
  await db.write(declineFriend, ada, players.declined.wallet);
  await db.write(ban, players.banned.wallet, null, 'cheats');
  const { invites } = await db.write(sendInvites, ada, [outside.wallet], {
    ...{ gameId: elsewhere.gameId, connect: `secret-connect-${mark}`, message: `secret-text-${mark}` },
  });
  const code = await db.write(giveFriendCode, ada, { isNew: false });
  const inviteId = invites[0]?.inviteId ?? '';
  const games = { 'server: all': all, 'server: in-game': inGame, 'server: none': none };
  return { ada, outside, mark, code, inviteId, inGame, games, sessions, players };
}
type Scene = Awaited<ReturnType<typeof createScene>>;

/** What the caller sends, about Ada. */
function inputOf(scene: Scene, name: string, by: Caller): object {
  const { ada, outside, inviteId, mark } = scene;
  const about = by in scene.players ? ada : outside.wallet;
  const inputs: Record<string, object> = {
    importFriends: { wallet: ada, players: [outside.wallet] },
    updateFriend: { wallet: about, favorite: true },
    getPlayers: { wallets: [ada, outside.wallet] },
    searchPlayers: { query: by in scene.players ? `ada ${mark}` : `outside-${mark}` },
    sendInvite: {
      wallets: [about],
      ...(by in scene.players || by === 'launcher' ? { gameId: scene.inGame.gameId } : {}),
    },
    respondToInvite: { inviteId, accept: true },
    cancelInvite: { inviteId },
  };
  const withWallet =
    /^(addFriend|acceptFriendRequest|declineFriendRequest|removeFriend|blockPlayer|unblockPlayer)$/;
  return inputs[name] ?? (withWallet.test(name) ? { wallet: about } : {});
}

async function callAs(scene: Scene, by: Caller, name: string, input = inputOf(scene, name, by)) {
  const api = apiOf(server);
  if (by in scene.games) {
    const { gameSecret } = scene.games[by as (typeof servers)[number]];
    return api.dispatch(name, { wallet: scene.ada, ...input }, { headers: bearer(gameSecret) });
  }
  const session = { ...scene.players, ...scene.sessions }[
    by as (typeof others)[number] | (typeof own)[number]
  ];
  return api.dispatch(name, { ...input, launcherJwt: session.launcherJwt });
}

/** What this caller must not read: Ada's notes and code, and of whom else she is a friend. */
function secretsFor({ mark, code, outside }: Scene, by: Caller, name: string): string[] {
  const secrets = [`secret-connect-${mark}`];
  const isOwn = !(others as readonly string[]).includes(by);
  const isWhole = isOwn && (by === 'launcher' || by.endsWith(': all'));
  if (!isWhole) secrets.push(`secret-note-${mark}`, `secret-text-${mark}`);
  if (!isOwn) secrets.push(code);
  if (!isOwn || by.startsWith('server')) secrets.push(`own-note-${mark}`);
  // Names of who can be searched are no secret in launchers.
  const isAsked = /^(getPlayers|searchPlayers|sendInvite|importFriends)$/.test(name) || name === 'addFriend';
  if (!isWhole && !(isAsked && !isOwn)) secrets.push(`outside-${mark}`);
  if (!isWhole && !isAsked) secrets.push(outside.wallet);
  if (by.startsWith('server')) secrets.push(`outside-${mark}`, `secret-note-${mark}`);
  return secrets;
}

test('no caller reads what only Ada, or who she shares it with, may know', async () => {
  const scenes = new Map<Caller, Scene>();
  for (const by of callers) scenes.set(by, await createScene());
  const counts = { accepted: 0, refused: 0, leaks: 0 };
  const leaks: string[] = [];
  const reasons = new Map<Caller, Set<string>>();
  for (const by of callers) {
    const scene = scenes.get(by);
    if (!scene) throw new Error(`there is no scene for ${by}`);
    for (const name of operations) {
      const { status, body } = await callAs(scene, by, name);
      expect([by, name, status < 500]).toEqual([by, name, true]);
      counts[status === 200 ? 'accepted' : 'refused']++;
      if (status !== 200) reasons.set(by, (reasons.get(by) ?? new Set()).add(Object(body).data.reason));
      const text = JSON.stringify(body);
      for (const secret of secretsFor(scene, by, name))
        if (text.includes(secret)) leaks.push(`${by} × ${name}: ${secret}`);
    }
  }
  counts.leaks = leaks.length;
  process.stdout.write(
    `friends: ${callers.length * operations.length} cells (${operations.length} operations × ${callers.length} callers): ${counts.accepted} accepted, ${counts.refused} refused, ${counts.leaks} leaks\n`,
  );
  expect(leaks).toEqual([]);
  expect([...(reasons.get('banned') ?? [])]).toEqual(expect.arrayContaining(['session_ended']));
  expect([...(reasons.get('game: none') ?? [])]).toContain('friends_forbidden');
});

test('a blocked player reads and hears the same as one whose request was declined by a player who cannot be searched', async () => {
  const seen = [];
  for (const by of ['blocked', 'declined'] as const) {
    const scene = await createScene();
    const { ada, players, code, inGame } = scene;
    if (by === 'declined') await server.services.db.write(setPrivacy, ada, { searchable: false });
    const { launcherJwt, wallet } = players[by];
    const inHerGame = await server.openSession(inGame.gameId, wallet);
    using launcher = await connectLauncher(server.url, { launcherJwt });
    using game = await connectLauncher(server.url, { launcherJwt: inHerGame.launcherJwt });
    const answers: unknown[] = [];
    const sequence = operations.filter((name) => name !== 'importFriends' && name !== 'getFriendCode');
    for (const name of sequence) {
      for (const session of [launcherJwt, inHerGame.launcherJwt]) {
        const input = { ...inputOf(scene, name, by) };
        if (session !== launcherJwt && 'gameId' in input) delete input.gameId;
        const { status, body } = await apiOf(server).dispatch(name, { ...input, launcherJwt: session });
        answers.push([name, status, body]);
      }
      if (name === 'removeFriend' || name === 'blockPlayer') {
        const again = { friendCode: code, launcherJwt };
        answers.push([name, (await apiOf(server).dispatch('addFriend', again)).body]);
        answers.push((await apiOf(server).dispatch('listFriends', { launcherJwt })).body);
      }
    }
    await settled(launcher, game);
    const heard = [launcher, game].map(({ received }) =>
      received
        .filter(({ record }) => !String(record.message).startsWith('mark '))
        .map(({ name, record }) => [name, record]),
    );
    seen.push(anonymous([answers, heard], scene, wallet));
  }
  expect(seen[0]).toEqual(seen[1]);
});

test("a game's server neither reads nor changes friends of a player who has never opened the game, whatever it writes for them", async () => {
  const { db } = server.services;
  const { ada, players, mark } = await createScene();
  const friend = players.friend.wallet;
  const { gameId, gameSecret } = await server.createGame();
  const api = apiOf(server);
  const asServer = (name: string, input: object) =>
    api.dispatch(name, input, { headers: bearer(gameSecret) });
  for (const wallet of [ada, friend])
    expect((await asServer('setUserScore', { wallet, score: 1 })).status).toBe(200);
  const opened = await asServer('openChannelSession', { wallet: ada });
  const { launcherJwt } = Object(opened.body);
  using socket = await connectLauncher(server.url, { launcherJwt });
  const attempts = [
    await asServer('listFriends', { wallet: ada }),
    ...(await Promise.all(
      ['listFriends', 'getFriendCode', 'listInvites', 'followPresence'].map((name) =>
        api.dispatch(name, { launcherJwt }),
      ),
    )),
    ...(await Promise.all(
      ['updateFriend', 'addFriend', 'joinFriend', 'removeFriend'].map((name) =>
        api.dispatch(name, { launcherJwt, wallet: friend, ...(name === 'updateFriend' && { note: 'x' }) }),
      ),
    )),
    await api.dispatch('getPlaytimeForGame', { launcherJwt, wallet: friend, gameId }),
  ];
  for (const { body } of attempts) {
    expect(JSON.stringify(body)).not.toContain(mark);
    expect(body).toMatchObject({ data: { reason: expect.stringMatching(/friends_forbidden|not_a_friend/) } });
  }
  await db.write(updateFriend, ada, friend, { favorite: true });
  await settled(socket);
  expect(socket.received.filter(({ name }) => name.startsWith('friend'))).toEqual([]);

  // Once Ada has opened the game in a launcher, its server sees those friends who have too, without her notes.
  await server.openSession(gameId, ada);
  expect((await asServer('listFriends', { wallet: ada })).body).toMatchObject({ friends: [] });
  await server.openSession(gameId, friend);
  const seen = await asServer('listFriends', { wallet: ada });
  expect(seen.body).toMatchObject({ friends: [{ wallet: friend, favorite: false, note: '' }] });
  expect((await api.dispatch('listFriends', { launcherJwt })).body).toEqual(seen.body);

  // So do connections of the session that it opened, from the next one on.
  using next = await connectLauncher(server.url, { launcherJwt });
  const other = await server.openSession(gameId);
  await befriend(db, gameId, other.wallet, ada);
  await until('the new friend is announced', () =>
    next.received.some(({ name }) => name === 'friends created'),
  );
  await db.write(removeFriend, ada, other.wallet);
  await until('the end is announced', () => next.received.some(({ name }) => name === 'friends removed'));
  expect(socket.received.filter(({ name }) => name.startsWith('friend'))).toEqual([]);
});

function anonymous(value: unknown, { ada, mark, code }: Scene, wallet: string): unknown {
  const text = JSON.stringify(value)
    .replaceAll(ada, 'ada')
    .replaceAll(wallet, 'me')
    .replaceAll(mark, 'mark')
    .replaceAll(code, 'code')
    .replace(/"friendCode":"[^"]+"/g, '"friendCode":"own"')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'id')
    .replace(/0x[0-9a-f]{4}…[0-9a-f]{4}/g, 'short')
    .replace(/\b0x[0-9a-f]{40}\b/g, 'another')
    .replace(/\b\d{13}\b/g, 'time')
    .replace(/"nextCursor":"[^"]+"/g, '"nextCursor":"cursor"');
  return JSON.parse(text.replace(/:time/g, ':0'));
}
