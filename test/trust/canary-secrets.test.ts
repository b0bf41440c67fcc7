import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Redis } from 'ioredis';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { connectWithHeaders } from '../support/caller.ts';
import { freePort } from '../support/free-port.ts';
import { type GantryProcess, serveGantry } from '../support/gantry-process.ts';
import { type Answer, get, post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { hmacSigned, md5, md5Signed } from '../support/request-signatures.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { newWallet } from '../support/wallet.ts';

const random = () => randomBytes(24).toString('hex');

/** Secrets by name, each unique; those the server generates are added from its responses. */
const canaries = new Map<string, string>([
  ['the admin token', `admin-${random()}`],
  ['a wrong admin token', `wrong-${random()}`],
  ['the key for secrets', randomBytes(32).toString('hex')],
  ['the password of Redis', `redis-${random()}`],
  ['the key of an RPC server', `rpc-${random()}`],
  ['a signing key', randomBytes(32).toString('hex')],
  ['a wrong game secret', `gsk_${randomBytes(32).toString('base64url')}`],
]);
const canary = (name: string) => canaries.get(name) ?? '';

/** Every response that should not contain a secret, with its request. */
const answers: [requested: string, text: string][] = [];

let directory: TemporaryDirectory;
let server: GantryProcess;
let metricsUrl: string;

/** Calls, and records the response for the search, without the secrets that it is meant to return. */
async function call(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  brings: Record<string, string> = {},
): Promise<Answer> {
  const answer = await post(server.url + path, body, headers);
  keep(path, answer, brings);
  return answer;
}

function keep(requested: string, answer: Answer, brings: Record<string, string> = {}): void {
  let text = JSON.stringify([answer.status, [...answer.headers], answer.body]);
  for (const [field, name] of Object.entries(brings)) {
    const secret = z.string().min(1).parse(Object(answer.body)[field]);
    canaries.set(name, secret);
    text = text.replaceAll(secret, '');
  }
  answers.push([requested, text]);
}

const asAdministrator = (name: string, input: object, brings: Record<string, string> = {}) =>
  call(`/admin/${name}`, input, { Authorization: `Bearer ${canary('the admin token')}` }, brings);

beforeAll(async () => {
  directory = await temporaryDirectory();
  const metricsPort = `${await freePort()}`;
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  server = await serveGantry(directory.path, {
    METRICS_PORT: metricsPort,
    SIGNERS: JSON.stringify({ default: `0x${canary('a signing key')}` }),
    LOG_LEVEL: 'trace',
    GANTRY_DEMO: 'off',
    RATE_LIMIT_FACTOR: '1000',
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    ADMIN_TOKEN: canary('the admin token'),
    GANTRY_SECRET_KEY: canary('the key for secrets'),
    CHAINS: JSON.stringify({
      5: [`http://127.0.0.1:${await freePort()}/${canary('the key of an RPC server')}`],
    }),
  });
  await useEverySecret();
  await provokeErrors();
  keep('/metrics', await get(metricsUrl));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** Sends every secret where it belongs. */
async function useEverySecret(): Promise<void> {
  const created = await asAdministrator(
    'create-game',
    { name: 'Space Race' },
    { gameSecret: 'a game secret' },
  );
  const { gameId } = Object(created.body);
  await asAdministrator('rotate-game-secret', { gameId }, { gameSecret: 'a rotated game secret' });
  const url = `http://127.0.0.1:${await freePort()}/`; // nobody listens, so that deliveries fail
  const hooked = await asAdministrator('create-webhook', { gameId, url }, { secret: 'a webhook secret' });
  const { webhookId } = Object(hooked.body).webhook;
  await asAdministrator('rotate-webhook-secret', { webhookId }, { secret: 'a rotated webhook secret' });
  await asAdministrator('test-webhook', { webhookId });
  const privateKey = generatePrivateKey();
  canaries.set("a wallet's private key", privateKey.slice(2));
  const account = privateKeyToAccount(privateKey);
  const wallet = newWallet(account);
  const begun = Object(
    (await call('/launcher/create-unverified-channel', { gameId, wallet: wallet.address })).body,
  );
  const signature = await wallet.sign(begun.signRequest);
  canaries.set('a wallet signature', signature.slice(2));
  const proof = { channelId: begun.channelId, signature };
  await call('/launcher/verify-unverified-channel', proof, {}, { launcherJwt: 'a launcher token' });
  await call('/launcher/verify-unverified-channel', proof); // used up
  const opened = await asAdministrator(
    'open-session',
    { gameId, wallet: wallet.address, username: 'Ada' },
    {
      launcherJwt: 'an opened launcher token',
    },
  );
  const { launcherJwt } = Object(opened.body);
  for (const secret of [canary('a game secret'), canary('a rotated game secret')]) {
    const body = JSON.stringify({ launcherJwt, score: 1 });
    for (const headers of [
      { Authorization: `Bearer ${secret}` },
      md5Signed(secret),
      hmacSigned(secret, body),
    ]) {
      expect((await call('/launcher/set-user-score', body, headers)).status).toBe(200);
    }
    canaries.set(`the MD5 of ${secret.slice(0, 8)}…`, md5(secret));
  }
  for (const name of ['Two', 'Three', 'Four'])
    await asAdministrator('create-game', { name }, { gameSecret: `the secret of ${name}` });
  const rotation = { gameId, graceSeconds: 3_600 };
  await asAdministrator('rotate-game-secret', rotation, { gameSecret: 'a secret rotated again' });
  for (const name of ['Bob', 'Cleo', 'Dan']) {
    const player = { gameId, wallet: newWallet().address, username: name };
    await asAdministrator('open-session', player, { launcherJwt: `the token of ${name}` });
  }
  await asAdministrator('update-player', { wallet: wallet.address, avatar: 'https://ada.example/me.png' });
  for (const list of [
    'list-games',
    'list-players',
    'list-sessions',
    'list-audit-log',
    'list-webhooks',
    'list-webhook-deliveries',
  ])
    await asAdministrator(list, {});
  for (const list of ['list-game-secrets', 'get-rules', 'list-game-channels'])
    await asAdministrator(list, { gameId });
  for (const path of ['channel-status', 'list-channel-sessions', 'get-user-scores', 'channel-heartbeat'])
    await call(`/launcher/${path}`, { launcherJwt });
  for (const path of ['/openapi.json', '/.well-known/jwks.json', '/readyz', `/activities?gameId=${gameId}`])
    keep(path, await get(server.url + path));
  using launcher = await connectLauncher(server.url, { launcherJwt });
  await launcher.call('setUserScore', { score: 2 });
  answers.push(['the socket', JSON.stringify(launcher.received)]);
}

/** Sends every secret where it does not belong, or to a server that fails. */
async function provokeErrors(): Promise<void> {
  const everything = Object.fromEntries(canaries);
  const { launcherJwt } = { launcherJwt: canary('a launcher token') };
  for (const secret of canaries.values()) {
    const shown = [
      { Authorization: `Bearer ${secret}` },
      { Authorization: secret },
      { 'X-Request-Nonce': secret, 'X-Request-Signature': secret },
      { 'X-Service-Method': secret },
    ];
    for (const headers of shown) await call('/launcher', { launcherJwt: secret, score: secret }, headers);
    await call('/launcher/set-user-score', { launcherJwt, score: secret, [secret]: secret });
    await call('/launcher/verify-unverified-channel', { channelId: secret, signature: `0x${secret}` });
    await call('/launcher/create-unverified-channel', { gameId: secret, wallet: secret });
    await call(
      '/admin/open-session',
      { gameId: secret, wallet: secret },
      { Authorization: `Bearer ${secret}` },
    );
    await asAdministrator('revoke-game-secret', { gameId: 'none', fingerprint: 'none' });
    await call('/launcher/set-state', `{"launcherJwt":"${secret}","state":"${secret}`);
    keep('a query', await get(`${server.url}/launcher?launcherJwt=${secret}&${secret}=1`));
    keep('a path', await get(`${server.url}/${secret}`));
    keep('an unreadable path', await get(`${server.url}/launcher/%ff${secret}`));
    const refusal = await connectLauncher(server.url, { launcherJwt: secret }).catch(
      (error: unknown) => error,
    );
    answers.push(['a handshake', JSON.stringify(Object(refusal).data ?? null)]);
  }
  const wrong = { Authorization: `Bearer ${canary('a wrong game secret')}` };
  const refusal: unknown = await connectWithHeaders(server.url, wrong).catch((thrown: unknown) => thrown);
  answers.push(['a handshake with a secret', JSON.stringify(Object(refusal).data ?? null)]);
  using caller = await connectWithHeaders(server.url, {});
  const error = await caller
    .call('setUserScore', { ...everything, launcherJwt })
    .catch((thrown: unknown) => thrown);
  answers.push(['a call on a socket', JSON.stringify(error)]);

  const { body } = await asAdministrator('list-games', {});
  const { gameId } = Object(body).games[0];
  const wallet = newWallet();
  const begun = Object(
    (await call('/launcher/create-unverified-channel', { gameId, wallet: wallet.address, chainId: 5 })).body,
  );
  const away = { channelId: begun.channelId, signature: `0x${canary('a wallet signature')}`, chainId: 5 };
  expect((await call('/launcher/verify-unverified-channel', away)).status).toBe(503);

  breakTheDatabase();
  const signed = JSON.stringify({ launcherJwt, score: 3 });
  const secret = canary('a rotated game secret');
  for (const headers of [md5Signed(secret), hmacSigned(secret, signed)])
    expect((await call('/launcher/set-user-score', signed, headers)).status).toBe(500);
  const state = JSON.stringify(everything);
  const authorization = { Authorization: `Bearer ${secret}` };
  expect(
    (await call('/launcher/set-state', { launcherJwt, label: 'save', state }, authorization)).status,
  ).toBe(500);
  const { webhooks } = Object((await asAdministrator('list-webhooks', {})).body);
  expect((await asAdministrator('test-webhook', { webhookId: webhooks[0].webhookId })).status).toBe(500);
  const nextToNothing = { gameId, graceSeconds: 1 };
  expect((await asAdministrator('rotate-game-secret', nextToNothing)).status).toBe(500);
}

/** Unforeseeable failures: missing tables and modified ciphertexts. Nothing of it is cached. */
function breakTheDatabase(): void {
  const db = new SqliteDatabase(dataFiles(directory.path).database, { timeout: 5000 });
  db.exec(`UPDATE game_secrets SET sealed_md5 = 'AAAA' || sealed_md5, sealed_secret = 'AAAA' || sealed_secret;
    UPDATE webhook_secrets SET sealed = 'AAAA' || sealed;
    UPDATE remembered SET version = version + 1;
    DROP TABLE states;
    CREATE TRIGGER full BEFORE INSERT ON game_secrets BEGIN SELECT raise(ABORT, 'no more secrets'); END`);
  db.close();
}

/** In any form it may have been written in. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.toUpperCase(),
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
  ];
}

/** The names of the canaries that a text contains. */
function foundIn(text: string): string[] {
  return [...canaries]
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

describe('a secret that was sent to the server, correctly and incorrectly, and while it failed,', () => {
  it('is in no file of the data directory', () => {
    for (const file of readdirSync(directory.path)) {
      expect([file, foundIn(readFileSync(join(directory.path, file), 'latin1'))]).toEqual([file, []]);
    }
    const hash = createHash('sha256').update(canary('a game secret')).digest('hex');
    const everything = readdirSync(directory.path).map((file) =>
      readFileSync(join(directory.path, file), 'latin1'),
    );
    expect(everything.join()).toContain(hash); // the search finds what is there
  });

  it('is in no log line, although the failures are logged', async () => {
    const { stdout, stderr } = server.output;
    expect(stderr).toContain('no such table: states');
    expect(stderr).toContain('no more secrets');
    expect(stderr).toContain('"msg":"call"');
    expect(foundIn(stdout + stderr)).toEqual([]);
  });

  it('is in no response but the one meant for it, nor in the metrics', () => {
    expect(canaries.size).toBeGreaterThanOrEqual(20);
    expect(answers.length).toBeGreaterThan(200);
    expect(answers.at(-1)).toEqual(['/metrics', expect.stringContaining('gantry_calls_total')]);
    for (const [requested, text] of answers) expect([requested, foundIn(text)]).toEqual([requested, []]);
  });

  it('and the signing keys are in one file, and nowhere else', () => {
    const { tokenKeys } = dataFiles(directory.path);
    const { keys } = z
      .object({ keys: z.array(z.object({ d: z.string() })) })
      .parse(JSON.parse(readFileSync(tokenKeys, 'utf8')));
    for (const { d } of keys) {
      const raw = Buffer.from(d, 'base64url').toString('hex');
      for (const form of [d, raw]) {
        for (const [requested, text] of answers)
          expect([requested, text.includes(form)]).toEqual([requested, false]);
        expect(server.output.stdout + server.output.stderr).not.toContain(form);
        const holding = readdirSync(directory.path).filter((file) =>
          readFileSync(join(directory.path, file)).includes(form),
        );
        expect(holding).toEqual(form === d ? ['token-keys.json'] : []);
      }
    }
  });
});

it.skipIf(redisMissing !== null)(
  'the password of Redis is in no log line, when Redis refuses it or is unreachable',
  async () => {
    await using redis = await startRedis();
    const operator = new Redis(redis.url);
    await operator.config('SET', 'requirepass', 'another-password');
    const withPassword = redis.url.replace('redis://', `redis://:${canary('the password of Redis')}@`);
    await using own = await temporaryDirectory();
    await using refused = await serveGantry(own.path, {
      LOG_LEVEL: 'trace',
      GANTRY_DEMO: 'off',
      REDIS_URL: withPassword,
    });
    const created = await post(`${refused.url}/launcher/get-activities`, {});
    expect(created.status).toBe(200);
    await operator.quit();
    await redis.kill();
    await post(`${refused.url}/launcher/get-activities`, {});
    const { stdout, stderr } = await refused.end('SIGTERM');
    expect(stderr).toContain('Redis');
    expect(foundIn(stdout + stderr)).toEqual([]);
  },
);
