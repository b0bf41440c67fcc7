import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataFiles, readConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/core/config-error.ts';
import {
  listGameSecrets,
  revokeGameSecret,
  rotateGameSecret,
} from '../../src/features/games/operations/game-secrets.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { changeKept } from '../support/data-directory.ts';
import { isOnPostgres } from '../support/engine.ts';
import { type Answer, post } from '../support/http.ts';
import { accepted, refused } from '../support/outcome.ts';
import { hmacSigned, md5Signed } from '../support/request-signatures.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet, startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';

const adminToken = 'the-admin-token-of-this-suite';
const variables = { RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken };
const anything = z.unknown();

const server = await startTestServer(variables);
afterAll(server.close);
const admin = overHttp({ url: server.url, adminToken });

interface OpenedGame {
  gameId: string;
  gameSecret: string;
  launcherJwt: string;
}

async function openGame(by: AdminWay = admin): Promise<OpenedGame> {
  const { gameId, gameSecret } = await by.call(createGame, { name: 'Space Race' });
  const { launcherJwt } = await by.call(openSession, { gameId, wallet: randomWallet() });
  return { gameId, gameSecret, launcherJwt };
}

/** The three ways to prove a secret: sending it, and a signature of either scheme. */
const showings: [string, (secret: string, body: string) => Record<string, string>][] = [
  ['as Authorization', (secret) => ({ Authorization: `Bearer ${secret}` })],
  ['by an MD5 signature', (secret) => md5Signed(secret)],
  ['by an HMAC-SHA256 signature', (secret, body) => hmacSigned(secret, body)],
];

/** Sets a score, proving the secret in one of these ways. */
function callWith(
  { url }: { url: string },
  { launcherJwt }: OpenedGame,
  secret: string,
  showing: (typeof showings)[number][1],
): Promise<Answer> {
  const body = JSON.stringify({ launcherJwt, score: 1 });
  return post(`${url}/launcher/set-user-score`, body, showing(secret, body));
}

const worksNot = ['secret_invalid', 'signature_invalid'];

/** When it stopped working, in Unix milliseconds. */
async function endOf(game: OpenedGame, secret: string, showing: (typeof showings)[number][1]) {
  const answer = await until('the end of a secret', async () => {
    const current = await callWith(server, game, secret, showing);
    return current.status === 200 ? null : current;
  });
  const seenAt = Date.now();
  expect(answer.status).toBe(401);
  expect(worksNot).toContain(Object(answer.body).data.reason);
  return seenAt;
}

describe.concurrent.each(showings)('a game secret, proven %s,', (_how, showing) => {
  it('that was rotated keeps working until the grace period ends, and no longer', async () => {
    const game = await openGame();
    const rotatedAfter = Date.now();
    const { gameSecret: second } = await admin.call(rotateGameSecret, {
      gameId: game.gameId,
      graceSeconds: 1.5,
    });
    for (const secret of [game.gameSecret, second]) {
      accepted(await callWith(server, game, secret, showing), anything);
    }
    expect((await endOf(game, game.gameSecret, showing)) - rotatedAfter).toBeGreaterThanOrEqual(1500);
    accepted(await callWith(server, game, second, showing), anything);
  });

  it('that was given a lifetime works until that ends, and no longer', async () => {
    const game = await openGame();
    const rotatedAfter = Date.now();
    const { gameSecret: second } = await admin.call(rotateGameSecret, {
      gameId: game.gameId,
      graceSeconds: 600,
      lifetimeSeconds: 1.5,
    });
    accepted(await callWith(server, game, second, showing), anything);
    expect((await endOf(game, second, showing)) - rotatedAfter).toBeGreaterThanOrEqual(1500);
    accepted(await callWith(server, game, game.gameSecret, showing), anything);
  });

  it('does not get a longer lifetime by a later rotation', async () => {
    const game = await openGame();
    const { gameId } = game;
    const { gameSecret: brief } = await admin.call(rotateGameSecret, { gameId, lifetimeSeconds: 1 });
    const { gameSecret: latest } = await admin.call(rotateGameSecret, { gameId, graceSeconds: 3600 });
    await endOf(game, brief, showing);
    for (const secret of [game.gameSecret, latest]) {
      accepted(await callWith(server, game, secret, showing), anything);
    }
  });

  it('stops working immediately when it is revoked by its fingerprint, and no other does', async () => {
    const [game, other] = [await openGame(), await openGame()];
    const { gameId } = game;
    const { gameSecret: second } = await admin.call(rotateGameSecret, { gameId });
    accepted(await callWith(server, game, game.gameSecret, showing), anything);
    const fingerprint = createHash('sha256').update(game.gameSecret).digest('hex').slice(0, 12);
    await admin.call(revokeGameSecret, { gameId, fingerprint });

    const refusal = await callWith(server, game, game.gameSecret, showing);
    expect(refusal.status).toBe(401);
    accepted(await callWith(server, game, second, showing), anything);
    accepted(await callWith(server, other, other.gameSecret, showing), anything);
    await expect(admin.call(revokeGameSecret, { gameId, fingerprint })).rejects.toThrow(
      'no active secret with this fingerprint',
    );
  });

  it('stops working immediately when it is rotated without grace', async () => {
    const game = await openGame();
    await admin.call(rotateGameSecret, { gameId: game.gameId, graceSeconds: 0 });
    expect((await callWith(server, game, game.gameSecret, showing)).status).toBe(401);
  });
});

it('a grace period and a lifetime may be any number of seconds', async () => {
  const { gameId } = await openGame();
  await admin.call(rotateGameSecret, { gameId, graceSeconds: 0.0004, lifetimeSeconds: 1e-9 });
  await admin.call(rotateGameSecret, { gameId, graceSeconds: 1 / 3, lifetimeSeconds: 1e7 / 3 });
});

it('the active secrets of a game are listed by fingerprint, with their times', async () => {
  const { gameId, gameSecret } = await openGame();
  const from = Date.now();
  const rotated = await admin.call(rotateGameSecret, { gameId, graceSeconds: 60, lifetimeSeconds: 600 });
  const { secrets } = await admin.call(listGameSecrets, { gameId });
  const fingerprints = [rotated.gameSecret, gameSecret].map((secret) =>
    createHash('sha256').update(secret).digest('hex').slice(0, 12),
  );
  expect(secrets.map((secret) => secret.fingerprint)).toEqual(fingerprints);
  const lasting = secrets.map(({ expiresAt }) => Math.round(((expiresAt ?? 0) - from) / 1000));
  expect(lasting).toEqual([600, 60]);
});

describe('GANTRY_SECRET_KEY', () => {
  const key = randomBytes(32).toString('hex');
  const start = (dataDirectory: string, secretKey?: string) =>
    startTestServer({
      ...variables,
      DATA_DIR: dataDirectory,
      ...(secretKey !== undefined && { GANTRY_SECRET_KEY: secretKey }),
    });
  const signed = (on: TestServer, game: OpenedGame) =>
    Promise.all(showings.slice(1).map(([, showing]) => callWith(on, game, game.gameSecret, showing)));

  it('is the key that secrets are encrypted with, across restarts, and no other key is created', async () => {
    await using directory = await temporaryDirectory();
    const first = await start(directory.path, key);
    const game = await openGame(overHttp({ url: first.url, adminToken }));
    for (const answer of await signed(first, game)) accepted(answer, anything);
    await first.close();
    expect(readdirSync(directory.path)).not.toContain('secret.key');
    await using second = await start(directory.path, key.toUpperCase());
    for (const answer of await signed(second, game)) accepted(answer, anything);
  });

  it('that differs is refused at the start, and the right one still works', async () => {
    await using directory = await temporaryDirectory();
    const first = await start(directory.path, key);
    const game = await openGame(overHttp({ url: first.url, adminToken }));
    await first.close();
    const other = randomBytes(32).toString('hex');
    const refusal = await start(directory.path, other).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain('GANTRY_SECRET_KEY');
    expect(String(refusal)).not.toContain(other);
    await using again = await start(directory.path, key);
    for (const answer of await signed(again, game)) accepted(answer, anything);
  });

  it.each(['0123', 'z'.repeat(64), key.slice(1), `${key}00`])(
    'that is not 64 hex digits is refused at the start, and not echoed: %s',
    (wrong) => {
      const start = () => readConfig({ GANTRY_SECRET_KEY: wrong });
      expect(start).toThrow('GANTRY_SECRET_KEY: must be 64 hex digits');
      expect(start).not.toThrow(wrong);
    },
  );
});

describe('stored secrets', () => {
  it('differ from game to game, and can be decrypted with the key alone', async () => {
    await openGame();
    await openGame();
    const rows = z
      .array(z.object({ md5: z.string(), secret: z.string() }))
      .parse(
        await rowsIn(
          server.services.db,
          'SELECT sealed_md5 AS md5, sealed_secret AS secret FROM game_secrets',
          {},
        ),
      );
    const sealed = rows.flatMap((row) => [row.md5, row.secret]);
    expect(sealed.length).toBeGreaterThanOrEqual(4);
    expect(new Set(sealed).size).toBe(sealed.length);
    for (const text of sealed) expect(server.box.open(text)).toMatch(/^(gsk_[\w-]{43}|[0-9a-f]{32})$/);
  });

  // On PostgreSQL no secret is in a file.
  it.skipIf(isOnPostgres)(
    'in files are readable by their owner only, whatever the umask, from the first start on',
    async () => {
      await using directory = await temporaryDirectory();
      const before = process.umask(0);
      try {
        const { ADMIN_TOKEN: _, ...rest } = variables;
        await using made = await startTestServer({ ...rest, ADMIN_TOKEN: '', DATA_DIR: directory.path });
        expect(made.createdAdminToken).toMatch(/^gat_/);
      } finally {
        process.umask(before);
      }
      expect((await gantry(['key', 'rotate'], { env: { DATA_DIR: directory.path } })).code).toBe(0);
      const { tokenKeys, secretKey, adminTokenHash } = dataFiles(directory.path);
      const statsHistory = join(directory.path, 'stats-history-0');
      for (const file of [tokenKeys, secretKey, adminTokenHash, statsHistory]) {
        expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
      }
      expect(readdirSync(directory.path).filter((file) => file.startsWith('gantry.db') === false)).toEqual(
        [tokenKeys, secretKey, adminTokenHash, statsHistory]
          .map((file) => file.slice(directory.path.length + 1))
          .sort(),
      );
    },
  );
});

describe('the admin token', () => {
  const list = (url: string, headers: Record<string, string>) => post(`${url}/admin/list-games`, {}, headers);

  it.each([
    ['missing', undefined],
    ['wrong', 'Bearer the-admin-token-of-that-suite'],
    ['cut short', `Bearer ${adminToken.slice(0, -1)}`],
    ['with trailing characters', `Bearer ${adminToken}x`],
    ['without Bearer', adminToken],
    ['of another scheme', `Basic ${btoa(`admin:${adminToken}`)}`],
    ['empty', 'Bearer '],
    ['very long', `Bearer ${'x'.repeat(5000)}`],
  ])('is refused when it is %s', async (_what, authorization) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    refused(await list(server.url, headers), 401, 'admin_token_invalid');
  });

  it('is not a game secret, and a game secret is not an admin token', async () => {
    const game = await openGame();
    refused(
      await list(server.url, { Authorization: `Bearer ${game.gameSecret}` }),
      401,
      'admin_token_invalid',
    );
    const [[, asItIs] = [], ..._] = showings;
    if (asItIs) refused(await callWith(server, game, adminToken, asItIs), 401, 'secret_invalid');
  });

  it('created by a first start works after a restart, until its hash is removed', async () => {
    await using directory = await temporaryDirectory();
    const start = () => startTestServer({ ...variables, ADMIN_TOKEN: '', DATA_DIR: directory.path });
    const first = await start();
    const made = first.createdAdminToken ?? '';
    accepted(await list(first.url, { Authorization: `Bearer ${made}` }), anything);
    await first.close();

    const second = await start();
    expect(second.createdAdminToken).toBeNull();
    accepted(await list(second.url, { Authorization: `Bearer ${made}` }), anything);
    await second.close();

    const hash = createHash('sha256').update('another-token-altogether').digest('hex');
    const sealed = second.box.seal(hash);
    if (isOnPostgres) {
      await changeKept(
        second.config,
        `UPDATE server_keys SET sealed = '${sealed}' WHERE name = 'admin-token'`,
      );
    } else writeFileSync(dataFiles(directory.path).adminTokenHash, hash);
    await using third = await start();
    refused(await list(third.url, { Authorization: `Bearer ${made}` }), 401, 'admin_token_invalid');
    accepted(await list(third.url, { Authorization: 'Bearer another-token-altogether' }), anything);
  });

  it.each([
    'too-short',
    'has a space in it',
    'has\ta tab in it here',
    'ümlaut-token-of-this-suite',
    'x'.repeat(513),
  ])('that could not be sent is refused at the start: %s', (token) => {
    const start = () => readConfig({ ADMIN_TOKEN: token });
    expect(start).toThrow(/ADMIN_TOKEN: must be/);
    expect(start).not.toThrow(token);
  });
});
