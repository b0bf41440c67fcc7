import { expect, test } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import { streamPositions } from '../../src/features/events/queries.ts';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { interceptReads } from '../support/intercepted-reads.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

test('a client the server cannot accept right now retries until it succeeds', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  const full = new GantryError('store_unavailable', 'The database cannot take writes right now');
  interceptReads(server.services.db, streamPositions, {
    before(_, call) {
      if (call <= 2) throw full;
    },
  });
  using listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  const states: string[] = [];
  listening.client.onStatus(({ state }) => states.push(state));
  await listening.client.ready();
  expect(listening.client.status.state).toBe('live');
  expect(states).not.toContain('refused');
  await server.services.db.write(notifyPlayer, player, { message: 'hello', type: 'success' });
  await until('the notification', () => listening.received.some(({ record }) => record.message === 'hello'));
});

test('a client that is closed while waiting to retry stays closed', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  const positions = interceptReads(server.services.db, streamPositions, {
    before() {
      throw new GantryError('store_unavailable', 'The database cannot take writes right now');
    },
  });
  const listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  await until('the refusal', () => positions.calls === 1);
  listening.client.close();
  await until('nobody is present', async () => !(await server.services.presence.isPresent(player.sessionId)));
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // longer than it would have waited
  expect(positions.calls).toBe(1);
  expect(listening.client.status.state).toBe('connecting');
  expect(listening.connections()).toBe(0);
});

test('a client that has connected too often waits, and is accepted again', async () => {
  await using server = await startTestServer();
  const player = await server.openSession((await server.createGame()).gameId);
  interceptReads(server.services.db, streamPositions, {
    before(_, call) {
      if (call === 1) throw new GantryError('rate_limited', 'Too many calls; try again in 30 s');
    },
  });
  using listening = listen({ url: server.url, launcherJwt: player.launcherJwt });
  const states: string[] = [];
  listening.client.onStatus(({ state }) => states.push(state));
  await until('connected again', () => states.includes('live'));
  expect(states).not.toContain('refused');
});
