import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { banPlayer, unbanPlayer } from '../../src/features/administration/operations/players.ts';
import {
  listGameSecrets,
  revokeGameSecret,
  rotateGameSecret,
} from '../../src/features/games/operations/game-secrets.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession, revokeSession } from '../../src/features/sessions/operations/sessions.ts';
import { overHttp } from '../support/administration.ts';
import { type ClusterNode, startClusterNode } from '../support/cluster-node.ts';
import { type Answer, post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { accepted, refused } from '../support/outcome.ts';
import { freshDatabase, noPostgres } from '../support/postgres.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { hmacSigned } from '../support/request-signatures.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { gantry } from '../support/warm-gantry.ts';
import { bearer } from '../support/world.ts';

const adminToken = 'the-admin-token-of-this-test';
/** Repetitions of each: a stale cache on another node would show in some of them. */
const rounds = 20;

/** Two nodes as on two machines: they only share a PostgreSQL and a Redis. */
describe.skipIf(noPostgres !== null || redisMissing !== null)('revocations, from the next call on', () => {
  let near: ClusterNode;
  let far: ClusterNode;
  let env: Record<string, string>;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    const database = opened.use(await freshDatabase());
    const redis = opened.use(await startRedis());
    const [one, other] = [opened.use(await temporaryDirectory()), opened.use(await temporaryDirectory())];
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      GANTRY_SECRET_KEY: '5e'.repeat(32),
      ADMIN_TOKEN: adminToken,
    };
    near = opened.use(await startClusterNode({ ...env, DATA_DIR: one.path }));
    far = opened.use(await startClusterNode({ ...env, DATA_DIR: other.path }));
  });
  afterAll(() => opened.disposeAsync());

  const admin = () => overHttp({ url: near.url, adminToken });
  const newGame = () => admin().call(createGame, { name: 'Space Race' });
  const statusOn = (node: ClusterNode, launcherJwt: string) =>
    post(`${node.url}/launcher/channel-status`, { launcherJwt });
  /** A write that the far node has just executed with the same credentials. */
  const setScoreOn = (node: ClusterNode, launcherJwt: string) =>
    post(`${node.url}/launcher/set-user-score`, { launcherJwt, score: 1 });
  const works = (answer: Answer) => accepted(answer, z.unknown());

  test('a ban on one node applies on the other: to the token, the socket, and a game’s server for the player', async () => {
    const { gameId, gameSecret } = await newGame();
    for (let round = 0; round < rounds; round++) {
      const wallet = randomWallet();
      const { launcherJwt } = await admin().call(openSession, { gameId, wallet });
      works(await setScoreOn(far, launcherJwt));
      using launcher = await connectLauncher(far.url, { launcherJwt });
      const asServer = () =>
        post(`${far.url}/launcher/set-user-score`, { wallet, score: 2 }, bearer(gameSecret));
      works(await asServer());
      await admin().call(banPlayer, { wallet, gameId });
      refused(await setScoreOn(far, launcherJwt), 401, 'session_ended');
      refused(await asServer(), 401, 'player_banned');
      const anew = overHttp({ url: far.url, adminToken }).call(openSession, { gameId, wallet });
      await expect(anew).rejects.toThrow(/banned/);
      await until('the socket closed', () => !launcher.socket.connected);
      await admin().call(unbanPlayer, { wallet, gameId });
      works(await asServer());
    }
  });

  test('a session revoked on one node has ended on the other', async () => {
    const { gameId } = await newGame();
    for (let round = 0; round < rounds; round++) {
      const session = await admin().call(openSession, { gameId, wallet: randomWallet() });
      works(await statusOn(far, session.launcherJwt));
      await admin().call(revokeSession, { sessionId: session.sessionId });
      refused(await setScoreOn(far, session.launcherJwt), 401, 'session_ended');
    }
  });

  test('a game’s secret rotated out or revoked on one node is invalid on the other, sent or used for signing', async () => {
    const { gameId, gameSecret: first } = await newGame();
    const wallet = randomWallet();
    const { launcherJwt } = await admin().call(openSession, { gameId, wallet });
    const sent = (secret: string) =>
      post(`${far.url}/launcher/set-user-score`, { wallet, score: 1 }, bearer(secret));
    const signed = (secret: string) => {
      const body = JSON.stringify({ launcherJwt, score: 1 });
      return post(`${far.url}/launcher/set-user-score`, body, hmacSigned(secret, body));
    };
    const bothWork = async (secret: string) => {
      works(await sent(secret));
      works(await signed(secret));
    };
    const noneWorks = async (secret: string) => {
      refused(await sent(secret), 401, 'secret_invalid');
      refused(await signed(secret), 401, 'signature_invalid');
    };
    let secret = first;
    for (let round = 0; round < rounds; round++) {
      await bothWork(secret);
      const { gameSecret: next } = await admin().call(rotateGameSecret, { gameId, graceSeconds: 0 });
      await noneWorks(secret);
      await bothWork(next);
      const { secrets } = await admin().call(listGameSecrets, { gameId });
      const { gameSecret: last } = await admin().call(rotateGameSecret, { gameId, graceSeconds: 3600 });
      await bothWork(next);
      for (const { fingerprint, expiresAt } of secrets) {
        if (expiresAt === null) await admin().call(revokeGameSecret, { gameId, fingerprint });
      }
      await noneWorks(next);
      secret = last;
    }
  });

  test('a key rotated out beside one node verifies nothing on either', async () => {
    const { gameId } = await newGame();
    for (let round = 0; round < 3; round++) {
      const { launcherJwt } = await admin().call(openSession, { gameId, wallet: randomWallet() });
      for (const node of [near, far]) works(await statusOn(node, launcherJwt));
      expect((await gantry(['key', 'rotate', '--overlap', '0'], { env })).code).toBe(0);
      for (const node of [far, near]) {
        refused(await setScoreOn(node, launcherJwt), 401, 'token_invalid');
      }
    }
  });
});
