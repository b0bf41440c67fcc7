import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { md5Signature } from '../../src/calls/auth/request-signature.ts';
import { md5Hex } from '../../src/features/games/game-secret.ts';
import { endSession } from '../../src/features/sessions/commands.ts';
import { apiOf } from '../support/api.ts';
import type { Answer } from '../support/http.ts';
import { postFrom } from '../support/http-from.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const adminToken = 'the-admin-token-of-this-suite';
const limited = { RATE_LIMIT_FACTOR: '0.1', ADMIN_TOKEN: adminToken };
/** 300 in a minute, times the factor. */
const allowed = 30;
const tries = 50;

const times = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The refusals with the reason, and those for exceeding a limit, which must say when to retry. */
function countsOf(answers: readonly Answer[], reason: Parameters<typeof refused>[2]) {
  const counts = { refused: 0, limited: 0 };
  for (const answer of answers) {
    expect(answer.headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=60$/);
    if (answer.status === 429) {
      refused(answer, 429, 'rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      counts.limited++;
    } else {
      refused(answer, 401, reason);
      counts.refused++;
    }
  }
  return counts;
}

describe('invalid credentials are limited per address', () => {
  let server: TestServer;
  let gameId: string;
  let gameSecret: string;
  let player: TestPlayer;
  beforeAll(async () => {
    server = await startTestServer(limited);
    ({ gameId, gameSecret } = await server.createGame());
    player = await server.openSession(gameId);
  });
  afterAll(() => server.close());

  /** A call from a separate address, so that the cases do not interfere. */
  const from = (address: string, path: string, body: object, headers: Record<string, string> = {}) =>
    postFrom(address, `${server.url}${path}`, body, headers);
  const forged = (index: number) => {
    const [head, body, signature = ''] = player.launcherJwt.split('.');
    return `${head}.${body}.${signature.slice(0, 20)}${String(index).padStart(4, 'x')}${signature.slice(24)}`;
  };

  const cases: {
    what: string;
    reason: Parameters<typeof refused>[2];
    call: (address: string, index: number) => Promise<Answer>;
    right: (address: string) => Promise<Answer>;
  }[] = [
    {
      what: 'tokens',
      reason: 'token_invalid',
      call: (address, index) => from(address, '/launcher/channel-status', { launcherJwt: forged(index) }),
      right: (address) => from(address, '/launcher/channel-status', { launcherJwt: player.launcherJwt }),
    },
    {
      what: 'game secrets',
      reason: 'secret_invalid',
      call: (address, index) =>
        from(
          address,
          '/launcher/set-user-score',
          { launcherJwt: player.launcherJwt, score: 1 },
          {
            Authorization: `Bearer gsk_${index}`,
          },
        ),
      right: (address) =>
        from(
          address,
          '/launcher/get-user-score',
          { launcherJwt: player.launcherJwt },
          {
            Authorization: `Bearer ${gameSecret}`,
          },
        ),
    },
    {
      what: 'signatures',
      reason: 'signature_invalid',
      call: (address, index) =>
        from(
          address,
          '/launcher/get-user-score',
          { launcherJwt: player.launcherJwt },
          {
            'X-Request-Nonce': `guess ${index}`,
            'X-Request-Signature': md5Hex(`guess ${index}`),
          },
        ),
      right: (address) =>
        from(
          address,
          '/launcher/get-user-score',
          { launcherJwt: player.launcherJwt },
          {
            'X-Request-Nonce': 'right',
            'X-Request-Signature': md5Signature('right', md5Hex(gameSecret)),
          },
        ),
    },
  ];

  it.each(
    cases.map((one, index) => ({ ...one, address: `127.0.1.${index + 1}`, other: `127.0.2.${index + 1}` })),
  )(
    '$what: refused as wrong up to the limit, then as too many; right ones pass throughout, and other addresses are unaffected',
    async ({ reason, call, right, address, other }) => {
      const answers = await Promise.all(times(tries, (index) => call(address, index)));
      expect(countsOf(answers, reason)).toEqual({ refused: allowed, limited: tries - allowed });
      accepted(await right(address), z.unknown());
      refused(await call(other, 0), 401, reason);
    },
  );

  it('admin tokens: beyond the limit the right one is not checked either, from that address', async () => {
    const list = (address: string, token: string) =>
      from(address, '/admin/list-games', {}, { Authorization: `Bearer ${token}` });
    accepted(await list('127.0.3.1', adminToken), z.unknown());
    const answers = [];
    for (let index = 0; index < 10; index++) answers.push(await list('127.0.3.1', `guess-${index}`));
    expect(countsOf(answers, 'admin_token_invalid')).toEqual({ refused: 2, limited: 8 }); // 20, times the factor
    refused(await list('127.0.3.1', adminToken), 429, 'rate_limited');
    accepted(await list('127.0.3.2', adminToken), z.unknown());
    accepted(
      await from('127.0.3.1', '/launcher/channel-status', { launcherJwt: player.launcherJwt }),
      z.unknown(),
    );
  });

  it("calls without an admin token are no guesses: a page in an administrator's browser does not lock them out", async () => {
    const address = '127.0.3.3';
    const simple = { Origin: 'https://evil.example', 'Content-Type': 'text/plain' };
    const basic = { Authorization: 'Basic ZXZpbDpldmls' };
    const answers = await Promise.all(
      times(10, (index) => from(address, '/admin/list-games', {}, index % 2 ? simple : basic)),
    );
    for (const answer of answers) refused(answer, 401, 'admin_token_invalid');
    const right = { Authorization: `Bearer ${adminToken}` };
    accepted(await from(address, '/admin/list-games', {}, right), z.unknown());
  });

  it('over sockets as over HTTP: in handshakes and in calls, however many sockets there are', async () => {
    const shake = (launcherJwt: string) =>
      new Promise<unknown>((resolve) => {
        const socket = io(server.url, {
          auth: { launcherJwt },
          transports: ['websocket'],
          forceNew: true,
          reconnection: false,
        });
        const done = (outcome: unknown) => {
          socket.disconnect();
          resolve(outcome);
        };
        socket.once('connect', () => done('connected'));
        socket.once('connect_error', (error) => done(Reflect.get(error, 'data')?.data.reason));
      });
    const outcomes = await Promise.all(times(20, (index) => shake(forged(index))));
    expect(outcomes).toEqual(times(20, () => 'token_invalid'));
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const calls = await Promise.allSettled(
      times(20, (index) => launcher.call('channelStatus', { launcherJwt: forged(index) })),
    );
    const reasons = calls.map((one) => one.status === 'rejected' && one.reason.data.reason);
    expect(reasons.filter((reason) => reason === 'token_invalid')).toHaveLength(allowed - 20);
    expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(20 - (allowed - 20));
    expect(await shake(forged(99))).toBe('rate_limited');
    expect(await shake(player.launcherJwt)).toBe('connected');
    expect(await launcher.call('channelStatus')).toMatchObject({ exists: true });
  });
});

it('calls without credentials, and with those of an ended session, are calls from an address too', async () => {
  await using server = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: '0.01' });
  const { launcherJwt, wallet, sessionId } = await server.openSession((await server.createGame()).gameId);
  await server.services.db.write(endSession, wallet, sessionId);
  const set = (body: object) => apiOf(server).post('/launcher/set-user-score', { score: 1, ...body });
  const answers = await Promise.all(times(60, (index) => set(index % 2 ? {} : { launcherJwt })));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(40); // 4,000 in two seconds, times the factor
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

it('a token that reconnects repeatedly is told to wait, and others are not', async () => {
  await using server = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: '0.1' });
  const { gameId } = await server.createGame();
  const [hasty, calm] = [await server.openSession(gameId), await server.openSession(gameId)];
  const outcomes = [];
  for (let index = 0; index < 8; index++) {
    outcomes.push(
      await connectLauncher(server.url, { launcherJwt: hasty.launcherJwt }).then(
        (launcher) => launcher.socket.disconnect() && 'connected',
        (error) => error.data.data.reason,
      ),
    );
  }
  expect(outcomes).toEqual([...times(6, () => 'connected'), ...times(2, () => 'rate_limited')]); // 60, times the factor
  using launcher = await connectLauncher(server.url, { launcherJwt: calm.launcherJwt });
  expect(launcher.socket.connected).toBe(true);
});

it('two nodes on one Redis count refusals together', async ({ skip }) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using directory = await temporaryDirectory();
  const settings = { ...limited, DATA_DIR: directory.path, REDIS_URL: redis.url };
  await using one = await startTestServer(settings);
  await using other = await startTestServer(settings);
  for (const server of [one, other]) {
    await until(
      'Redis reached',
      async () => Object((await apiOf(server).get('/readyz')).body).status === 'ready',
    );
  }
  const call = (server: TestServer, path: string, headers: Record<string, string> = {}) =>
    apiOf(server).post(path, { launcherJwt: 'none' }, headers);
  const answers = await Promise.all(
    times(tries, (index) => call(index % 2 ? one : other, '/launcher/channel-status')),
  );
  expect(countsOf(answers, 'token_invalid')).toEqual({ refused: allowed, limited: tries - allowed });
  const guess = { Authorization: 'Bearer guess' };
  for (const server of [one, other])
    refused(await call(server, '/admin/list-games', guess), 401, 'admin_token_invalid');
  const right = { Authorization: `Bearer ${adminToken}` };
  for (const server of [one, other])
    refused(await call(server, '/admin/list-games', right), 429, 'rate_limited');
});
