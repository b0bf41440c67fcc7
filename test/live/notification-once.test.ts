import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../src/core/storage/store.ts';
import { markDelivered, notifyPlayer } from '../../src/features/notifications/commands.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Simulates a server that dies before it records its deliveries. */
function loseMarks(db: Store): void {
  const write = db.write.bind(db) as Store['write']; // `bind` loses the generic signature
  db.write = (command, ...args) =>
    command.commandName === markDelivered.commandName ? new Promise(() => {}) : write(command, ...args);
}

test('a delivered notification is emitted once, although the server died before recording the delivery', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'gantry-notified-'));
  await using first = await startTestServer({ DATA_DIR: directory.path });
  const player = await first.openSession((await first.createGame()).gameId);
  loseMarks(first.services.db);
  using listening = listen({ url: first.url, launcherJwt: player.launcherJwt });
  await listening.client.ready();
  await first.services.db.write(notifyPlayer, player, { message: 'once', type: 'success' });
  await until('the notification', () => listening.received.some(({ record }) => record.message === 'once'));
  // Push tracks its own writes, not these: closing does not wait for what never settles.
  await first.close();
  await using second = await startTestServer({
    DATA_DIR: directory.path,
    PORT: new URL(first.url).port,
  });
  await until('back', () => listening.connections() === 2);
  await second.services.db.write(notifyPlayer, player, { message: 'mark', type: 'success' });
  await until('the mark', () => listening.received.some(({ record }) => record.message === 'mark'));
  const messages = listening.received.filter(({ name }) => name === 'notifications created');
  expect(messages.map(({ record }) => record.message)).toEqual(['once', 'mark']);
});
