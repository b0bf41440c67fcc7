import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listDevices } from '../../src/features/guests/queries.ts';
import { findGuest, findPlayer } from '../../src/features/players/queries.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { type Caller, ownStyles } from '../support/call-styles.ts';
import { post } from '../support/http.ts';
import { launcherOperations } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type OpenedFor, type Origin, opened, origins } from '../support/session-origins.ts';
import { newWallet } from '../support/wallet.ts';
import { bearer, createWorld, type World } from '../support/world.ts';
import { launcherCaseOf } from './cases.ts';

// How a session was opened decides whether it manages the player. Everything here goes through the API, as an attacker
// would, so that it also runs on code that does not know how sessions were opened.

const cells = { unchanged: 0, refused: 0, allowed: 0 };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  process.stdout.write(
    `session origins: ${cells.unchanged} calls by sessions that others opened, which changed and showed nothing beyond the game; ` +
      `of what manages the player ${cells.refused} refused and ${cells.allowed} allowed\n`,
  );
});

/** A kind of player and the ways in which others than the player can open a session for it. */
interface Kind {
  kind: string;
  create(world: World): Promise<OpenedFor>;
  openedByOthers: readonly Origin[];
}

const wallet: Kind = {
  kind: 'a player with a wallet',
  create: async ({ keys }) => ({ wallet: keys.owner.address.toLowerCase(), key: keys.owner }),
  openedByOthers: ['a launcher', "the game's server", "another game's server", 'an administrator'],
};
const guest: Kind = {
  kind: 'a guest with a device',
  create: async ({ guest, guestSecret }) => ({ wallet: guest.wallet, deviceSecret: guestSecret }),
  openedByOthers: ['a launcher', "the game's server", "another game's server", 'an administrator'],
};
const vouched: Kind = {
  kind: 'a guest whom a server vouches for',
  create: createVouched,
  openedByOthers: ['vouching', "the game's server", "another game's server", 'an administrator'],
};
const upgraded: Kind = {
  kind: 'an upgraded guest',
  async create(world) {
    const { gameId } = world;
    const launcherJwt = await opened(`${server.url}/launcher/create-guest`, { gameId });
    const key = privateKeyToAccount(generatePrivateKey());
    await upgrade(launcherJwt, key.address, (message) => key.signMessage({ message }));
    return { wallet: key.address.toLowerCase(), key };
  },
  openedByOthers: ['a launcher', "the game's server", "another game's server", 'an administrator'],
};

async function createVouched({ gameSecret }: World): Promise<OpenedFor> {
  const playerId = `steam:${crypto.randomUUID()}`;
  const { body } = await post(`${server.url}/launcher/vouch-for-player`, { playerId }, bearer(gameSecret));
  return { playerId, wallet: z.looseObject({ wallet: z.string() }).parse(body).wallet };
}

async function upgrade(
  launcherJwt: string,
  address: string,
  sign: (message: string) => Promise<string>,
  headers: Record<string, string> = {},
) {
  const asked = await post(
    `${server.url}/launcher/request-guest-upgrade`,
    { launcherJwt, wallet: address },
    headers,
  );
  const begun = z.looseObject({ channelId: z.string(), signRequest: z.string() }).safeParse(asked.body);
  if (!begun.success) return asked;
  const { channelId, signRequest } = begun.data;
  const signature = await sign(signRequest);
  return post(`${server.url}/launcher/upgrade-guest`, { launcherJwt, channelId, signature }, headers);
}

/** Texts that only other games, or the player's own devices, know of the player. */
const elsewhereOnly = ['only-in-the-third-game', 'Laptop'];

/** What is the player's and not one game's: name, devices, wallet; and the player's data in a third game. */
async function beyondTheGame(third: string, { wallet }: OpenedFor): Promise<string> {
  const { db } = server.services;
  const inThird = { limit: 250, wallet, gameId: third };
  const { body } = await post(`${server.url}/admin/list-sessions`, inThird, bearer(server.adminToken));
  const sessions = z.object({ data: z.array(z.object({ sessionId: z.string(), endedAt: z.unknown() })) });
  return JSON.stringify([
    await db.read(findPlayer, wallet),
    await db.read(findGuest, wallet),
    await db.read(listDevices, wallet),
    sessions.parse(body).data.map(({ sessionId, endedAt }) => [sessionId, endedAt]),
    await db.read(listPlayerStates, { gameId: third, wallet }, { limit: 250, skip: 0 }),
  ]);
}

/** A third game, in which the player has a session, a state and a notification. */
async function playElsewhere({ wallet }: OpenedFor): Promise<string> {
  const { gameId, gameSecret } = await server.createGame({ name: 'Third' });
  const [text] = elsewhereOnly;
  const headers = bearer(gameSecret);
  const state = JSON.stringify({ text });
  const post3 = (path: string, body: object) => post(`${server.url}/launcher/${path}`, body, headers);
  await post3('open-channel-session', { wallet });
  expect((await post3('set-state', { wallet, label: 'save', state })).status).toBe(200);
  expect((await post3('send-notification', { wallet, message: text, type: 'success' })).status).toBe(200);
  return gameId;
}

/** Operations that a session may call. */
const forSessions = launcherOperations.filter(({ auth }) =>
  ['player', 'session', 'player-or-server', 'player-or-game', 'player-or-anyone'].includes(auth),
);

/** One that sends the token with the call, and one that sends it with the handshake. */
const styles = ['dedicated HTTP', 'Socket.IO, signed in'] as const;

describe.each(styles)('over %s', (style) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await ownStyles[style](server.url);
  });
  afterAll(() => caller[Symbol.dispose]());

  describe.each([wallet, guest, vouched, upgraded])('of $kind', (kind) => {
    let world: World;
    let player: OpenedFor;
    let third: string;
    beforeAll(async () => {
      world = await createWorld(server);
      player = await kind.create(world);
      third = await playElsewhere(player);
    });

    /** By how they were opened: the sessions that no operation has ended yet. */
    const sessions = new Map<Origin, string>();
    const sessionBy = async (origin: Origin) => {
      const known = sessions.get(origin);
      if (known !== undefined && (await isLive(known))) return known;
      const launcherJwt = await origins[origin](world, player);
      sessions.set(origin, launcherJwt);
      return launcherJwt;
    };

    test.each(forSessions)('$name reaches nothing beyond the game', async (operation) => {
      const { input } = launcherCaseOf(operation);
      const calls: { origin: Origin; data: Record<string, unknown> }[] = [];
      for (const origin of kind.openedByOthers) {
        // Administrators may set every name.
        if (origin === 'an administrator' && operation.name === 'setUsername') continue;
        const launcherJwt = await sessionBy(origin);
        calls.push({ origin, data: { ...(await input(world, 'owner')), launcherJwt } });
      }
      const before = await beyondTheGame(third, player);
      const texts: string[] = [];
      for (const { origin, data } of calls) {
        const { text } = await caller.call(operation, data);
        for (const marker of elsewhereOnly) expect(text, origin).not.toContain(marker);
        texts.push(`${origin}: ${text}`);
        cells.unchanged++;
      }
      expect(await beyondTheGame(third, player), texts.join('\n')).toBe(before);
    });
  });
});

async function isLive(launcherJwt: string): Promise<boolean> {
  const { body } = await post(`${server.url}/launcher/channel-status`, { launcherJwt });
  return z.looseObject({ exists: z.boolean() }).parse(body).exists;
}

/** What manages the player, how it is called, and by which sessions. */
interface Managing {
  name: string;
  of: Kind;
  call(world: World, player: OpenedFor, launcherJwt: string): Promise<{ status: number; body: unknown }>;
  allowed: readonly Origin[];
}

const ownDevice = ['a device', 'a device, in the launcher'] as const;
const named = (path: string, body: object = {}) => ({
  call: (_: World, __: OpenedFor, launcherJwt: string) =>
    post(`${server.url}/launcher/${path}`, { launcherJwt, ...body }),
});
const removing: Managing['call'] = async (_, player, launcherJwt) => {
  // With two devices, so that it is not refused as the last one.
  const own = await opened(`${server.url}/launcher/sign-in-guest`, {
    gameId: (await server.createGame()).gameId,
    deviceSecret: player.deviceSecret,
  });
  await post(`${server.url}/launcher/add-guest-device`, { launcherJwt: own, deviceName: 'Phone' });
  const devices = await server.services.db.read(listDevices, player.wallet);
  const deviceId = devices.find(({ name }) => name === 'Phone')?.deviceId;
  return post(`${server.url}/launcher/remove-guest-device`, { launcherJwt, deviceId });
};
const upgrading: Managing['call'] = async (_, __, launcherJwt) => {
  const own = newWallet();
  return upgrade(launcherJwt, own.address, (message) => own.sign(message));
};
const upgradingAsServer: Managing['call'] = async ({ gameSecret }, _, launcherJwt) => {
  const own = newWallet();
  return upgrade(launcherJwt, own.address, (message) => own.sign(message), bearer(gameSecret));
};

const managing: readonly Managing[] = [
  { name: 'addGuestDevice', of: guest, ...named('add-guest-device'), allowed: ownDevice },
  { name: 'listGuestDevices', of: guest, ...named('list-guest-devices'), allowed: ownDevice },
  { name: 'removeGuestDevice', of: guest, call: removing, allowed: ownDevice },
  { name: 'an upgrade', of: guest, call: upgrading, allowed: ownDevice },
  { name: "an upgrade with the game's secret", of: guest, call: upgradingAsServer, allowed: ['a device'] },
  { name: 'addGuestDevice', of: vouched, ...named('add-guest-device'), allowed: [] },
  { name: 'an upgrade', of: vouched, call: upgrading, allowed: [] },
  {
    name: "an upgrade with the game's secret",
    of: vouched,
    call: upgradingAsServer,
    allowed: ['vouching'],
  },
  {
    name: 'setUsername',
    of: guest,
    ...named('set-username', { username: 'Grace' }),
    allowed: [...ownDevice, 'an administrator', 'an administrator, in the launcher'],
  },
  {
    name: 'setUsername',
    of: wallet,
    ...named('set-username', { username: 'Grace' }),
    allowed: [
      'a wallet',
      'a wallet, in the launcher',
      'an administrator',
      'an administrator, in the launcher',
    ],
  },
  {
    name: 'setUsername',
    of: vouched,
    ...named('set-username', { username: 'Grace' }),
    allowed: ['an administrator', 'an administrator, in the launcher'],
  },
];

/** The ways to open a session for a kind of player. */
const waysFor = new Map<Kind, readonly Origin[]>(
  [wallet, guest, vouched].map((kind) => {
    const own: Origin[] =
      kind === wallet ? ['a wallet', 'a wallet, in the launcher'] : kind === guest ? [...ownDevice] : [];
    return [kind, [...own, ...kind.openedByOthers, 'an administrator, in the launcher']];
  }),
);

describe.each(managing)('$name of $of.kind', ({ of, call, allowed }) => {
  test.each(waysFor.get(of) ?? [])('by a session opened by %s', async (origin) => {
    const world = await createWorld(server);
    const player = await of.create(world);
    const third = await playElsewhere(player);
    const launcherJwt = await origins[origin](world, player);
    const before = await beyondTheGame(third, player);
    const { status, body } = await call(world, player, launcherJwt);
    if (allowed.includes(origin)) {
      expect(status, JSON.stringify(body)).toBe(200);
      cells.allowed++;
      return;
    }
    // With a secret of another game than the session's, that is what is wrong.
    expect(body).toMatchObject({
      success: false,
      code: 401,
      data: { reason: expect.stringMatching(/^(sign_in_required|secret_invalid)$/) },
    });
    if (call !== removing) expect(await beyondTheGame(third, player)).toBe(before);
    cells.refused++;
  });
});

test("a launcher's session that its server asks for does not exist", async () => {
  const world = await createWorld(server);
  const { gameId, gameSecret } = await server.createGame({ name: 'Another launcher', kind: 'launcher' });
  const { body } = await post(
    `${server.url}/launcher/open-channel-session`,
    { wallet: world.guest.wallet, gameId },
    bearer(gameSecret),
  );
  expect(body).toMatchObject({ data: { reason: 'sign_in_required' } });
});

test("a launcher's server reads the inbox of the launcher, not of its players' games", async () => {
  const world = await createWorld(server);
  await playElsewhere(world.owner);
  const { gameSecret } = await server.createGame({ name: 'Another launcher', kind: 'launcher' });
  const listed = await post(
    `${server.url}/launcher/list-notifications`,
    { wallet: world.owner.wallet },
    bearer(gameSecret),
  );
  expect(listed.body).toMatchObject({ success: true, notifications: [] });
});

test('how a session was opened is shown to the launcher and to administrators', async () => {
  const world = await createWorld(server);
  const player = await wallet.create(world);
  for (const origin of ['a wallet', 'a launcher', "the game's server", 'an administrator'] as const) {
    await origins[origin](world, player);
  }
  const launcherJwt = await origins['a wallet, in the launcher'](world, player);
  const { body } = await post(`${server.url}/launcher/list-channel-sessions`, { launcherJwt });
  const listed = z.object({ sessions: z.array(z.object({ openedBy: z.string() })) }).parse(body);
  const ways = new Set(listed.sessions.map(({ openedBy }) => openedBy));
  expect(ways).toEqual(new Set(['wallet', 'launcher', 'game-server', 'administrator']));
  const all = await post(
    `${server.url}/admin/list-sessions`,
    { wallet: player.wallet },
    bearer(server.adminToken),
  );
  const shown = expect.objectContaining({ openedBy: 'game-server' });
  expect(all.body).toMatchObject({ data: expect.arrayContaining([shown]) });
});
