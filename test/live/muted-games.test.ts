import { expect, test } from 'vitest';
import { notifyPlayer } from '../../src/features/notifications/commands.ts';
import { connectLauncher, settled, type TestLauncher } from '../support/launcher.ts';
import { startTestServer } from '../support/server.ts';

/** What a launcher was notified of, without the marks that `settled` waits for. */
function messagesOf({ received }: Pick<TestLauncher, 'received'>): string[] {
  return received
    .filter(({ name }) => name === 'notifications created')
    .map(({ record }) => String(record.message))
    .filter((message) => !message.startsWith('mark'));
}

test('a muted game notifies its player in the game and no launcher: live, in a replay and after an absence', async () => {
  await using server = await startTestServer();
  const [chess, go, own] = [
    await server.createGame(),
    await server.createGame(),
    await server.createGame({ kind: 'launcher' }),
  ];
  const inGame = await server.openSession(chess.gameId);
  const { wallet } = inGame;
  const { launcherJwt } = await server.openSession(own.gameId, wallet);
  const notify = ({ gameId }: { gameId: string }, message: string) =>
    server.services.db.write(notifyPlayer, { gameId, wallet }, { message, type: 'success' });
  const stream = `player:${chess.gameId}:${wallet}`;
  const inStream = ({ received }: TestLauncher) => received.filter(({ meta }) => meta.stream === stream);
  let start = { epoch: '', seq: 0 };
  {
    using desktop = await connectLauncher(server.url, { launcherJwt });
    using phone = await connectLauncher(server.url, { launcherJwt });
    using game = await connectLauncher(server.url, { launcherJwt: inGame.launcherJwt });
    await settled(desktop, phone, game);
    await notify(chess, 'before');
    await desktop.call('setMutedGame', { gameId: chess.gameId, muted: true });
    const { record, meta } = await phone.waitForEvent('muted-games patched');
    expect(record).toMatchObject({ normalizedAddress: wallet, gameId: chess.gameId, muted: true });
    expect(meta.stream).toBe(`account:${wallet}`);
    await notify(chess, 'a canary');
    await notify(chess, 'a second canary');
    await notify(go, 'your move');
    await settled(desktop, phone);
    for (const quiet of [desktop, phone]) {
      expect(messagesOf(quiet)).toEqual(['before', 'your move']);
      const seen = inStream(quiet).slice(-3);
      const skipped = { name: 'realtime-events skipped', record: {} };
      expect(seen).toMatchObject([{ name: 'notifications created' }, skipped, skipped]);
      const [first = Number.NaN, ...next] = seen.map((one) => one.meta.seq);
      expect(next).toEqual([first + 1, first + 2]); // no gap that would affect a cursor
      start = { epoch: seen[0]?.meta.epoch ?? '', seq: first };
    }
    await settled(game);
    expect(messagesOf(game)).toEqual(['before', 'a canary', 'a second canary']);
    expect(game.received.map(({ name }) => name)).not.toContain('muted-games patched');
    const listed = { notifications: [{ message: 'your move' }], cursor: null };
    expect(await desktop.call('listNotifications', { unreadOnly: true, limit: 1 })).toMatchObject({
      notifications: [{ gameId: own.gameId }], // a mark
    });
    const { notifications } = (await desktop.call('listNotifications')) as typeof listed;
    expect(JSON.stringify(notifications)).not.toMatch(/canary|before/);
    expect(await desktop.call('markNotificationsRead', { all: true })).toMatchObject({ more: false });
    const inTheGame = await game.call('listNotifications');
    expect(JSON.stringify(inTheGame)).toContain('"message":"a canary","type":"success"');
    expect(inTheGame).toMatchObject({ unread: 9 }); // with six marks: what a launcher does not show stays unread
  }
  await notify(chess, 'a third canary'); // nobody is connected
  await notify(go, 'check');
  using again = await connectLauncher(server.url, { launcherJwt, cursors: { [stream]: start } });
  using later = await connectLauncher(server.url, { launcherJwt });
  await settled(again, later);
  expect(JSON.stringify([again.received, later.received])).not.toContain('canary');
  expect(inStream(again).map(({ meta }) => meta.seq)).toContain(start.seq + 2);
  expect(messagesOf(again)).toContain('check');
  using game = await connectLauncher(server.url, { launcherJwt: inGame.launcherJwt });
  await settled(game);
  expect(messagesOf(game)).toContain('a third canary');
  await later.call('setMutedGame', { gameId: chess.gameId, muted: false });
  await notify(chess, 'after');
  await settled(later);
  expect(messagesOf(later)).toContain('after');
});
