import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { createGame } from '../../src/operations/admin/create-game.ts';
import { listAuditLog } from '../../src/operations/admin/list-audit-log.ts';
import { openSession } from '../../src/operations/admin/open-session.ts';
import { type AdminWay, overHttp } from '../support/administration.ts';
import { type GantryProcess, gantry, serveGantry } from '../support/gantry-process.ts';
import { type Answer, get, post } from '../support/http.ts';
import { ed25519, makeJwt, readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { randomWallet } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

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

  async function rotate(variables: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await gantry(['key', 'rotate', '--json'], {
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

  it('has new tokens signed with the new key and old ones go on working; the JWKS carries both', async () => {
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

  it('holds over a restart, and is in the audit log', async () => {
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

  it('lets go of the old key when every token signed with it is over', async () => {
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

  it('keeps the old key as long as a session needs it, whatever lifetime the command line is told of', async () => {
    await start({ SESSION_DAYS: '30' });
    const before = await newToken();
    const kid = await rotate({ SESSION_DAYS: secondsAsDays(1) });
    await seen(kid);
    await until('a second and more', () => Date.now() > issuedAt(kid) + 1500);
    expect((await status(before)).status).toBe(200);
    expect(await kids()).toContain(kidOf(before));
  });

  /** What whoever has the old private key would make: the same token for another year. */
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
    if (!jwk) throw new Error('the key of the token is not there');
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    return makeJwt(header, { ...payload, exp: Number(payload.exp) + 365 * 86_400 }, ed25519(key));
  }
});

/** When a UUIDv7 was made, in Unix milliseconds. */
function issuedAt(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
