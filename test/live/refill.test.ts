import { expect, test, vi } from 'vitest';
import { openWorkspace } from '../../src/workspace.ts';
import { connectLauncher } from '../support/launcher.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

test('what another process writes to the same data reaches the launchers here, in the order of commits', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  await launcher.streams();
  const { store: other } = openWorkspace(server.config);
  const { store } = server.services;
  for (let score = 0; score < 100; score++) await (score % 2 ? other : store).scores.set(player, score);
  await other.close();
  const scores = () => launcher.heard.filter(({ name }) => name === 'scores created');
  await until('all scores', () => scores().length === 100);
  expect(scores().map(({ record }) => record.score)).toEqual(
    Array.from({ length: 100 }, (_, score) => score),
  );
  const [first] = scores();
  expect(scores().map(({ meta }) => meta.seq - (first?.meta.seq ?? 0))).toEqual(
    Array.from({ length: 100 }, (_, index) => index),
  );
});

test('a read of the store that fails costs no process and no event', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  using launcher = await connectLauncher(server.url, { launcherJwt: player.launcherJwt });
  await launcher.streams();
  const { store } = server.services;
  const failing = vi.spyOn(store.events, 'after').mockRejectedValue(new Error('the disk is slow'));
  const { store: other } = openWorkspace(server.config);
  await other.scores.set(player, 1);
  await store.scores.set(player, 2); // leaves a gap before it
  await other.close();
  await until('a failed read', () => failing.mock.calls.length > 0);
  failing.mockRestore();
  const scores = () => launcher.heard.filter(({ name }) => name === 'scores created');
  await until('both scores', () => scores().length === 2);
  expect(scores().map(({ record }) => record.score)).toEqual([1, 2]);
});

test('what was trimmed before this node could read it makes the client resynchronise, not miss it in silence', async () => {
  await using server = await startTestServer({ EVENT_RETENTION_COUNT: '5' });
  const player = await server.openSession((await server.createGame()).gameId);
  using listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  const { store: other } = openWorkspace(server.config);
  await Promise.all(Array.from({ length: 50 }, (_, score) => other.scores.set(player, score)));
  await other.close();
  const stream = `player:${player.gameId}:${player.wallet}`;
  const before = listening.resyncs.length;
  await until('the resynchronisation', () => listening.resyncs.length > before);
  expect(listening.resyncs.at(-1)).toBe(stream);
  await listening.client.ready();
  await server.services.store.scores.set(player, 50);
  await until('the next score', () => listening.heard.at(-1)?.record.score === 50);
  const { seq } = await server.services.store.events.standing(stream);
  expect(listening.client.cursors[stream]?.seq).toBe(seq);
});
