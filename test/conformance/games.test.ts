import { afterAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { setPrivacy } from '../../src/features/friends/privacy-commands.ts';
import { gameUrl } from '../../src/features/games/game.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { apiOf } from '../support/api.ts';
import { conversationsOn } from '../support/conversations.ts';
import { faults, itRefuses, pagingFaults } from '../support/field-faults.ts';
import { connectLauncher, settled } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { page } from '../support/records.ts';
import { randomWallet, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { create } = conversationsOn(api);

const games = page(
  z.strictObject({
    gameId: z.string(),
    slug: z.string(),
    name: z.string(),
    kind: z.enum(['game', 'launcher']),
    url: z.string(),
    tokenIn: z.enum(['query', 'fragment']),
    image: z.string(),
    guests: z.boolean(),
    playing: z.int(),
  }),
);
const launcher = await server.createGame({ name: 'Our Launcher', kind: 'launcher' });
const orbit = await server.createGame({ name: 'Orbit', url: 'https://orbit.example/play?from=here' });
const here = await server.createGame({ name: 'Here', url: '/demo-game' });

describe('get-games', () => {
  it('lists games and launchers, oldest first, with public fields only', async () => {
    const all = accepted(await api.post('/launcher/get-games', {}), games);
    expect(all).toMatchObject({ total: 3, limit: 50, skip: 0 });
    expect(all.data).toEqual([
      {
        gameId: launcher.gameId,
        slug: 'our-launcher',
        name: 'Our Launcher',
        kind: 'launcher',
        url: '',
        tokenIn: 'query',
        image: '',
        guests: true,
        playing: 0,
      },
      {
        gameId: orbit.gameId,
        slug: 'orbit',
        name: 'Orbit',
        kind: 'game',
        url: 'https://orbit.example/play?from=here',
        tokenIn: 'query',
        image: '',
        guests: true,
        playing: 0,
      },
      {
        gameId: here.gameId,
        slug: 'here',
        name: 'Here',
        kind: 'game',
        url: '/demo-game',
        tokenIn: 'query',
        image: '',
        guests: true,
        playing: 0,
      },
    ]);
  });

  it('filters by kind and by slug, and paginates', async () => {
    const names = async (input: object) =>
      accepted(await api.post('/launcher/get-games', input), games).data.map(({ name }) => name);
    expect(await names({ kind: 'launcher' })).toEqual(['Our Launcher']);
    expect(await names({ kind: 'game', limit: 1 })).toEqual(['Orbit']);
    expect(await names({ kind: 'game', skip: 1 })).toEqual(['Here']);
    expect(await names({ slug: 'here' })).toEqual(['Here']);
    expect(await names({ slug: 'here', kind: 'launcher' })).toEqual([]);
    expect(accepted(await api.dispatch('getGames', { slug: 'orbit' }), games).total).toBe(1);
  });

  itRefuses(api, '/launcher/get-games', () => ({}), [
    ...pagingFaults,
    ...faults('kind', ['console', 7], 'input_invalid'),
    ...faults('slug', ['Not A Slug', 7], 'input_invalid'),
  ]);
});

test('a launcher receives the absolute address of a game this server serves', async () => {
  const player = await server.openSession(launcher.gameId);
  const open = async (gameId: string) =>
    accepted(
      await api.post('/launcher/open-channel-session', { launcherJwt: player.launcherJwt, gameId }),
      z.looseObject({ url: z.string(), launcherJwt: z.string() }),
    );
  const ours = await open(here.gameId);
  expect(ours.url).toBe(`${server.url}/demo-game?token=${ours.launcherJwt}`);
  const theirs = await open(orbit.gameId);
  expect(theirs.url).toBe(`https://orbit.example/play?from=here&token=${theirs.launcherJwt}`);
});

test.each([
  '//elsewhere.example/game',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  'javascript:alert(1)',
  'https://',
  'ftp://games.example',
  'demo-game',
  '',
])('%j is not a valid address of a game', (text) => {
  expect(gameUrl.safeParse(text).success).toBe(false);
});

describe('get-channel-participants', () => {
  const participants = z.strictObject({
    success: z.literal(true),
    participants: z.array(
      z.strictObject({
        wallet: z.string(),
        username: z.string(),
        avatar: z.string(),
        present: z.boolean(),
      }),
    ),
  });
  const list = (launcherJwt: string, channelId: string) =>
    api.post('/launcher/get-channel-participants', { launcherJwt, channelId });

  it('returns every participant, including those who never signed in, and who is online in the game or in a launcher', async () => {
    const ada = await server.openSession(orbit.gameId);
    const grace = await server.openSession(orbit.gameId);
    await server.services.db.write(setProfile, grace.wallet, {
      username: 'Grace',
      avatar: 'https://a.example/grace.png',
    });
    const nobody = { ...ada, wallet: randomWallet() };
    const channel = await create(ada, grace, nobody);
    const seen = async () =>
      accepted(await list(ada.launcherJwt, channel._id), participants).participants.map(
        ({ username, present }) => `${username} ${present}`,
      );
    const short = (wallet: string) => `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
    const others = [`${short(ada.wallet)} false`, `${short(nobody.wallet)} false`];
    expect(accepted(await list(ada.launcherJwt, channel._id), participants).participants).toMatchObject([
      { wallet: ada.wallet, avatar: `${server.url}/avatars/${ada.wallet}.svg` },
      { wallet: grace.wallet, username: 'Grace', avatar: 'https://a.example/grace.png' },
      { wallet: nobody.wallet, avatar: `${server.url}/avatars/${nobody.wallet}.svg` },
    ]);
    expect(await seen()).toEqual([others[0], 'Grace false', others[1]]);

    const inGame = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
    await until('Grace is present', async () => (await seen())[1] === 'Grace true');
    inGame.socket.close();
    await until('Grace is absent', async () => (await seen())[1] === 'Grace false');

    const signedIn = await server.openSession(launcher.gameId, grace.wallet);
    using inLauncher = await connectLauncher(server.url, { launcherJwt: signedIn.launcherJwt });
    await until('Grace is present again', async () => (await seen())[1] === 'Grace true');
    await inLauncher.call('setStatus', { status: 'invisible' });
    await until('Grace is invisible', async () => (await seen())[1] === 'Grace false');
    await inLauncher.call('setStatus', { status: 'away' });
    await until('Grace is away', async () => (await seen())[1] === 'Grace true');
    await server.services.db.write(setPrivacy, grace.wallet, { presence: 'nobody' });
    await until('Grace is hidden', async () => (await seen())[1] === 'Grace false');
  });

  it("counts a session that the game's server opened as it counts any other, and not the server itself", async () => {
    const { gameId, gameSecret } = await server.createGame({ name: 'Served' });
    const headers = { Authorization: `Bearer ${gameSecret}` };
    const ada = await server.openSession(gameId);
    const grace = { ...ada, wallet: randomWallet() };
    const channel = await create(ada, grace);
    using asServer = await connectLauncher(server.url, { gameSecret });
    const presence = async () => {
      const { participants: shown } = accepted(await list(ada.launcherJwt, channel._id), participants);
      const asked = await api.post('/launcher/get-player-presence', { wallets: [grace.wallet] }, headers);
      const { players } = asked.body as { players: { present: boolean }[] };
      return [...shown, ...players].map(({ present }) => present);
    };
    await asServer.call('setUserScore', { wallet: grace.wallet, score: 1 });
    expect(await presence()).toEqual([false, false, false]);
    const opened = await api.post('/launcher/open-channel-session', { wallet: grace.wallet }, headers);
    const { launcherJwt } = opened.body as { launcherJwt: string };
    // Whether she is online elsewhere is not the game's to know before she has opened it herself.
    const signedIn = await server.openSession(launcher.gameId, grace.wallet);
    using inLauncher = await connectLauncher(server.url, { launcherJwt: signedIn.launcherJwt });
    await settled(inLauncher);
    expect(await presence()).toEqual([false, false, false]);
    using _opened = await connectLauncher(server.url, { launcherJwt });
    await until('Grace is present', async () => `${await presence()}` === 'false,true,true');
  });

  it('does not show presence in another game', async () => {
    const ada = await server.openSession(orbit.gameId);
    const grace = await server.openSession(orbit.gameId);
    const channel = await create(ada, grace);
    const elsewhere = await server.openSession(here.gameId, grace.wallet);
    using connected = await connectLauncher(server.url, { launcherJwt: elsewhere.launcherJwt });
    await connected.streams();
    const { participants: shown } = accepted(await list(ada.launcherJwt, channel._id), participants);
    expect(shown.map(({ present }) => present)).toEqual([false, false]);
  });

  it('requires membership of the channel', async () => {
    const ada = await server.openSession(orbit.gameId);
    const eve = await server.openSession(orbit.gameId);
    const channel = await create(ada, await server.openSession(orbit.gameId));
    refused(await list(eve.launcherJwt, channel._id), 400, 'channel_unknown');
    refused(await list(ada.launcherJwt, 'none'), 400, 'channel_unknown');
  });
});
