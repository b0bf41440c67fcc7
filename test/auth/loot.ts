import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { dataFiles } from '../../src/config.ts';
import { SecretBox } from '../../src/features/games/game-secret.ts';
import { DatabaseTokenKeys } from '../../src/features/sessions/database-token-keys.ts';
import { FileTokenKeys } from '../../src/features/sessions/file-token-keys.ts';
import { type TokenKeyStore, TokenKeys } from '../../src/features/sessions/token-keys.ts';
import { plainStyles } from '../support/call-styles.ts';
import { get, post } from '../support/http.ts';
import { operationNamed, pathOf } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { bearer, type World } from '../support/world.ts';
import type { Loot } from './forgeries.ts';

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), crv: z.string(), kid: z.string(), x: z.string() })),
});

/** The keys in `/.well-known/jwks.json`, newest first. */
export async function publicKeysOf({ url }: TestServer) {
  return keySet.parse((await get(`${url}/.well-known/jwks.json`)).body).keys;
}

/** Where the server's keys are: in a file, or in the database that nodes share. */
async function keyStoreOf({ config, services }: TestServer): Promise<TokenKeyStore> {
  const files = dataFiles(config.dataDirectory);
  if (config.databaseUrl === undefined) return new FileTokenKeys(files.tokenKeys);
  return DatabaseTokenKeys.open(services.db, new SecretBox(files.secretKey, config.secretKey));
}

/** Rotates the server's keys as the command line does, where they are stored, and waits until the server notices. */
export async function rotateKeys(server: TestServer, overlapMs: number): Promise<{ kid: string }> {
  const { kid } = await new TokenKeys(await keyStoreOf(server)).rotate(overlapMs);
  await until('the server shows the new key', async () => (await publicKeysOf(server))[0]?.kid === kid);
  return { kid };
}

/** Rotates out a key that has signed a token in use; later tokens have another. */
export async function retireKey(server: TestServer): Promise<Loot['retired']> {
  const { gameId } = await server.createGame();
  const { launcherJwt: token } = await server.openSession(gameId);
  using caller = await plainStyles['dedicated HTTP'](server.url);
  const { status } = await caller.call(operationNamed('getStates'), { launcherJwt: token });
  if (status !== 200) throw new Error(`the token was refused before its key was rotated out: ${status}`);
  const [kid, privateKey] = await privateKeyOf(server);
  await rotateKeys(server, 0);
  return { kid, privateKey, token };
}

/** Everything a forger could obtain, and more. */
export async function lootOf({ server, owner, gameSecret }: World, retired: Loot['retired']): Promise<Loot> {
  const [publicKey] = await publicKeysOf(server);
  if (!publicKey) throw new Error('the server shows no key');
  return {
    token: owner.launcherJwt,
    publicKey,
    privateKey: (await privateKeyOf(server))[1],
    gameSecret,
    foreignToken: await tokenOfAnotherServer(),
    retired,
    over: await endedSessionTokens(server),
  };
}

/** The newest private key of the server. */
async function privateKeyOf(server: TestServer): Promise<[kid: string, key: KeyObject]> {
  const [jwk] = await (await keyStoreOf(server)).read();
  if (!jwk) throw new Error('the server has no key');
  return [jwk.kid, createPrivateKey({ key: jwk, format: 'jwk' })];
}

async function tokenOfAnotherServer(): Promise<string> {
  await using other = await startTestServer();
  const { gameId } = await other.createGame();
  return (await other.openSession(gameId)).launcherJwt;
}

async function endedSessionTokens(server: TestServer): Promise<Loot['over']> {
  const { gameId } = await server.createGame({ policies: { oneSessionPerPlayer: true } });
  const [ended, revoked, replaced, banned, erased] = await Promise.all(
    [1, 2, 3, 4, 5].map(() => server.openSession(gameId)),
  );
  if (!ended || !revoked || !replaced || !banned || !erased) throw new Error('no sessions');
  await called(server, 'endChannelSession', { launcherJwt: ended.launcherJwt });
  await called(server, 'revokeSession', { sessionId: revoked.sessionId });
  await server.openSession(gameId, replaced.wallet);
  await called(server, 'banPlayer', { wallet: banned.wallet });
  await called(server, 'erasePlayer', { wallet: erased.wallet });
  return {
    ended: ended.launcherJwt,
    revoked: revoked.launcherJwt,
    replaced: replaced.launcherJwt,
    banned: banned.launcherJwt,
    erased: erased.launcherJwt,
  };
}

async function called({ url, adminToken }: TestServer, name: string, input: object): Promise<void> {
  const operation = operationNamed(name);
  const headers = operation.auth === 'admin' ? bearer(adminToken) : {};
  const { status, body } = await post(url + pathOf(operation), input, headers);
  if (status !== 200) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
}
