import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ban, unban } from '../../src/features/administration/commands.ts';
import { erasePlayer } from '../../src/features/administration/operations/players.ts';
import { addGameSecret, expireGameSecret } from '../../src/features/games/commands.ts';
import { serverOnlyOperations } from '../../src/features/games/game.ts';
import { fingerprintOf, hashOfSecret, newGameSecret } from '../../src/features/games/game-secret.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { launcherCaseOf } from '../operations/cases.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { type Caller, callStyles, overOneConnection } from '../support/call-styles.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { launcherOperations, operationNamed } from '../support/registered.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer, createWorld } from '../support/world.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  apiOf(server).post(`/launcher/${path}`, body, headers);
const setScore = (gameSecret: string, wallet = randomWallet(), score = 1) =>
  post('set-user-score', { wallet, score }, bearer(gameSecret));
const scoresOf = async (gameId: string, wallet: string) =>
  (await server.services.db.read(listScores, { gameId, wallet }, { limit: 250, skip: 0 })).map(
    (one) => one.score,
  );

describe("a game's server is authenticated by its secret alone", () => {
  it.each([
    ['an unknown secret', () => bearer('gsk_nobody')],
    ['the admin token', () => bearer(server.adminToken)],
    ['the secret without Bearer', (secret: string) => ({ Authorization: secret })],
    ['the secret cut short', (secret: string) => bearer(secret.slice(0, -1))],
  ])('and refused with %s', async (_what, headers) => {
    const { gameId, gameSecret } = await server.createGame();
    const wallet = randomWallet();
    refused(await post('set-user-score', { wallet, score: 1 }, headers(gameSecret)), 401, 'secret_invalid');
    expect(await scoresOf(gameId, wallet)).toEqual([]);
  });

  it('and anonymous when the secret is in the body, or missing', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const body = {
      wallet: randomWallet(),
      score: 1,
      gameId,
      gameSecret,
      authorization: `Bearer ${gameSecret}`,
    };
    refused(await post('set-user-score', body), 401, 'token_missing');
  });

  it('until the secret is revoked, also on a socket that it opened', async () => {
    const { db } = server.services;
    const { gameId, gameSecret } = await server.createGame();
    const second = newGameSecret();
    await db.write(addGameSecret, gameId, server.box.sealSecret(second), { graceMs: 3_600_000 });
    using socket = await connectLauncher(server.url, { gameSecret });
    const wallet = randomWallet();
    await socket.call('setUserScore', { wallet, score: 1 });
    await db.write(expireGameSecret, gameId, fingerprintOf({ hash: hashOfSecret(gameSecret) }));
    refused(await setScore(gameSecret, wallet), 401, 'secret_invalid');
    await expect(socket.call('setUserScore', { wallet, score: 2 })).rejects.toMatchObject({
      data: { reason: 'secret_invalid' },
    });
    expect((await setScore(second, wallet, 3)).status).toBe(200);
    expect(await scoresOf(gameId, wallet)).toEqual([3, 1]);
  });

  it('and acts in its own game only, whatever the address says', async () => {
    const [one, other] = [await server.createGame(), await server.createGame()];
    const wallet = randomWallet();
    const below = `${server.url}/g/${other.gameId}`;
    const answer = await apiOf({ url: below }).post(
      '/launcher/set-user-score',
      { wallet, score: 1, gameId: other.gameId },
      bearer(one.gameSecret),
    );
    refused(answer, 401, 'game_mismatch');
    await setScore(one.gameSecret, wallet, 4);
    expect([await scoresOf(one.gameId, wallet), await scoresOf(other.gameId, wallet)]).toEqual([[4], []]);
  });
});

describe("a game's server on a socket", () => {
  const emit = (handshake: Parameters<typeof overOneConnection>[1], input: object) =>
    overOneConnection(server.url, handshake, 'launcher', 'setUserScore', input);

  it.each([
    ['auth.gameSecret', (gameSecret: string) => ({ auth: { gameSecret } })],
    ['the header Authorization', (gameSecret: string) => ({ headers: bearer(gameSecret) })],
  ])('sends its secret in the handshake, by %s', async (_way, handshake) => {
    const { gameSecret } = await server.createGame();
    const wallet = randomWallet();
    const { body } = await emit(handshake(gameSecret), { wallet, score: 6 });
    expect(body).toMatchObject({ newScore: { normalizedAddress: wallet, score: 6 } });
  });

  it('is refused with an invalid secret, and told why', async () => {
    const { body } = await emit({ auth: { gameSecret: 'gsk_nobody' } }, { wallet: randomWallet(), score: 1 });
    expect(body).toMatchObject({ code: 401, data: { reason: 'secret_invalid' } });
  });

  it('receives no events, not even those it causes', async () => {
    const { gameId, gameSecret } = await server.createGame();
    const player = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    using socket = await connectLauncher(server.url, { gameSecret });
    await socket.call('sendNotification', { wallet: player.wallet, message: 'Hi', type: 'success' });
    await launcher.waitForEvent('notifications created');
    await socket.call('getUserScore', { wallet: player.wallet });
    expect(socket.received).toEqual([]);
  });

  it('is a player when it also sends a token, and the secret is of the same game', async () => {
    const { gameId, gameSecret } = await server.createGame({ policies: { requireSecret: true } });
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const { body } = await emit({ auth: { gameSecret, launcherJwt } }, { wallet: randomWallet(), score: 2 });
    expect(body).toMatchObject({ newScore: { normalizedAddress: wallet } });
    const other = await server.createGame();
    const refusal = await emit({ auth: { gameSecret: other.gameSecret, launcherJwt } }, { score: 2 });
    expect(refusal.body).toMatchObject({ data: { reason: 'secret_invalid' } });
  });
});

/** Every operation that the policy governs, and its name there. */
const leftToServers = launcherOperations.flatMap(({ name, serverOnlyWith = name }) =>
  serverOnlyOperations
    .filter((reserved) => reserved === serverOnlyWith)
    .map((reserved) => [name, reserved] as const),
);

describe('the policy serverOnly', () => {
  it('lists every write that a game server makes for a player, and nothing else', () => {
    const open = launcherOperations.filter(
      ({ auth, kind }) => auth === 'player-or-server' && kind === 'write',
    );
    const named = open
      .filter(({ name }) => name !== 'openChannelSession')
      .map(({ name, serverOnlyWith = name }) => serverOnlyWith);
    expect([...serverOnlyOperations].sort()).toEqual([...new Set(named)].sort());
  });

  describe.each(Object.entries(callStyles))('over %s', (_style, connect) => {
    let caller: Caller;
    beforeAll(async () => {
      caller = await connect(server.url);
    });
    afterAll(() => caller[Symbol.dispose]());

    it.each(leftToServers)(
      'refuses %s to players, and reserves it for the server',
      async (name, reserved) => {
        const operation = operationNamed(name);
        const reservedIn = async () => {
          const world = await createWorld(server);
          await setPolicies(world.gameId, { serverOnly: [reserved] });
          const input = await launcherCaseOf(operation).input(world, 'owner');
          return { ...world.owner, gameSecret: world.gameSecret, input };
        };
        const { launcherJwt, wallet, gameSecret, input } = await reservedIn();
        const byPlayer = await caller.call(operation, { launcherJwt, ...input });
        expect(byPlayer.status, byPlayer.text).toBe(403);
        expect(byPlayer.body).toMatchObject({ name: 'Forbidden', data: { reason: 'server_only' } });
        const byServer = await caller.call(operation, { wallet, ...input }, bearer(gameSecret));
        expect(byServer.status, byServer.text).toBe(200);
        const next = await reservedIn();
        const passedOn = await caller.call(
          operation,
          { launcherJwt: next.launcherJwt, ...next.input },
          bearer(next.gameSecret),
        );
        expect(passedOn.status, passedOn.text).toBe(200);
      },
    );
  });

  it("applies in a player's batch too, and stops when the policy is removed", async () => {
    const { gameId } = await server.createGame({ policies: { serverOnly: ['setUserScore'] } });
    const { launcherJwt, wallet } = await server.openSession(gameId);
    const operations = [{ method: 'setUserScore', data: { score: 1 } }];
    refused(await post('batch', { launcherJwt, operations }), 403, 'server_only');
    expect(await scoresOf(gameId, wallet)).toEqual([]);
    await setPolicies(gameId, { serverOnly: [] });
    expect((await post('batch', { launcherJwt, operations })).status).toBe(200);
  });
});

describe("what applies to a player applies to the game's server that acts for them", () => {
  it.each([true, false])(
    'a ban (from this game: %s), for reads and writes, until it is lifted',
    async (here) => {
      const { db } = server.services;
      const { gameId, gameSecret } = await server.createGame();
      const { wallet } = await server.openSession(gameId);
      await db.write(ban, wallet, here ? gameId : null, 'cheating');
      refused(await setScore(gameSecret, wallet), 401, 'player_banned');
      refused(await post('get-user-score', { wallet }, bearer(gameSecret)), 401, 'player_banned');
      refused(await post('open-channel-session', { wallet }, bearer(gameSecret)), 401, 'player_banned');
      const operations = [{ method: 'setUserScore', data: { wallet, score: 1 } }];
      refused(await post('batch', { operations }, bearer(gameSecret)), 401, 'player_banned');
      expect(await scoresOf(gameId, wallet)).toEqual([]);
      await db.write(unban, wallet, here ? gameId : null);
      expect((await setScore(gameSecret, wallet)).status).toBe(200);
    },
  );

  it('a signature, where the game requires every call to be signed', async () => {
    const { gameSecret } = await server.createGame({ policies: { requireSignature: 'any' } });
    refused(await setScore(gameSecret), 401, 'signature_required');
    const operations = [{ method: 'setUserScore', data: { wallet: randomWallet(), score: 1 } }];
    refused(await post('batch', { operations }, bearer(gameSecret)), 401, 'signature_required');
  });

  it('players sign in to a launcher themselves: its server opens no session, and lists only those of the launcher', async () => {
    const launcher = await server.createGame({ kind: 'launcher' });
    const { gameId } = await server.createGame();
    const { wallet } = await server.openSession(gameId);
    const own = await server.openSession(launcher.gameId, wallet);
    const headers = bearer(launcher.gameSecret);
    refused(await post('open-channel-session', { wallet }, headers), 401, 'sign_in_required');
    refused(await post('open-channel-session', { wallet, gameId }, headers), 401, 'secret_invalid');
    const { sessions } = accepted(
      await post('list-channel-sessions', { wallet }, headers),
      succeeded({ sessions: z.array(z.looseObject({ sessionId: z.string() })) }),
    );
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([own.sessionId]);
  });
});

describe('erasing a player', () => {
  it("removes the results kept under idempotency keys, and blocks the server's writes meanwhile", async () => {
    const { gameId, gameSecret } = await server.createGame();
    const [gone, other] = [await server.openSession(gameId), await server.openSession(gameId)];
    const keyed = () => ({ 'Idempotency-Key': crypto.randomUUID() });
    await post('set-user-score', { wallet: gone.wallet, score: 1 }, { ...bearer(gameSecret), ...keyed() });
    await post(
      'create-message-channel',
      { launcherJwt: other.launcherJwt, otherParticipants: [gone.wallet] },
      keyed(),
    );
    const kept = () => rowsIn(server.services.db, 'SELECT wallet, result FROM idempotency_keys', {});
    expect(JSON.stringify(await kept())).toContain(gone.wallet);
    const admin = overHttp({ url: server.url, adminToken: server.adminToken });
    const erased = admin.call(erasePlayer, { wallet: gone.wallet });
    await until('the beginning', async () => (await setScore(gameSecret, gone.wallet)).status === 401);
    refused(await setScore(gameSecret, gone.wallet), 401, 'player_banned');
    await erased;
    expect(JSON.stringify(await kept())).not.toContain(gone.wallet);
    expect(JSON.stringify(await kept())).toContain(other.wallet);
    expect(await scoresOf(gameId, gone.wallet)).toEqual([]);
    // A new player, once what calls admitted before wrote is gone too.
    await until('the second pass', async () => (await setScore(gameSecret, gone.wallet)).status === 200);
  });
});

describe("the budget of a game's server", () => {
  const points = 4_000;

  it("is the game's: separate from those of the players and the address", async () => {
    await using limited = await startTestServer({ RATE_LIMIT_FACTOR: '0.005' }); // 20 writes in 2 s
    const [one, other] = [await limited.createGame(), await limited.createGame()];
    const { launcherJwt, wallet } = await limited.openSession(one.gameId);
    const send = (body: object, headers = {}) =>
      apiOf(limited).post('/launcher/set-user-score', body, headers);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send({ wallet, score: 1 }, bearer(one.gameSecret))),
    );
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(points * 0.005);
    expect(good[0]?.headers.get('ratelimit-policy')).toBe('"default";q=20;w=2');
    for (const answer of answers) if (answer.status !== 200) refused(answer, 429, 'rate_limited');
    expect((await send({ launcherJwt, score: 1 })).status).toBe(200);
    expect((await send({ wallet, score: 1 }, bearer(other.gameSecret))).status).toBe(200);
  });
});

async function setPolicies(gameId: string, policies: object): Promise<void> {
  const answer = await apiOf(server).post(
    '/admin/update-game',
    { gameId, policies },
    bearer(server.adminToken),
  );
  expect(answer.status).toBe(200);
}
