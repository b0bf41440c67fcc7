import { createHash, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addGameSecret } from '../../src/features/games/commands.ts';
import { newGameSecret } from '../../src/features/games/game-secret.ts';
import { apiOf } from '../support/api.ts';
import { placesHolding } from '../support/data-directory.ts';
import { accepted, refused } from '../support/outcome.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId, gameSecret } = await server.createGame();
const other = await server.createGame();
const { launcherJwt } = await server.openSession(gameId);

const anything = z.unknown();
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** The headers of a signed request, as INTERFACE.md and DESIGN.md "Request signature" describe them. */
function signed(secret: string, nonce: string = randomUUID()) {
  return { 'X-Request-Nonce': nonce, 'X-Request-Signature': md5(nonce + md5(secret)) };
}
const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** Sets a score with these headers, in both calling styles alternately. */
const styles: [string, (headers: Record<string, string>, token?: string) => ReturnType<typeof api.post>][] = [
  [
    'a dedicated path',
    (headers, token = launcherJwt) =>
      api.post('/launcher/set-user-score', { launcherJwt: token, score: 1 }, headers),
  ],
  [
    'POST /launcher',
    (headers, token = launcherJwt) =>
      api.dispatch('setUserScore', { launcherJwt: token, score: 1 }, { headers }),
  ],
];

describe.each(styles)('the game secret on %s', (_style, set) => {
  it('is optional where the game does not require it, and accepted where it is right', async () => {
    accepted(await set({}), anything);
    accepted(await set(bearer(gameSecret)), anything);
    accepted(await set({ Authorization: `bearer ${gameSecret}` }), anything);
  });

  it.each([
    ['wrong', () => bearer(newGameSecret())],
    ['of another game', () => bearer(other.gameSecret)],
    ['cut short', () => bearer(gameSecret.slice(0, -1))],
    ['without Bearer', () => ({ Authorization: gameSecret })],
    ['with nothing behind Bearer', () => ({ Authorization: 'Bearer' })],
    ['with trailing characters', () => bearer(`${gameSecret} ${gameSecret}`)],
    ['of another scheme', () => ({ Authorization: `Basic ${btoa(`game:${gameSecret}`)}` })],
    ['empty', () => ({ Authorization: '' })],
    ['the launcher token', () => bearer(launcherJwt)],
  ])('is refused when it is %s', async (_what, headers) => {
    refused(await set(headers()), 401, 'secret_invalid');
  });

  it('is required with every call by a game that says so', async () => {
    const strict = await server.createGame({ policies: { requireSecret: true } });
    const player = await server.openSession(strict.gameId);
    refused(await set({}, player.launcherJwt), 401, 'secret_required');
    refused(await set(bearer(gameSecret), player.launcherJwt), 401, 'secret_invalid');
    accepted(await set(bearer(strict.gameSecret), player.launcherJwt), anything);
  });

  it('keeps working for a grace period after its rotation, and no longer', async () => {
    const game = await server.createGame();
    const player = await server.openSession(game.gameId);
    const rotate = async (graceMs: number) => {
      const secret = newGameSecret();
      await server.services.db.write(addGameSecret, game.gameId, server.box.sealSecret(secret), {
        graceMs,
      });
      return secret;
    };
    const second = await rotate(60_000);
    for (const secret of [game.gameSecret, second]) {
      accepted(await set(bearer(secret), player.launcherJwt), anything);
      accepted(await set(signed(secret), player.launcherJwt), anything);
    }
    const third = await rotate(0);
    for (const secret of [game.gameSecret, second]) {
      refused(await set(bearer(secret), player.launcherJwt), 401, 'secret_invalid');
      refused(await set(signed(secret), player.launcherJwt), 401, 'signature_invalid');
    }
    accepted(await set(bearer(third), player.launcherJwt), anything);
  });
});

describe('the game secret', () => {
  it('is checked on public reads too, when it is sent', async () => {
    const read = (headers: Record<string, string>) =>
      api.dispatch('getGameScoresLeaderboard', { gameId }, { service: 'scores', headers });
    accepted(await read(bearer(gameSecret)), anything);
    refused(await read(bearer(newGameSecret())), 401, 'secret_invalid');
    refused(await api.get('/activities', bearer(newGameSecret())), 401, 'secret_invalid');
  });

  it('is stored nowhere in the data directory or the database, nor is its MD5', async () => {
    const hash = createHash('sha256').update(gameSecret).digest('hex');
    expect(await placesHolding(server.config, hash)).not.toEqual([]);
    expect(await placesHolding(server.config, gameSecret)).toEqual([]);
    expect(await placesHolding(server.config, md5(gameSecret))).toEqual([]);
  });
});

describe('createUnverifiedChannel identifies the game', async () => {
  const create = (body: object, headers: Record<string, string> = {}) =>
    api.post('/launcher/create-unverified-channel', { wallet: randomWallet(), ...body }, headers);
  const page = await server.createGame({ allowedOrigins: ['https://chess.example'] });
  await server.createGame({ allowedOrigins: ['https://arcade.example'] });
  await server.createGame({ allowedOrigins: ['https://arcade.example'] });

  it.each([
    ['by the gameId', () => create({ gameId })],
    ['by the secret', () => create({}, bearer(gameSecret))],
    ['by both', () => create({ gameId }, bearer(gameSecret))],
    ['by an origin that is allowed for one game', () => create({}, { Origin: 'https://chess.example' })],
  ])('%s', async (_by, call) => {
    accepted(await call(), anything);
  });

  it.each([
    ['nothing at all', () => create({}), 'secret_required'],
    [
      'an origin that no game allows',
      () => create({}, { Origin: 'https://foreign.example' }),
      'secret_required',
    ],
    [
      'an origin that two games allow',
      () => create({}, { Origin: 'https://arcade.example' }),
      'secret_required',
    ],
    ['a wrong secret', () => create({}, bearer(newGameSecret())), 'secret_invalid'],
    ['the secret of another game', () => create({ gameId }, bearer(other.gameSecret)), 'secret_invalid'],
    [
      'a gameId from a page that game does not allow',
      () => create({ gameId: page.gameId }, { Origin: 'https://foreign.example' }),
      'origin_not_allowed',
    ],
  ] as const)('and not by %s', async (_what, call, reason) => {
    refused(await call(), 401, reason);
  });
});

describe.each(styles)('the request signature on %s', (_style, set) => {
  it('is optional where the game does not require it, and accepted where it is right', async () => {
    accepted(await set(signed(gameSecret)), anything);
    accepted(await set({ ...signed(gameSecret), ...bearer(gameSecret) }), anything);
  });

  it.each([
    ['the nonce alone', () => ({ 'X-Request-Nonce': randomUUID() }), 'signature_incomplete'],
    [
      'the signature alone',
      () => ({ 'X-Request-Signature': signed(gameSecret)['X-Request-Signature'] }),
      'signature_incomplete',
    ],
    ['an empty nonce', () => signed(gameSecret, ''), 'signature_incomplete'],
    [
      'an empty signature',
      () => ({ 'X-Request-Nonce': randomUUID(), 'X-Request-Signature': '' }),
      'signature_incomplete',
    ],
    ['a signature with the secret of another game', () => signed(other.gameSecret), 'signature_invalid'],
    [
      'a signature of another nonce',
      () => ({ ...signed(gameSecret), 'X-Request-Nonce': randomUUID() }),
      'signature_invalid',
    ],
    [
      'a signature with the secret itself in place of its MD5',
      () => ({ 'X-Request-Nonce': 'n-1', 'X-Request-Signature': md5(`n-1${gameSecret}`) }),
      'signature_invalid',
    ],
    [
      'a signature of another length',
      () => ({ 'X-Request-Nonce': randomUUID(), 'X-Request-Signature': 'abc' }),
      'signature_invalid',
    ],
    [
      'a signature that is not hexadecimal',
      () => ({ 'X-Request-Nonce': randomUUID(), 'X-Request-Signature': 'é'.repeat(32) }),
      'signature_invalid',
    ],
  ] as const)('is refused when the headers are %s', async (_what, headers, reason) => {
    refused(await set(headers()), 401, reason);
  });

  it('is refused when its nonce was seen before, and nothing is written', async () => {
    const headers = signed(gameSecret);
    accepted(await set(headers), anything);
    refused(await set(headers), 401, 'nonce_replayed');
  });

  it('is accepted once for identical concurrent requests', async () => {
    const headers = signed(gameSecret);
    const answers = await Promise.all(Array.from({ length: 6 }, () => set(headers)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });

  it('does not use up a nonce when it is refused', async () => {
    const nonce = randomUUID();
    refused(await set(signed('guess', nonce)), 401, 'signature_invalid');
    accepted(await set(signed(gameSecret, nonce)), anything);
  });

  it('has separate nonces per game', async () => {
    const player = await server.openSession(other.gameId);
    const nonce = randomUUID();
    accepted(await set(signed(gameSecret, nonce)), anything);
    accepted(await set(signed(other.gameSecret, nonce), player.launcherJwt), anything);
  });

  it('is required with every call by a game that says so', async () => {
    const strict = await server.createGame({ policies: { requireSignature: 'any' } });
    const player = await server.openSession(strict.gameId);
    refused(await set({}, player.launcherJwt), 401, 'signature_required');
    refused(await set(bearer(strict.gameSecret), player.launcherJwt), 401, 'signature_required');
    accepted(await set(signed(strict.gameSecret), player.launcherJwt), anything);
  });
});

it('the signature is checked on calls without a token too', async () => {
  const wrong = signed(newGameSecret());
  const body = { wallet: randomWallet(), gameId };
  refused(await api.post('/launcher/create-unverified-channel', body, wrong), 401, 'signature_invalid');
  accepted(await api.post('/launcher/create-unverified-channel', body, signed(gameSecret)), anything);
  refused(
    await api.post('/launcher/get-game-scores-leaderboard', { gameId }, wrong),
    401,
    'signature_invalid',
  );
});

it('a server remembers seen nonces across a restart', async () => {
  await using directory = await temporaryDirectory();
  const call = (on: TestServer, token: string, headers: Record<string, string>) =>
    apiOf(on).post('/launcher/channel-heartbeat', { launcherJwt: token }, headers);
  const first = await startTestServer({ DATA_DIR: directory.path });
  const game = await first.createGame();
  const player = await first.openSession(game.gameId);
  const headers = signed(game.gameSecret);
  accepted(await call(first, player.launcherJwt, headers), anything);
  await first.close();

  await using second = await startTestServer({ DATA_DIR: directory.path });
  refused(await call(second, player.launcherJwt, headers), 401, 'nonce_replayed');
  accepted(await call(second, player.launcherJwt, signed(game.gameSecret)), anything);
});

describe('a game with allowed origins', async () => {
  const game = await server.createGame({ allowedOrigins: ['https://race.example', 'http://localhost:5173'] });
  const player = await server.openSession(game.gameId);
  const set = (headers: Record<string, string>) =>
    api.post('/launcher/set-user-score', { launcherJwt: player.launcherJwt, score: 1 }, headers);

  it.each<[string, Record<string, string>]>([
    ['one of its own pages', { Origin: 'https://race.example' }],
    ['its page in development', { Origin: 'http://localhost:5173' }],
    ['a page of this server', { Origin: server.url }],
    ['a program that is not a browser', {}],
  ])('may be called from %s', async (_who, headers) => {
    accepted(await set(headers), anything);
  });

  it.each([
    'https://foreign.example',
    'http://race.example',
    'https://race.example:8443',
    'https://race.example.foreign.example',
    'null',
  ])('may not be called from a page of %s', async (origin) => {
    refused(await set({ Origin: origin }), 401, 'origin_not_allowed');
  });
});
