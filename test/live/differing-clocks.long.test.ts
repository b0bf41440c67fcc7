import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ClusterNode, clockAhead, startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { redisMissing, startRedis } from '../support/redis.ts';
import { openSharedData } from '../support/shared-data.ts';
import { until } from '../support/until.ts';

const skewMs = 20_000;
/** Longer than a lease, with a renewal and a sweep of every node. */
const watchedMs = 20_000;

test('two nodes whose clocks are 20 s apart agree about who is present: no session is announced as absent while it is connected', async ({
  skip,
}) => {
  skip(redisMissing !== null, redisMissing ?? '');
  await using redis = await startRedis();
  await using data = await openSharedData();
  const variables = { DATA_DIR: data.path, REDIS_URL: redis.url };
  await using behind = await startClusterNode(variables);
  await using ahead = await startClusterNode({
    ...variables,
    ...clockAhead(skewMs, join(data.path, 'clock')),
  });
  const gameId = await data.createGame();
  const launcher = await data.openSession(await data.createGame({ kind: 'launcher' }));
  const player = await data.openSession(gameId, launcher.wallet);
  using watching = await connectLauncher(ahead.url, { launcherJwt: launcher.launcherJwt });
  using _playing = await connectLauncher(behind.url, { launcherJwt: player.launcherJwt });
  const told = () =>
    watching.received
      .filter(({ name, record }) => name === 'game-channels patched' && record._id === player.sessionId)
      .map(({ record }) => record.present);
  const present = async ({ url }: ClusterNode) =>
    (await post(`${url}/launcher/channel-status`, { launcherJwt: player.launcherJwt })).body;

  await until('announced as present', () => told().length > 0);
  const from = performance.now();
  await until(
    'several renewals and sweeps',
    async () => {
      for (const node of [behind, ahead]) expect(await present(node)).toMatchObject({ present: true });
      return performance.now() - from > watchedMs;
    },
    watchedMs + 10_000,
  );
  expect(told()).toEqual([true]);
});
