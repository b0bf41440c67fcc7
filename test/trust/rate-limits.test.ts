import { Agent } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callLimits } from '../../src/calls/limits/rate-limits.ts';
import type { PolicyChanges } from '../../src/features/games/game.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { issueToken } from '../../src/features/sessions/new-session.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { apiOf } from '../support/api.ts';
import { connectWithHeaders, type TestCaller } from '../support/caller.ts';
import type { Answer } from '../support/http.ts';
import { postFrom } from '../support/http-from.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { send } from './attacking.ts';

const limited = { RATE_LIMIT_FACTOR: '1', ADMIN_TOKEN: 'the-admin-token-of-this-suite' };
/** With so low a limit of sign-ins that few calls exceed it. */
const scarce = { ...limited, RATE_LIMIT_FACTOR: '0.1' };
const signIns = 12;
/** A window longer than any test, so that none restarts in the middle of one. */
const seconds = 600;
const policies = (points: number): PolicyChanges => ({
  limits: { read: { points, seconds }, write: { points, seconds } },
});

const anything = z.unknown();

/** How many responses are a 200; the others must be a 429 that says when to retry. */
function acceptedAmong(answers: readonly Answer[], within = seconds): number {
  const good = answers.filter((answer) => answer.status === 200);
  for (const answer of answers) {
    if (good.includes(answer)) continue;
    refused(answer, 429, 'rate_limited');
    const retryAfter = Number(answer.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(within);
  }
  return good.length;
}

/** As over HTTP; errors that the server acked count as responses. */
async function acceptedOnSocket(calls: readonly Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(calls);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).toMatchObject({
      success: false,
      name: 'TooManyRequests',
      code: 429,
      data: { reason: 'rate_limited' },
      message: expect.stringMatching(/try again in \d+ s$/),
    });
  }
  return outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
}

const times = <Result>(count: number, make: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => make(index));

const forwardedFor = (index: number) => ({ 'X-Forwarded-For': `203.0.113.${index}` });

/** One score each, without a nonce, so that accepted calls can be counted. */
const setScore = (server: TestServer, launcherJwt: string, headers: Record<string, string> = {}) =>
  apiOf(server).post('/launcher/set-user-score', { launcherJwt, score: 1 }, headers);
const readLeaderboard = (server: TestServer, gameId: string, headers: Record<string, string> = {}) =>
  apiOf(server).post('/launcher/get-game-scores-leaderboard', { gameId }, headers);
const beginSignIn = (server: TestServer, gameId: string, headers: Record<string, string> = {}) =>
  apiOf(server).post('/launcher/create-unverified-channel', { gameId, wallet: randomWallet() }, headers);

async function scoresKept(server: TestServer, owner: { gameId: string; wallet: string }): Promise<number> {
  return (await server.services.db.read(listScores, owner, { limit: 250, skip: 0 })).length;
}

describe('of a hundred concurrent calls, as many as the limit allows are executed', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(limited);
  });
  afterAll(() => server.close());

  it('over HTTP, from one token; another token is not affected', async () => {
    const { gameId } = await server.createGame({ policies: policies(7) });
    const [player, other] = [await server.openSession(gameId), await server.openSession(gameId)];
    const answers = await Promise.all(times(100, () => setScore(server, player.launcherJwt)));
    expect(acceptedAmong(answers)).toBe(7);
    expect(await scoresKept(server, player)).toBe(7);
    accepted(await setScore(server, other.launcherJwt), anything);
  });

  it.each([
    ['add-friend', 'friend requests an hour', 3_600],
    ['search-players', 'searches a minute', 60],
  ])('to %s: 30 %s of a player, in all games together', async (path, _what, within) => {
    const games = [await server.createGame(), await server.createGame({ kind: 'launcher' })];
    const wallet = randomWallet();
    const sessions = await Promise.all(games.map(({ gameId }) => server.openSession(gameId, wallet)));
    const { wallet: other } = await server.openSession(games[0]?.gameId ?? '');
    const input = path === 'add-friend' ? { wallet: other } : { query: 'nobody' };
    const send = (index: number) => {
      const { launcherJwt } = sessions[index % 2] ?? {};
      return apiOf(server).post(`/launcher/${path}`, { ...input, launcherJwt });
    };
    expect(acceptedAmong(await Promise.all(times(40, send)), within)).toBe(30);
  });

  it('over HTTP, from one token with varying spoofed addresses', async () => {
    const { gameId } = await server.createGame({ policies: policies(7) });
    const { launcherJwt } = await server.openSession(gameId);
    const answers = await Promise.all(
      times(100, (index) => setScore(server, launcherJwt, forwardedFor(index))),
    );
    expect(acceptedAmong(answers)).toBe(7);
  });

  it('over HTTP without a token, from one address behind varying spoofed ones', async () => {
    const { gameId } = await server.createGame({ policies: policies(7) });
    const answers = await Promise.all(
      times(100, (index) => readLeaderboard(server, gameId, forwardedFor(index))),
    );
    expect(acceptedAmong(answers)).toBe(7);
  });

  it('over a socket, and its use counts over HTTP too', async () => {
    const { gameId } = await server.createGame({ policies: policies(7) });
    const player = await server.openSession(gameId);
    using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
    const calls = times(100, () => launcher.call('setUserScore', { score: 1 }));
    expect(await acceptedOnSocket(calls)).toBe(7);
    expect(await scoresKept(server, player)).toBe(7);
    refused(await setScore(server, player.launcherJwt), 429, 'rate_limited');
    expect(launcher.socket.connected).toBe(true);
  });

  it('over ten sockets of one token', async () => {
    const { gameId } = await server.createGame({ policies: policies(7) });
    const { launcherJwt } = await server.openSession(gameId);
    const launchers = await Promise.all(times(10, () => connectLauncher(server.url, { launcherJwt })));
    const calls = launchers.flatMap((launcher) => times(10, () => launcher.call('getUserScore')));
    expect(await acceptedOnSocket(calls)).toBe(7);
    for (const launcher of launchers) launcher[Symbol.dispose]();
  });

  it('with separate limits for reads and writes', async () => {
    const { gameId } = await server.createGame({
      policies: { limits: { read: { points: 3, seconds }, write: { points: 5, seconds } } },
    });
    const { launcherJwt } = await server.openSession(gameId);
    const read = () => apiOf(server).post('/launcher/get-user-score', { launcherJwt });
    expect(acceptedAmong(await Promise.all(times(20, read)))).toBe(3);
    expect(acceptedAmong(await Promise.all(times(20, () => setScore(server, launcherJwt))))).toBe(5);
  });

  it('per game, for callers without a token', async () => {
    const [one, other] = [
      await server.createGame({ policies: policies(4) }),
      await server.createGame({ policies: policies(4) }),
    ];
    for (const { gameId } of [one, other]) {
      expect(acceptedAmong(await Promise.all(times(10, () => readLeaderboard(server, gameId))))).toBe(4);
    }
  });
});

describe('a response states the rate limit', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(limited);
  });
  afterAll(() => server.close());

  const standing = ({ headers }: Answer) => ({
    policy: headers.get('ratelimit-policy'),
    left: headers.get('ratelimit')?.replace(/t=\d+$/, 't=…'),
  });

  it('in the headers RateLimit and RateLimit-Policy, also when it is a refusal', async () => {
    const { gameId } = await server.createGame({ policies: policies(2) });
    const { launcherJwt } = await server.openSession(gameId);
    const answers = [];
    for (let call = 0; call < 3; call++) answers.push(await setScore(server, launcherJwt));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
    const policy = '"default";q=2;w=600';
    expect(answers.map(standing)).toEqual([
      { policy, left: '"default";r=1;t=…' },
      { policy, left: '"default";r=0;t=…' },
      { policy, left: '"default";r=0;t=…' },
    ]);
  });

  it('and so with the defaults: bursts of twice 100 reads and 50 writes per second', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const read = await apiOf(server).post('/launcher/get-user-score', { launcherJwt });
    expect(read.headers.get('ratelimit-policy')).toBe('"default";q=200;w=2');
    const write = await setScore(server, launcherJwt);
    expect(write.headers.get('ratelimit-policy')).toBe('"default";q=100;w=2');
  });
});

describe('signing in', () => {
  it('is started as often as the limit says from an address, whatever it claims, and independently from another', async () => {
    await using server = await startTestServer(scarce);
    const { gameId } = await server.createGame({ policies: policies(1000) });
    const answers = await Promise.all(times(30, (index) => beginSignIn(server, gameId, forwardedFor(index))));
    expect(acceptedAmong(answers, 60)).toBe(signIns);
    const url = `${server.url}/launcher/create-unverified-channel`;
    accepted(await postFrom('127.0.0.2', url, { gameId, wallet: randomWallet() }), anything);
  });

  it('is attempted as often as the limit says from an address', async () => {
    await using server = await startTestServer(scarce);
    const verify = () =>
      apiOf(server).post('/launcher/verify-unverified-channel', { channelId: 'guess', signature: '0xab' });
    const answers = await Promise.all(times(30, verify));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...times(signIns, () => 400), ...times(30 - signIns, () => 429)]);
  });

  it('is limited over sockets as over HTTP, however many there are', async () => {
    await using server = await startTestServer(scarce);
    const { gameId } = await server.createGame();
    const launchers = await Promise.all(
      times(6, (index) => connectWithHeaders(server.url, forwardedFor(index))),
    );
    const begin = (launcher: TestCaller) =>
      launcher.call('createUnverifiedChannel', { gameId, wallet: randomWallet() });
    const calls = launchers.flatMap((launcher) => times(5, () => begin(launcher)));
    expect(await acceptedOnSocket(calls)).toBe(signIns);
    refused(await beginSignIn(server, gameId), 429, 'rate_limited');
    for (const launcher of launchers) launcher[Symbol.dispose]();
  });
});

describe('guests', () => {
  const created = z.looseObject({ deviceSecret: z.string() });
  const wrong = (index: number) => `gd_${'x'.repeat(40)}${String(index).padStart(3, '0')}`;

  it('of one address, thirty of them, load a game three times in ten seconds, and are let in', async () => {
    await using server = await startTestServer(limited);
    const { gameId } = await server.createGame();
    const post = (path: string, body: object) => apiOf(server).post(`/launcher/${path}`, { gameId, ...body });
    const guests = await Promise.all(times(30, () => post('create-guest', {})));
    for (let load = 0; load < 3; load++) {
      const answers = guests.map((guest) =>
        post('sign-in-guest', { deviceSecret: accepted(guest, created).deviceSecret }),
      );
      for (const answer of await Promise.all(answers)) accepted(answer, anything);
    }
  });

  it('sign in whatever was guessed before, at their address; too many wrong secrets are refused as such', async () => {
    await using server = await startTestServer(scarce);
    const { gameId } = await server.createGame();
    const signIn = (deviceSecret: string) =>
      apiOf(server).post('/launcher/sign-in-guest', { gameId, deviceSecret });
    const guest = accepted(await apiOf(server).post('/launcher/create-guest', { gameId }), created);
    const answers = await Promise.all(times(90, (index) => signIn(wrong(index))));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...times(30, () => 401), ...times(60, () => 429)]); // 300, times the factor
    for (const answer of answers) if (answer.status === 401) refused(answer, 401, 'device_unknown');
    accepted(await signIn(guest.deviceSecret), anything);
    expect(await rowsIn(server.services.db, 'SELECT count(*) AS n FROM channel_sessions', {})).toEqual([
      { n: 2 },
    ]);
  });

  it('sign in with one device at most thirty times a minute, and another is not affected', async () => {
    await using server = await startTestServer(scarce);
    const { gameId } = await server.createGame();
    const [one, other] = await Promise.all(
      times(2, async () => accepted(await apiOf(server).post('/launcher/create-guest', { gameId }), created)),
    );
    const signIn = (deviceSecret = '') =>
      apiOf(server).post('/launcher/sign-in-guest', { gameId, deviceSecret });
    expect(acceptedAmong(await Promise.all(times(9, () => signIn(one?.deviceSecret))), 60)).toBe(3);
    accepted(await signIn(other?.deviceSecret), anything);
  });

  it('are new at most 120 times an hour from an address, and not more than the game may have', async () => {
    await using server = await startTestServer({
      ...limited,
      RATE_LIMIT_FACTOR: '0.0005',
      TRUST_PROXY: 'loopback',
    });
    const [{ gameId }, calm] = [await server.createGame(), await server.createGame()];
    const create = (of: string, index: number) =>
      apiOf(server).post('/launcher/create-guest', { gameId: of }, forwardedFor(index));
    expect(acceptedAmong(await Promise.all(times(3, () => create(gameId, 0))), 3600)).toBe(1);
    const answers = await Promise.all(times(40, (index) => create(gameId, index + 1)));
    expect(acceptedAmong(answers, 3600)).toBe(29); // 60,000 times the factor, with the first
    accepted(await create(calm.gameId, 41), anything);
  });
});

describe('RATE_LIMIT_FACTOR multiplies every limit', () => {
  it.each([
    ['3', 40, 12],
    ['0.25', 30, 1],
    ['0.001', 1, 1],
  ])('by %s', async (factor, signIns, writes) => {
    await using server = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: factor });
    const { gameId } = await server.createGame({ policies: policies(4) });
    const { launcherJwt } = await server.openSession(gameId);
    expect(acceptedAmong(await Promise.all(times(40, () => setScore(server, launcherJwt))))).toBe(writes);
    expect(acceptedAmong(await Promise.all(times(40, () => beginSignIn(server, gameId))), 60)).toBe(signIns);
  });
});

describe('behind a proxy', () => {
  /** What a proxy appends to the client's own header. */
  const through = (address: string, claimed?: string) => ({
    'X-Forwarded-For': claimed === undefined ? address : `${claimed}, ${address}`,
  });

  it('that is trusted, the forwarded address is limited, and not the one the client claims', async () => {
    await using server = await startTestServer({ ...scarce, TRUST_PROXY: 'loopback' });
    const { gameId } = await server.createGame();
    const answers = await Promise.all(
      times(30, (index) => beginSignIn(server, gameId, through('203.0.113.9', `198.51.100.${index}`))),
    );
    expect(acceptedAmong(answers, 60)).toBe(signIns);
    accepted(await beginSignIn(server, gameId, through('203.0.113.10')), anything);
    accepted(await beginSignIn(server, gameId, through('203.0.113.10', '203.0.113.9')), anything);
    accepted(await beginSignIn(server, gameId), anything);
  });

  it('that is trusted, sockets are limited by the forwarded address', async () => {
    await using server = await startTestServer({ ...scarce, TRUST_PROXY: 'loopback' });
    const { gameId } = await server.createGame();
    using one = await connectWithHeaders(server.url, through('203.0.113.9', '198.51.100.1'));
    using same = await connectWithHeaders(server.url, through('203.0.113.9'));
    using other = await connectWithHeaders(server.url, through('203.0.113.10'));
    const begin = (launcher: TestCaller) =>
      launcher.call('createUnverifiedChannel', { gameId, wallet: randomWallet() });
    expect(await acceptedOnSocket(times(20, (index) => begin(index % 2 ? one : same)))).toBe(signIns);
    expect(await acceptedOnSocket([begin(other)])).toBe(1);
  });

  it('all addresses of an IPv6 /64 share a limit, and the next /64 has another', async () => {
    await using server = await startTestServer({ ...scarce, TRUST_PROXY: 'loopback' });
    const { gameId } = await server.createGame();
    const answers = await Promise.all(
      times(30, (index) =>
        beginSignIn(server, gameId, through(`2001:db8:1:2:${index}:${(index * 2017).toString(16)}::1`)),
      ),
    );
    expect(acceptedAmong(answers, 60)).toBe(signIns);
    refused(await beginSignIn(server, gameId, through('2001:DB8:1:2::5')), 429, 'rate_limited');
    accepted(await beginSignIn(server, gameId, through('2001:db8:1:3::1')), anything);
    accepted(await beginSignIn(server, gameId, through('2001:db8:1::1')), anything);
  });

  it('an IPv4 address has one limit in every notation', async () => {
    await using server = await startTestServer({ ...scarce, TRUST_PROXY: 'loopback' });
    const { gameId } = await server.createGame();
    const forms = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:0201', '192.0.2.1:4711'];
    const answers = await Promise.all(
      times(30, (index) => beginSignIn(server, gameId, through(forms[index % forms.length] ?? ''))),
    );
    expect(acceptedAmong(answers, 60)).toBe(signIns);
    accepted(await beginSignIn(server, gameId, through('::ffff:192.0.2.2')), anything);
  });
});

describe('many tokens together', () => {
  it('from one address reach a limit of the address', async () => {
    await using server = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: '0.01' });
    const { gameId } = await server.createGame({ policies: policies(1000) });
    const players = await Promise.all(times(60, () => server.openSession(gameId)));
    const answers = await Promise.all(players.map((player) => setScore(server, player.launcherJwt)));
    expect(acceptedAmong(answers)).toBe(40); // 4,000 in two seconds, times the factor
    const [player] = players;
    const url = `${server.url}/launcher/set-user-score`;
    accepted(await postFrom('127.0.0.2', url, { launcherJwt: player?.launcherJwt, score: 2 }), anything);
  });

  it('from everywhere reach a limit of the game, and another game is unaffected', async () => {
    await using server = await startTestServer({
      ...limited,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_FACTOR: '0.001',
    });
    const [{ gameId }, calm] = [await server.createGame(), await server.createGame()];
    const players = await Promise.all(times(40, () => server.openSession(gameId)));
    const answers = await Promise.all(
      players.map(({ launcherJwt }, index) => setScore(server, launcherJwt, forwardedFor(index))),
    );
    expect(acceptedAmong(answers)).toBe(20); // 20,000 in two seconds, times the factor
    const elsewhere = await server.openSession(calm.gameId);
    accepted(await setScore(server, elsewhere.launcherJwt, forwardedFor(200)), anything);
  });
});

describe("a session that a game's server opens", () => {
  /** A player's own session, and one that the server of another game has opened. */
  async function openBoth(server: TestServer): Promise<{ own: string; foreign: string }> {
    const [{ gameId }, other] = [await server.createGame(), await server.createGame()];
    const { wallet, launcherJwt } = await server.openSession(gameId);
    const owner = { gameId: other.gameId, wallet };
    const details = await server.services.db.write(startSession, owner, 9e7, 'game-server');
    return { own: launcherJwt, foreign: await issueToken(details, server.services) };
  }
  const connect = ({ url }: TestServer, launcherJwt: string) => connectLauncher(url, { launcherJwt });

  it('uses up none of the calls and connections that its player has in other games', async () => {
    await using server = await startTestServer(limited);
    const { own, foreign } = await openBoth(server);
    const answers = await Promise.all(times(150, () => setScore(server, foreign)));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    accepted(await setScore(server, own), anything);
    const opened = await Promise.allSettled(
      times(callLimits.handshakes.points + 1, () => connect(server, foreign)),
    );
    expect(opened.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    using launcher = await connect(server, own);
    expect(launcher.socket.connected).toBe(true);
    for (const one of opened) if (one.status === 'fulfilled') one.value.socket.disconnect();
  });
});

describe('a call counts as what it costs', () => {
  let server: TestServer;
  let gameId: string;
  let secret: Record<string, string>;
  let player: TestPlayer;
  beforeAll(async () => {
    server = await startTestServer(limited);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    const game = await server.createGame({ policies: policies(100) });
    gameId = game.gameId;
    secret = { Authorization: `Bearer ${game.gameSecret}` };
    player = await server.openSession(gameId);
  });

  const wallets = (count: number) => times(count, randomWallet);
  const among = (count: number) =>
    apiOf(server).post('/launcher/get-leaderboard-among', { gameId, wallets: wallets(count) });
  const notify = (count: number) =>
    apiOf(server).post(
      '/launcher/notify-players',
      { wallets: wallets(count), message: 'Hello', type: 'success' },
      secret,
    );
  /** How much of its limit the first call of a window has consumed. */
  const consumedBy = (answer: Answer) => {
    accepted(answer, anything);
    const [, limit] = /q=(\d+)/.exec(answer.headers.get('ratelimit-policy') ?? '') ?? [];
    const [, left] = /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
    return Number(limit) - Number(left);
  };

  it('over HTTP by path and by method, and over the socket, together', async () => {
    expect(consumedBy(await among(40))).toBe(10);
    const { launcherJwt } = player;
    const list = { limit: 250, withUnread: true };
    const byPath = await apiOf(server).post('/launcher/get-message-channels', { launcherJwt, ...list });
    expect(consumedBy(byPath)).toBe(75);
    using launcher = await connectLauncher(server.url, { launcherJwt });
    await launcher.call('getMessageChannels', { withUnread: true });
    await expect(launcher.call('getMessageChannels', list)).rejects.toMatchObject({ code: 429 });
  });

  it('for every wallet that a game server notifies', async () => {
    expect(consumedBy(await notify(100))).toBe(100);
  });

  it('for every wallet notified in a batch, which is refused as a whole', async () => {
    await using scarce = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: '0.05' }); // 200 writes by a game server
    const { gameSecret } = await scarce.createGame();
    const data = () => ({ wallets: wallets(100), message: 'Hello', type: 'success' });
    const operations = times(3, () => ({ method: 'notifyPlayers', data: data() }));
    const headers = { Authorization: `Bearer ${gameSecret}` };
    refused(await apiOf(scarce).post('/launcher/batch', { operations }, headers), 429, 'rate_limited');
    const count = 'SELECT count(*) AS count FROM notifications';
    expect(await rowsIn(scarce.services.db, count, {})).toEqual([{ count: 0 }]);
  });

  it('and a batch counts as at most 500 writes', async () => {
    const operations = times(6, () => ({
      method: 'notifyPlayers',
      data: { wallets: wallets(100), message: 'Hello', type: 'success' },
    }));
    const answer = await apiOf(server).post('/launcher/batch', { operations }, secret);
    refused(answer, 400, 'input_invalid');
  });

  it('in a batch, the sum of its calls', async () => {
    const { launcherJwt } = player;
    const states = (count: number) => ({
      method: 'setStates',
      data: { states: times(count, (at) => ({ label: `state ${at}`, state: '1' })) },
    });
    const batch = (...operations: object[]) =>
      apiOf(server).post('/launcher/batch', { launcherJwt, operations });
    expect(
      consumedBy(await batch(states(20), states(20), { method: 'setUserScore', data: { score: 1 } })),
    ).toBe(41);
    refused(await batch(states(20), states(20), states(20)), 429, 'rate_limited');
    expect((await server.services.db.read(listPlayerStates, player, { limit: 250, skip: 0 })).length).toBe(
      20,
    );
  });

  it('and once if its input is malformed', async () => {
    const answer = await apiOf(server).post('/launcher/get-leaderboard-among', { gameId, wallets: ['0x12'] });
    refused(answer, 400, 'address_invalid');
    expect(answer.headers.get('ratelimit')).toMatch(/r=99;/);
  });

  it('but never as more than a whole window, so that it can be made under every limit', async () => {
    const small = await server.createGame({ policies: policies(7) });
    const read = () =>
      apiOf(server).post('/launcher/get-leaderboard-among', { gameId: small.gameId, wallets: wallets(100) });
    expect(acceptedAmong([await read(), await read()])).toBe(1);
  });

  it('nor as more than 100, whatever its input says', async () => {
    // A page far beyond the end: 2^53 / 2,000 reads, if it counted as what it says.
    const page = `${server.url}/activities?gameId=${gameId}&pageNumber=${Number.MAX_SAFE_INTEGER}`;
    const statuses = await Promise.all(times(3, async () => (await fetch(page)).status));
    expect(statuses.toSorted()).toEqual([200, 429, 429]); // of 100
    // The game's and the address's other callers are not affected.
    const { launcherJwt } = player;
    expect((await apiOf(server).post('/launcher/get-user-score', { launcherJwt })).status).toBe(200);
  });

  it('also against the limit of its address', async () => {
    await using scarce = await startTestServer({ ...limited, RATE_LIMIT_FACTOR: '0.05' }); // 400 reads per address
    const { gameId: game } = await scarce.createGame({ policies: policies(10_000) });
    const list = async () => {
      const { launcherJwt } = await scarce.openSession(game);
      return apiOf(scarce).post('/launcher/get-message-channels', { launcherJwt, limit: 250 }); // 25 reads
    };
    const answers = await Promise.all(times(40, list));
    expect(acceptedAmong(answers, 2)).toBeLessThanOrEqual(2 * 16);
  });
});

describe('pages and files', () => {
  it('are limited per address, which keeps its calls, and nobody else is affected', async () => {
    // So few that even a slow machine exceeds them within the window.
    await using server = await startTestServer({ RATE_LIMIT_FACTOR: '0.001' });
    const { gameId } = await server.createGame();
    const visit = async (path: string, localAddress: string) => {
      const agent = new Agent({ localAddress });
      const { status, text } = await send(server.url + path, null, {}, agent);
      agent.destroy();
      if (status === 429) expect(JSON.parse(text)).toMatchObject({ data: { reason: 'rate_limited' } });
      return status;
    };
    const wallet = randomWallet();
    const paths = [
      ...['/', '/docs', '/docs/search.json', '/docs/unknown', '/shared/base.css', '/unknown'],
      ...['/openapi.json', `/avatars/${wallet}.svg`, '/.well-known/jwks.json', '/sdk/python.zip'],
    ];
    for (const path of paths) {
      const statuses = await Promise.all(times(20, () => visit(path, '127.0.0.3')));
      expect(statuses, path).toContain(429);
      expect([200, 404], path).toContain(await visit(path, `127.0.1.${1 + paths.indexOf(path)}`));
    }
    const board = `${server.url}/launcher/get-game-scores-leaderboard`;
    expect((await postFrom('127.0.0.3', board, { gameId })).status).toBe(200);
    expect(await visit('/healthz', '127.0.0.3')).toBe(200);
  });

  it('may be requested all at once, by many people behind one address', () => {
    expect(callLimits.files.points).toBeGreaterThan(5 * new DirectoryAssets().names().length);
  });
});
