import { createPrivateKey } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { listAuditLog } from '../../src/features/administration/operations/logs.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { type GantryProcess, serveGantry } from '../support/gantry-process.ts';
import { type Answer, get, post } from '../support/http.ts';
import { ed25519, makeJwt, readJwt } from '../support/jwt-parts.ts';
import { connectLauncher, type TestLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';

const adminToken = 'the-admin-token-of-this-suite';
const secondsAsDays = (seconds: number) => String(seconds / 86_400);
const publicKeys = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      alg: z.literal('EdDSA'),
      use: z.literal('sig'),
      kid: z.string(),
      x: z.string(),
    }),
  ),
});

describe('gantry key rotate, while a server runs,', () => {
  let directory: TemporaryDirectory;
  let server: GantryProcess;
  let admin: AdminWay;
  let gameId: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  async function start(variables: Record<string, string> = {}): Promise<void> {
    server = await serveGantry(directory.path, { GANTRY_DEMO: 'off', ADMIN_TOKEN: adminToken, ...variables });
    admin = overHttp({ url: server.url, adminToken });
    ({ gameId } = await admin.call(createGame, { name: 'Space Race' }));
  }

  async function rotate(
    variables: Record<string, string> = {},
    ...options: readonly string[]
  ): Promise<string> {
    const { code, stdout, stderr } = await gantry(['key', 'rotate', '--json', ...options], {
      env: { DATA_DIR: directory.path, ...variables },
    });
    expect([code, stderr]).toEqual([0, '']);
    return z.strictObject({ kid: z.string() }).parse(JSON.parse(stdout)).kid;
  }

  const newToken = async () =>
    (await admin.call(openSession, { gameId, wallet: randomWallet() })).launcherJwt;
  const kidOf = (token: string) => readJwt(token).header.kid;
  const status = (launcherJwt: string): Promise<Answer> =>
    post(`${server.url}/launcher/channel-status`, { launcherJwt });
  const kids = async () => {
    const { keys } = accepted(await get(`${server.url}/.well-known/jwks.json`), publicKeys);
    return keys.map((key) => key.kid);
  };
  const seen = (kid: string) => until('the new key', async () => (await kids()).includes(kid));

  it('signs new tokens with the new key while old ones stay valid; the JWKS contains both', async () => {
    await start();
    const before = await newToken();
    const [oldKid] = await kids();
    expect(kidOf(before)).toBe(oldKid);
    using launcher = await connectLauncher(server.url, { launcherJwt: before });

    const kid = await rotate();
    await seen(kid);
    expect(await kids()).toEqual([kid, oldKid]);
    const after = await newToken();
    expect(kidOf(after)).toBe(kid);
    for (const token of [before, after])
      accepted(await status(token), z.looseObject({ exists: z.literal(true) }));
    expect(launcher.socket.connected).toBe(true);
    await launcher.call('setUserScore', { score: 1 });
    using again = await connectLauncher(server.url, { launcherJwt: before });
    await again.call('channelHeartbeat');

    const third = await rotate();
    await seen(third);
    expect(await kids()).toEqual([third, kid, oldKid]);
    for (const token of [before, after]) expect((await status(token)).status).toBe(200);
  });

  it('survives a restart, and is in the audit log', async () => {
    await start();
    const before = await newToken();
    const kid = await rotate();
    await server.end('SIGKILL');
    await start();
    expect((await status(before)).status).toBe(200);
    expect(kidOf(await newToken())).toBe(kid);
    const { data } = await admin.call(listAuditLog, {});
    expect(data).toContainEqual(
      expect.objectContaining({ actor: 'cli', operation: 'rotateTokenKey', outcome: 'ok' }),
    );
  });

  it('drops the old key when every token signed with it has expired', async () => {
    const variables = { SESSION_DAYS: secondsAsDays(3) };
    await start(variables);
    const before = await newToken();
    const oldKid = kidOf(before);
    const forged = signedLater(before);
    const kid = await rotate(variables);
    await seen(kid);
    expect(await kids()).toEqual([kid, oldKid]);
    expect((await status(forged)).status).toBe(200);

    await until('the end of the overlap', async () => !(await kids()).includes(String(oldKid)));
    expect(await kids()).toEqual([kid]);
    for (const token of [before, forged]) expect((await status(token)).status).toBe(401);
    refused(await status(forged), 401, 'token_invalid');
    await expect(connectLauncher(server.url, { launcherJwt: forged })).rejects.toMatchObject({
      data: { data: { reason: 'token_invalid' } },
    });
    expect((await status(await newToken())).status).toBe(200);
  });

  it('keeps the old key as long as a session needs it, whatever lifetime the command line is given', async () => {
    await start({ SESSION_DAYS: '30' });
    const before = await newToken();
    const kid = await rotate({ SESSION_DAYS: secondsAsDays(1) });
    await seen(kid);
    await until('a second and more', () => Date.now() > issuedAt(kid) + 1500);
    expect((await status(before)).status).toBe(200);
    expect(await kids()).toContain(kidOf(before));
  });

  /**
   * Resolves with the reason and the delay of the launcher's session end, once its socket is permanently disconnected.
   */
  async function cutOff({ received, socket }: TestLauncher, since: number): Promise<unknown> {
    const why: string[] = [];
    socket.on('disconnect', (reason) => why.push(reason));
    await until('the cut', () => why.length > 0, 15_000);
    expect(Date.now() - since).toBeLessThan(5_000);
    const { record } = received.filter(({ name }) => name === 'game-channels patched').at(-1) ?? {};
    return { why, exists: record?.exists, endReason: record?.endReason };
  }
  const retired = { why: ['io server disconnect'], exists: false, endReason: 'key_retired' };

  it('with --overlap 0 voids past and future signatures of the old key, and notifies and disconnects its sockets, on every node', async () => {
    await start();
    await using other = await serveGantry(directory.path, { GANTRY_DEMO: 'off', ADMIN_TOKEN: adminToken });
    const [before, another] = [await newToken(), await newToken()];
    const forged = signedLater(before);
    using here = await connectLauncher(server.url, { launcherJwt: before });
    using there = await connectLauncher(other.url, { launcherJwt: another });
    using forger = await connectLauncher(other.url, { launcherJwt: forged });
    expect((await status(forged)).status).toBe(200);
    const oldKid = String(kidOf(before));

    const kid = await rotate({}, '--overlap', '0');
    const since = Date.now();
    const cut = await Promise.all([here, there, forger].map((launcher) => cutOff(launcher, since)));
    expect(cut).toEqual([retired, retired, retired]);
    expect(await kids()).toEqual([kid]);
    expect(readFileSync(dataFiles(directory.path).tokenKeys, 'utf8')).not.toContain(oldKid);
    for (const token of [before, another, forged]) {
      refused(await status(token), 401, 'token_invalid');
      refused(
        await post(`${other.url}/launcher/channel-status`, { launcherJwt: token }),
        401,
        'token_invalid',
      );
      await expect(connectLauncher(other.url, { launcherJwt: token })).rejects.toMatchObject({
        data: { data: { reason: 'token_invalid' } },
      });
    }

    const after = await newToken();
    using launcher = await connectLauncher(other.url, { launcherJwt: after });
    await launcher.call('setUserScore', { score: 1 });
    const { data } = await admin.call(listAuditLog, {});
    expect(data).toContainEqual(
      expect.objectContaining({ operation: 'rotateTokenKey', input: { overlapMinutes: 0 }, outcome: 'ok' }),
    );
  });

  it('with an overlap disconnects sockets of earlier keys when it is over, and leaves others connected', async () => {
    await start();
    const before = await newToken();
    using early = await connectLauncher(server.url, { launcherJwt: before });
    const second = await rotate();
    await seen(second);
    const after = await newToken();
    using late = await connectLauncher(server.url, { launcherJwt: after });
    await rotate({}, '--overlap', '0.05'); // shortens the day's overlap of the previous rotation
    expect((await status(before)).status).toBe(200);
    const at = Date.now() + 3_000;
    expect(await Promise.all([early, late].map((launcher) => cutOff(launcher, at)))).toEqual([
      retired,
      retired,
    ]);
    using last = await connectLauncher(server.url, { launcherJwt: await newToken() });
    await rotate({}, '--overlap', '60');
    await last.call('channelHeartbeat');
    expect(last.socket.connected).toBe(true);
  });

  it('keeps using the known keys while their file is missing', async () => {
    await start({ RATE_LIMIT_FACTOR: '100' });
    const before = await newToken();
    using launcher = await connectLauncher(server.url, { launcherJwt: before });
    const file = dataFiles(directory.path).tokenKeys;
    renameSync(file, `${file}.away`);
    const from = Date.now();
    await until('a check of the keys', async () => {
      expect((await status(before)).status).toBe(200);
      return Date.now() > from + 1_500;
    });
    expect(launcher.socket.connected).toBe(true);
    renameSync(`${file}.away`, file);
    const kid = await rotate();
    await seen(kid);
  });

  it('accepts fractions of a minute as an overlap', async () => {
    await start();
    for (const overlap of ['0.00017', '1.23456789', '0.1', '5256000']) {
      const kid = await rotate({}, '--overlap', overlap);
      await seen(kid);
      expect((await status(await newToken())).status).toBe(200);
    }
  });

  it('refuses an overlap that is not a number of minutes, and keeps the key', async () => {
    await start();
    for (const overlap of ['-1', 'soon', '', '1e3', '99999999999']) {
      const { code, stderr } = await gantry(['key', 'rotate', `--overlap=${overlap}`], {
        env: { DATA_DIR: directory.path },
      });
      expect(code, overlap).not.toBe(0);
      expect(stderr, overlap).toContain('must be a number of minutes');
      expect(await kids(), overlap).toHaveLength(1);
    }
  });

  /** What someone with the old private key would make: the same token, extended by a year. */
  function signedLater(token: string): string {
    const { header, payload } = readJwt(token);
    const stored = z
      .object({
        keys: z.array(
          z.object({
            kid: z.string(),
            kty: z.string(),
            crv: z.string(),
            x: z.string(),
            d: z.string(),
          }),
        ),
      })
      .parse(JSON.parse(readFileSync(dataFiles(directory.path).tokenKeys, 'utf8')));
    const jwk = stored.keys.find((one) => one.kid === header.kid);
    if (!jwk) throw new Error("the token's key is missing");
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    return makeJwt(header, { ...payload, exp: Number(payload.exp) + 365 * 86_400 }, ed25519(key));
  }
});

/** The creation time of a UUIDv7, in Unix milliseconds. */
function issuedAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
