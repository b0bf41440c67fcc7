import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { signedIn, signInsTo } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

/** basement.fun's games send no heartbeat while their launcher is open. */

async function isPresent({ url }: { url: string }, launcherJwt: string): Promise<boolean> {
  return Object((await post(`${url}/launcher/channel-status`, { launcherJwt })).body).present;
}

describe('a session of a player with a launcher', () => {
  let server: TestServer;
  let gameId: string;
  let launcherGameId: string;
  beforeAll(async () => {
    server = await startTestServer();
    ({ gameId } = await server.createGame());
    ({ gameId: launcherGameId } = await server.createGame({ kind: 'launcher' }));
  });
  afterAll(() => server.close());

  const opened = async (launcherJwt: string, game = gameId): Promise<string> =>
    Object((await post(`${server.url}/launcher/open-channel-session`, { launcherJwt, gameId: game })).body)
      .launcherJwt;

  test('opened by the launcher is present while the launcher is connected, and its launchers are notified', async () => {
    const { launcherJwt } = await server.openSession(launcherGameId);
    const before = await opened(launcherJwt);
    expect(await isPresent(server, before)).toBe(false);

    using launcher = await connectLauncher(server.url, { launcherJwt });
    await until('the session of before is present', () => isPresent(server, before));
    const game = await opened(launcherJwt);
    expect(await isPresent(server, game)).toBe(true);
    const toldOf = (token: string) => {
      const { jti } = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
      return launcher.received
        .filter(({ name, record }) => name === 'game-channels patched' && record._id === jti)
        .map(({ record }) => record.present);
    };
    await until('it was notified', () => toldOf(game).length > 0);
    // The change that its own connection caused precedes the position at which its stream starts.
    expect([toldOf(before), toldOf(game)]).toEqual([[], [true]]);

    // One of two connections makes no difference.
    using second = await connectLauncher(server.url, { launcherJwt });
    second.socket.disconnect();
    using inGame = await connectLauncher(server.url, { launcherJwt: game });
    inGame.socket.disconnect();
    await post(`${server.url}/launcher/channel-heartbeat`, { launcherJwt: game });
    expect(await isPresent(server, game)).toBe(true);
    expect(toldOf(game)).toEqual([true]);

    launcher.socket.disconnect();
    await until('nobody is present any more', async () => !(await isPresent(server, before)));
    expect(await isPresent(server, game)).toBe(true); // for the three minutes of its own heartbeat
  });

  test("opened by the player's sign-in is present while the launcher is connected", async () => {
    const wallet = privateKeyToAccount(generatePrivateKey());
    const { launcherJwt } = await server.openSession(launcherGameId, wallet.address.toLowerCase());
    using _launcher = await connectLauncher(server.url, { launcherJwt });
    const signIns = signInsTo(server, gameId);
    const { channelId, signRequest } = await signIns.begin(wallet.address);
    const signature = await wallet.signMessage({ message: signRequest });
    const token = await signedIn(server, await signIns.finish(channelId, signature), wallet.address);
    expect(await isPresent(server, token)).toBe(true);
  });

  test('opened by an administrator is only present through its own connections', async () => {
    const { launcherJwt, wallet } = await server.openSession(launcherGameId);
    using _launcher = await connectLauncher(server.url, { launcherJwt });
    expect(await isPresent(server, (await server.openSession(gameId, wallet)).launcherJwt)).toBe(false);
  });

  test('is not made present by the launcher of another player, nor a launcher session by another one', async () => {
    const { launcherJwt } = await server.openSession(launcherGameId);
    const game = await opened(launcherJwt);
    const { gameId: otherLauncherId } = await server.createGame({ kind: 'launcher' });
    const otherLauncher = await opened(launcherJwt, otherLauncherId);
    using _stranger = await connectLauncher(server.url, {
      launcherJwt: (await server.openSession(launcherGameId)).launcherJwt,
    });
    expect(await isPresent(server, game)).toBe(false);
    using _launcher = await connectLauncher(server.url, { launcherJwt });
    await until('the game is present', () => isPresent(server, game));
    expect(await isPresent(server, otherLauncher)).toBe(false);
  });

  test('is no longer present once the launcher session has ended', async () => {
    const { launcherJwt } = await server.openSession(launcherGameId);
    using _launcher = await connectLauncher(server.url, { launcherJwt });
    const game = await opened(launcherJwt);
    expect(await isPresent(server, game)).toBe(true);
    await post(`${server.url}/launcher/end-channel-session`, { launcherJwt });
    await until('nobody is present any more', async () => !(await isPresent(server, game)));
  });
});

test('across two nodes a session is present on both while its launcher is on one of them', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using one = await startClusterNode(variables);
  await using other = await startClusterNode(variables);
  const { launcherJwt } = await data.openSession(await data.createGame({ kind: 'launcher' }));
  const gameId = await data.createGame();
  const answer = await post(`${one.url}/launcher/open-channel-session`, { launcherJwt, gameId });
  const game: string = Object(answer.body).launcherJwt;
  const on = () => Promise.all([one, other].map((node) => isPresent(node, game)));
  expect(await on()).toEqual([false, false]);
  const launcher = await connectLauncher(other.url, { launcherJwt });
  await until('it is present on both', async () => !(await on()).includes(false));
  launcher.socket.disconnect();
  await until('it is absent on both', async () => !(await on()).includes(true));
});
