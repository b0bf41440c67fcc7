import { expect, test, vi } from 'vitest';
import { GantryClient, type Saved } from '../../src/sdk/client/client.ts';
import { until } from '../support/until.ts';
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

test('pages that are open at the same time share a store, and keep what the others have queued', async () => {
  await using server = await ScriptedServer.start();
  server.stream('player');
  let text = 'null';
  const store = {
    load: (): Saved | null => JSON.parse(text),
    save(saved: Saved) {
      text = JSON.stringify(saved);
    },
  };
  const open = () => new GantryClient({ url: server.url, launcherJwt: 'a token', store });
  const busy = { code: 503, reason: 'server_busy', retryAfterSeconds: 60 };
  server.refusals.push(busy, busy);
  const pages = [open(), open()] as const;
  await until('both refused', () => server.handshakes.length === 2);
  for (const [score, page] of [0, 1, 0].entries()) {
    void pages[page === 0 ? 0 : 1].queue('setUserScore', { score });
    const queuedAt = Date.now();
    await until('another millisecond', () => Date.now() > queuedAt);
  }
  for (const page of pages) page.close();
  const next = open();
  await until('all three', () => server.calls.length === 3);
  expect(server.calls.map(({ data }) => data.score)).toEqual([0, 1, 2]);
  await until('an empty queue', () => store.load()?.queue?.length === 0);
  next.close();
});
