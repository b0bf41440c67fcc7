import { expect, test } from 'vitest';
import { createEvent } from '../../src/features/calendar/operations/calendar.ts';
import { setMaintenance } from '../../src/features/maintenance/operations/maintenance.ts';
import { publishNews } from '../../src/features/news/operations/news.ts';
import { publishRelease } from '../../src/features/releases/operations/releases.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { newWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts';
import { overHttp } from '../support/administration.ts';
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
    for (const id of [gameId, (await first.createGame({ kind: 'launcher' })).gameId]) {
      const webhook = { gameId: id, url: receiver.url, filter: 'event-callbacks' as const };
      await first.services.db.write(addWebhook, { ...webhook, sealedSecret: first.box.seal(secret) });
    }
    return await first.openSession(gameId);
  })();
  let answers = 0;
  receiver.answer = (_request, response) => {
    // The first ones are never answered: the server is killed while it waits for them.
    if (++answers > 4) response.writeHead(204).end();
  };
  const adminToken = 'an-admin-token-of-the-node';
  const variables = { DATA_DIR: directory.path, WEBHOOK_ALLOW_LOOPBACK: 'on', ADMIN_TOKEN: adminToken };
  await using node = await startClusterNode(variables);
  const admin = overHttp({ url: node.url, adminToken });
  const { gameId } = player;
  const hour = 60 * 60 * 1000;
  const startsAt = Date.now() - hour;
  await admin.call(publishNews, { gameId, title: 'Of the game' });
  await admin.call(publishNews, { title: 'Of the installation' });
  await admin.call(publishRelease, { gameId, version: '2.0' });
  await admin.call(createEvent, { gameId, key: 'fair', startsAt, endsAt: Date.now() + 1_000 });
  await admin.call(setMaintenance, { gameId, from: Date.now() + hour, until: Date.now() + 2 * hour });
  await admin.call(publishNews, { gameId, title: 'At a time', publishAt: Date.now() + 1_000 });
  const setScore = (score: number) =>
    post(`${node.url}/launcher/set-user-score`, { launcherJwt: player.launcherJwt, score });
  for (let score = 0; score < 40; score++) expect((await setScore(score)).status).toBe(200);
  await until('deliveries under way', () => receiver.received.length >= 4);
  await node.kill();
  const expected = [
    ...Array.from({ length: 40 }, () => 'scores.created'),
    ...['events.started', 'events.ended', 'releases.created'],
    ...['news.created', 'news.created', 'news.created', 'maintenance.patched'],
  ].toSorted();
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBeLessThan(40);

  await node.start();
  // What was in flight stays claimed for another half minute: its server might have been alive.
  const times = () => Map.groupBy(receiver.received, ({ id }) => id);
  const unanswered = receiver.received.slice(0, 4).map(({ id }) => id);
  await until(
    'all delivered, the unanswered ones again',
    () => times().size >= expected.length && unanswered.every((id) => (times().get(id)?.length ?? 0) > 1),
  );
  const firsts = [...times().values()].flatMap(([first]) => first ?? []);
  expect(firsts.map(({ type }) => type).toSorted()).toEqual(expected);
  expect(new Set(firsts.map(({ type, data }) => `${type} ${data.score} ${data.title}`)).size).toBe(
    expected.length,
  );
  expect(receiver.refused).toEqual([]);
});
