import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GantryClient } from '../../src/sdk/client/client.ts';
import { holdShortLedger } from '../live/short-ledger.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { get, post } from '../support/http.ts';
import { postFrom } from '../support/http-from.ts';
import { connectLauncher } from '../support/launcher.ts';
import { nginxMissing, startNginx } from '../support/nginx.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';
import { openSharedData } from '../support/shared-data.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

// Several processes for each test.
const missing = nginxMissing ?? redisMissing;
if (missing !== null) process.stderr.write(`The tests behind nginx are skipped: ${missing}\n`);

describe.skipIf(missing !== null)('behind nginx, as shipped', () => {
  test('no launcher misses, repeats or reorders an event while nodes and Redis are killed', async ({
    annotate,
  }) => {
    await holdShortLedger(annotate, { front: startNginx });
  });

  describe('two nodes', () => {
    let cluster: Awaited<ReturnType<typeof startCluster>>;
    beforeAll(async () => {
      cluster = await startCluster();
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());

    test.each([
      { transports: ['polling'], what: 'long polling' },
      { transports: ['polling', 'websocket'], what: 'long polling that becomes a WebSocket' },
    ])(
      'launchers on $what stay on their node, and receive events of calls on the other',
      async ({ transports }) => {
        const { data, one, other } = cluster;
        await using nginx = await startNginx([one.port, other.port]);
        const gameId = await data.createGame();
        const players = await Promise.all(Array.from({ length: 6 }, () => data.openSession(gameId)));
        const received = new Map<string, unknown[]>();
        const sockets = players.map(({ launcherJwt, wallet }) => {
          const socket = io(nginx.url, {
            auth: { launcherJwt },
            transports,
            forceNew: true,
            reconnection: false,
          });
          received.set(wallet, []);
          socket.on('notifications created', ({ message }: { message: unknown }) =>
            received.get(wallet)?.push(message),
          );
          return socket;
        });
        try {
          const last = transports.at(-1);
          await until('everyone connected', () =>
            sockets.every(({ connected, io: { engine } }) => connected && engine.transport.name === last),
          );
          for (let number = 0; number < 10; number++) {
            for (const { launcherJwt } of players) {
              const sent = { launcherJwt, message: `${number}`, type: 'success' };
              expect((await post(`${nginx.url}/launcher/send-notification`, sent)).status).toBe(200);
            }
          }
          const all = Array.from({ length: 10 }, (_, number) => `${number}`);
          await until('everyone received it', () =>
            players.every(({ wallet }) => received.get(wallet)?.length === all.length),
          );
          for (const { wallet } of players) expect(received.get(wallet)).toEqual(all);
          expect(sockets.every(({ connected }) => connected)).toBe(true);
          expect(await nginx.complaints()).toBe('');
        } finally {
          for (const socket of sockets) socket.disconnect();
        }
      },
    );

    test('by player, calls and sockets of a player reach one node, and a lying player changes nothing', async () => {
      const { data, one, other } = cluster;
      await using nginx = await startNginx([one.port, other.port], undefined, { byPlayer: true });
      const gameId = await data.createGame();
      const players = await Promise.all(Array.from({ length: 16 }, () => data.openSession(gameId)));
      await Promise.all(
        players.map(async (player, score) => {
          const { launcherJwt, wallet, userId } = player;
          const named = { wallet, userId, username: '', isNamed: false, avatar: '', isGuest: false };
          const client = new GantryClient({
            url: nginx.url,
            launcherJwt,
            player: named,
            callOver: 'http',
            routeByPlayer: true,
          });
          await client.ready();
          await client.api.setUserScore({ score });
          for (let call = 0; call < 3; call++) await client.api.getUserScore();
          client.close();
        }),
      );
      const nodesOf = async ({ wallet }: TestPlayer) =>
        (await nginx.routes()).filter(({ player }) => player === wallet).map(({ port }) => port);
      await until('every socket ended', async () => {
        const sockets = (await nginx.routes()).filter(({ path }) => path === '/socket.io/');
        return sockets.length === players.length;
      });
      const nodes = await Promise.all(players.map(nodesOf));
      expect(nodes.map((ports) => [ports.length, new Set(ports).size])).toEqual(players.map(() => [5, 1]));
      expect(new Set(nodes.flat())).toEqual(new Set([one.port, other.port]));

      const [ada, first] = [players[0], nodes[0]?.[0]];
      const bob = players.find((_, at) => nodes[at]?.[0] !== first);
      if (!ada || !bob) throw new Error('they are on both nodes');
      const own = { score: { score: 0, normalizedAddress: ada.wallet } };
      for (const lie of [bob.wallet, 'nobody', ''.padEnd(200, "'")]) {
        const named = { 'X-Gantry-Player': lie };
        const url = `${nginx.url}/launcher/get-user-score`;
        expect((await post(url, { launcherJwt: ada.launcherJwt }, named)).body).toMatchObject(own);
        expect((await post(url, {}, named)).status).toBe(401);
      }
      expect((await nodesOf(bob)).length).toBe(7);
      const socket = io(nginx.url, {
        auth: { launcherJwt: ada.launcherJwt },
        query: { player: bob.wallet },
        transports: ['websocket'],
        forceNew: true,
      });
      const { sessionId } = await new Promise<{ sessionId: string }>((resolve) =>
        socket.once('realtime-events connected', resolve),
      );
      expect(sessionId).toBe(ada.sessionId);
      socket.disconnect();
      expect(await nginx.complaints()).toBe('');
    });

    // The last: its nodes end.
    test('calls continue while one node is down, and then the other, as soon as the first is back', async () => {
      const { data, one, other } = cluster;
      await using nginx = await startNginx([one.port, other.port]);
      const gameId = await data.createGame();
      const { launcherJwt } = await data.openSession(gameId);
      const call = (score: number) => post(`${nginx.url}/launcher/set-user-score`, { launcherJwt, score });
      await one.kill();
      for (let score = 1; score <= 40; score++) expect((await call(score)).status).toBe(200);
      await one.start();
      await other.kill();
      for (let score = 41; score <= 80; score++) expect((await call(score)).status).toBe(200);
      const { body } = await post(`${nginx.url}/launcher/get-user-scores`, { launcherJwt, limit: 250 });
      expect(body).toMatchObject({ scores: { length: 80 } });

      // nginx's own responses are not Gantry's.
      await one.kill();
      const client = new GantryClient({ url: nginx.url, launcherJwt, callOver: 'http' });
      await expect(client.call('getUserScore')).rejects.toMatchObject({ reason: 'connection_lost' });
      client.close();
    });
  });

  test('a caller is identified by its connection to nginx, whatever X-Forwarded-For it sends', async () => {
    await using server = await startTestServer({ TRUST_PROXY: 'loopback', RATE_LIMIT_FACTOR: '0.1' });
    await using nginx = await startNginx([Number(new URL(server.url).port)]);
    const { gameId } = await server.createGame();
    let invented = 0;
    const attempt = async (from: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `10.0.0.${++invented}` };
      const input = { gameId, wallet: `0x${'ab'.repeat(20)}` };
      return (await postFrom(from, `${nginx.url}/launcher/create-unverified-channel`, input, headers)).status;
    };
    await until(
      'a caller meets the limit',
      async () => invented > 100 || (await attempt('127.0.0.5')) === 429,
    );
    expect(invented).toBeLessThan(100);
    expect(await attempt('127.0.0.5')).toBe(429);
    expect(await attempt('127.0.0.6')).toBe(200);
  });

  test('bodies of up to 2 MB pass, and larger ones are refused by Gantry', async () => {
    await using server = await startTestServer();
    await using nginx = await startNginx([Number(new URL(server.url).port)]);
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const state = JSON.stringify('"'.repeat(262_000)); // quotes, escaped twice: two bytes of state, four of body
    const sent = { launcherJwt, sessionId: crypto.randomUUID(), state: JSON.stringify({ state }) };
    expect(JSON.stringify(sent).length).toBeGreaterThan(1_800_000);
    expect(await post(`${nginx.url}/launcher/track-game-sessions`, sent)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    const tooLarge = { ...sent, state: 'x'.repeat(2_200_000) };
    expect(await post(`${nginx.url}/launcher/track-game-sessions`, tooLarge)).toMatchObject({
      status: 413,
      body: { success: false, code: 413 },
    });
  });

  test('TLS terminates at nginx, for calls and sockets, and http is redirected to it', async () => {
    await using server = await startTestServer({ TRUST_PROXY: 'loopback' });
    await using folder = await temporaryDirectory();
    const [key, certificate] = [join(folder.path, 'key.pem'), join(folder.path, 'certificate.pem')];
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      ...subject,
    ];
    await promisify(execFile)('openssl', [...made, '-keyout', key, '-out', certificate]);
    await using nginx = await startNginx([Number(new URL(server.url).port)], { certificate, key });
    expect(nginx.url).toMatch(/^https:/);

    const redirect = await fetch(`${nginx.plainUrl}/launcher/get-games?limit=1`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      308,
      'https://127.0.0.1/launcher/get-games?limit=1',
    ]);
    const { stdout } = await promisify(execFile)('curl', [
      '-s',
      '--cacert',
      certificate,
      `${nginx.url}/readyz`,
    ]);
    expect(JSON.parse(stdout)).toEqual({ status: 'ready', database: 'ready', redis: 'none' });
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const socket = io(nginx.url, {
      auth: { launcherJwt },
      transports: ['websocket'],
      ca: await readFile(certificate, 'utf8'),
    });
    await until('connected over wss', () => socket.connected);
    socket.disconnect();
    expect(await nginx.complaints()).toBe('');
  });

  test('the pages and their files pass, compressed', async () => {
    await using server = await startTestServer();
    await using nginx = await startNginx([Number(new URL(server.url).port)]);
    const { status, headers } = await get(`${nginx.url}/play`, { 'Accept-Encoding': 'gzip' });
    expect({ status, policy: headers.get('content-security-policy') }).toEqual({
      status: 200,
      policy: expect.stringContaining("default-src 'none'"),
    });
    const script = await get(`${nginx.url}/play/play.css`, { 'Accept-Encoding': 'gzip' });
    expect({ status: script.status, encoding: script.headers.get('content-encoding') }).toEqual({
      status: 200,
      encoding: 'gzip',
    });
    using launcher = await connectLauncher(nginx.url, {});
    expect(launcher.socket.connected).toBe(true);
  });
});

/** Two nodes on one data directory with one Redis. */
async function startCluster() {
  const stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const data = stack.use(await openSharedData());
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  const one = stack.use(await startClusterNode(variables));
  const other = stack.use(await startClusterNode(variables));
  return { data, one, other, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
