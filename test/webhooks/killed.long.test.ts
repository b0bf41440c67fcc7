import { expect, test } from 'vitest';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { startClusterNode } from '../support/cluster-node.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

test('a server killed while it delivers continues after its restart: acknowledged events arrive at least once', async () => {
  await using directory = await temporaryDirectory();
  await using receiver = await startWebhookReceiver();
  const secret = newWebhookSecret();
  receiver.secrets.push(secret);
  const player = await (async () => {
    await using first = await startTestServer({ DATA_DIR: directory.path });
    const { gameId } = await first.createGame();
    const webhook = { gameId, url: receiver.url, filter: 'event-callbacks' as const };
    await first.services.db.write(addWebhook, { ...webhook, sealedSecret: first.box.seal(secret) });
    return await first.openSession(gameId);
  })();
  let answers = 0;
  receiver.answer = (_request, response) => {
    // The first ones are never answered: the server is killed while it waits for them.
    if (++answers > 4) response.writeHead(204).end();
  };
  await using node = await startClusterNode({ DATA_DIR: directory.path, WEBHOOK_ALLOW_LOOPBACK: 'on' });
  const setScore = (score: number) =>
    post(`${node.url}/launcher/set-user-score`, { launcherJwt: player.launcherJwt, score });
  for (let score = 0; score < 40; score++) expect((await setScore(score)).status).toBe(200);
  await until('deliveries under way', () => receiver.received.length >= 4);
  await node.kill();
  const seen = new Set(receiver.received.map(({ data }) => data.score));
  expect(seen.size).toBeLessThan(40);

  await node.start();
  // What was in flight stays claimed for another half minute: its server might have been alive.
  const times = () => Map.groupBy(receiver.received, ({ id }) => id);
  const unanswered = receiver.received.slice(0, 4).map(({ id }) => id);
  await until(
    'all delivered, the unanswered ones again',
    () => times().size === 40 && unanswered.every((id) => (times().get(id)?.length ?? 0) > 1),
    120_000,
  );
  expect(new Set(receiver.received.map(({ data }) => data.score)).size).toBe(40);
  expect(receiver.refused).toEqual([]);
}, 120_000);
