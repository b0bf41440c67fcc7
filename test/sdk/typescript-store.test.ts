import { expect, test, vi } from 'vitest';
import { GantryClient } from '../../src/sdk/client/client.ts';
import { ScriptedServer } from './scripted-server.ts';

test('a store that is full stops neither the queue nor events', async () => {
  using complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await using server = await ScriptedServer.start();
  const { epoch } = server.stream('channel:one');
  const client = new GantryClient({
    url: server.url,
    launcherJwt: 'a token',
    store: {
      load: () => null,
      save() {
        throw new Error('QuotaExceededError');
      },
    },
  });
  const answers = await Promise.all([
    client.queue('setUserScore', { score: 1 }),
    client.queue('setUserScore', { score: 2 }),
  ]);
  expect(answers).toEqual([{ success: true }, { success: true }]);
  expect(server.calls.map(({ data }) => data.score)).toEqual([1, 2]);
  const received = new Promise((resolve) => client.on('chat-messages created', resolve));
  server.add('channel:one', { name: 'chat-messages created', record: { _id: 'm1' } });
  await received;
  expect(client.cursors).toEqual({ 'channel:one': { epoch, seq: 1 } });
  expect(complaints).toHaveBeenCalled();
  client.close();
});
