import { expect, test } from 'vitest';
import { connectLauncher } from '../support/launcher.ts';
import { startTestServer } from '../support/server.ts';

test('a message, its edit and its unsend reach the other participant, in order, and nobody else', async () => {
  await using server = await startTestServer();
  const { gameId } = await server.createGame();
  const [ada, grace, eve] = await Promise.all([1, 2, 3].map(() => server.openSession(gameId)));
  if (!ada || !grace || !eve) throw new Error('no players');
  using hers = await connectLauncher(server.url, { launcherJwt: grace.launcherJwt });
  using strangers = await connectLauncher(server.url, { launcherJwt: eve.launcherJwt });
  using own = await connectLauncher(server.url, { launcherJwt: ada.launcherJwt });

  const channel = (await own.call('createMessageChannel', { otherParticipants: [grace.wallet] })) as {
    _id: string;
  };
  const message = (await own.call('sendChannelMessage', { channelId: channel._id, content: 'hello' })) as {
    _id: string;
  };
  await own.call('editChannelMessage', { messageId: message._id, newContent: 'hello again' });
  await own.call('unsendChannelMessage', { messageId: message._id });

  await hers.waitForEvent('chat-messages removed');
  expect(hers.received.map(({ name, meta }) => [name, meta.seq])).toEqual([
    ['message-channels created', 1],
    ['chat-messages created', 2],
    ['chat-messages patched', 3],
    ['chat-messages removed', 4],
  ]);
  expect(hers.received[2]?.record).toMatchObject({
    _id: message._id,
    content: 'hello again',
    senderId: ada.wallet,
  });
  expect(strangers.received).toEqual([]);
});
