import { expect, test } from 'vitest';
import { z } from 'zod';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { overHttp } from '../support/administration.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { get, post } from '../support/http.ts';
import { accepted, refused } from '../support/outcome.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';

const secretKey = '5e'.repeat(32);

test.skipIf(noPostgres !== null || redisMissing !== null)(
  'a key that the command line rotates out is refused by every node on PostgreSQL from the next call on',
  async () => {
    await using database = await freshDatabase();
    await using directory = await temporaryDirectory();
    await using redis = await startRedis();
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      GANTRY_SECRET_KEY: secretKey,
      GANTRY_DEMO: 'off',
      ADMIN_TOKEN: 'the-admin-token-of-this-test',
    };
    await using one = await serveGantry(directory.path, env);
    await using other = await serveGantry(directory.path, env);
    const admin = overHttp({ url: one.url, adminToken: env.ADMIN_TOKEN });
    const { gameId } = await admin.call(createGame, { name: 'Space Race' });
    const newToken = async () =>
      (await admin.call(openSession, { gameId, wallet: randomWallet() })).launcherJwt;
    const statusOn = (url: string, launcherJwt: string) =>
      post(`${url}/launcher/channel-status`, { launcherJwt });

    const before = await newToken();
    accepted(await statusOn(other.url, before), z.unknown());
    const { code } = await gantry(['key', 'rotate', '--overlap', '0'], { env });
    expect(code).toBe(0);
    for (const { url } of [one, other]) refused(await statusOn(url, before), 401, 'token_invalid');
    const after = await newToken();
    for (const { url } of [one, other]) accepted(await statusOn(url, after), z.unknown());

    const keys = await Promise.all(
      [one, other].map(async ({ url }) => (await get(`${url}/.well-known/jwks.json`)).body),
    );
    expect(keys[0]).toEqual(keys[1]);
  },
);
