import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findGame } from '../../src/features/games/queries.ts';
import { apiOf } from '../support/api.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { startTestServer } from '../support/server.ts';
import { newWallet } from '../support/wallet.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const slugOf = async (gameId: string) => (await server.services.db.read(findGame, gameId))?.slug ?? '';

const [game, other] = [await server.createGame({ name: 'Comets' }), await server.createGame()];
const slug = await slugOf(game.gameId);
const signedIn = z.looseObject({ launcherJwt: z.string(), deviceSecret: z.string().optional() });

test('a game is named by its slug wherever a call without a token takes its id', async () => {
  const created = accepted(await api.post('/launcher/create-guest', { gameId: slug }), signedIn);
  const { deviceSecret, launcherJwt } = created;
  expect(readJwt(launcherJwt).payload.gameId).toBe(game.gameId);
  const again = await api.post('/launcher/sign-in-guest', { gameId: slug, deviceSecret });
  expect(readJwt(accepted(again, signedIn).launcherJwt).payload.gameId).toBe(game.gameId);
  const wallet = newWallet().address;
  const begun = await api.post('/launcher/create-unverified-channel', { gameId: slug, wallet });
  expect(begun.body).toMatchObject({ signRequest: expect.stringContaining('Sign in to play Comets.') });

  await api.post('/launcher/set-user-score', { launcherJwt, score: 7 });
  await api.post('/launcher/send-custom-activity', { launcherJwt, label: 'found it', eventId: 'key' });
  const player = readJwt(launcherJwt).payload.address;
  for (const named of [slug, game.gameId]) {
    const reads = await Promise.all([
      api.post('/launcher/get-game-scores-leaderboard', { gameId: named }),
      api.dispatch('getLeaderboardAround', { gameId: named, wallet: player }, { service: 'scores' }),
      api.get(`/activities?gameId=${named}`),
    ]);
    const [board, around, feed] = reads.map(({ body }) => JSON.stringify(body));
    expect([named, board, around]).toEqual([
      named,
      expect.stringContaining('"score":7'),
      expect.stringContaining('"score":7'),
    ]);
    expect([named, feed]).toEqual([named, expect.stringContaining('found it')]);
  }
});

test("a game's secret goes with its own slug, and with no other", async () => {
  const create = (gameId: string) => api.post('/launcher/create-guest', { gameId }, bearer(game.gameSecret));
  accepted(await create(slug), signedIn);
  refused(await create(await slugOf(other.gameId)), 401, 'secret_invalid');
  const wallet = newWallet().address;
  const open = (gameId: string) =>
    api.post('/launcher/open-channel-session', { gameId, wallet }, bearer(game.gameSecret));
  accepted(await open(slug), signedIn);
  refused(await open(await slugOf(other.gameId)), 401, 'secret_invalid');
});

test('launchers open and follow games by their slugs', async () => {
  const { gameId } = await server.createGame({ kind: 'launcher' });
  const { launcherJwt } = await server.openSession(gameId);
  const opened = await api.post('/launcher/open-channel-session', { launcherJwt, gameId: slug });
  expect(readJwt(accepted(opened, signedIn).launcherJwt).payload.gameId).toBe(game.gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt });
  const stream = `game:${game.gameId}`;
  expect(await launcher.call('subscribe', { gameId: slug })).toMatchObject({ stream });
  expect(await launcher.call('unsubscribe', { gameId: slug })).toMatchObject({ stream });
  // A game's own session may name its game too.
  const own = await server.openSession(game.gameId);
  using player = await connectLauncher(server.url, { launcherJwt: own.launcherJwt });
  expect(await player.call('subscribe', { gameId: slug })).toMatchObject({ stream });
});

test('an unknown slug is refused as an unknown id', async () => {
  for (const path of ['create-guest', 'get-game-scores-leaderboard', 'get-leaderboards'])
    refused(await api.post(`/launcher/${path}`, { gameId: 'no-such-game' }), 400, 'game_unknown');
});
