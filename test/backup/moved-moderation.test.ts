import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { readMutes } from '../../src/features/moderation/queries.ts';
import { fileReport } from '../../src/features/moderation/reports/commands.ts';
import { readReports } from '../../src/features/moderation/reports/queries.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { gantry } from '../support/warm-gantry.ts';

const wholePage = { limit: 250, skip: 0 };

test('mutes and reports move with a game, including those without a channel', async () => {
  await using directory = await temporaryDirectory();
  const [data, other, file] = ['data', 'other', 'game.ndjson'].map((name) => join(directory.path, name));
  if (!data || !other || !file) throw new Error('no directory');
  let wallets: string[] = [];
  {
    await using server = await startTestServer({ DATA_DIR: data });
    const { db } = server.services;
    const { gameId } = await server.createGame({ name: 'Moved', slug: 'moved' });
    const [ada, grace] = [await server.openSession(gameId), await server.openSession(gameId)];
    wallets = [ada.wallet, grace.wallet];
    const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
    const { _id: messageId } = await db.write(sendMessage, grace, channelId, 'Buy gold');
    await db.write(mute, grace, null, 'moderator', { seconds: 3_600, reason: 'everywhere' });
    await db.write(mute, grace, channelId, 'moderator', { seconds: 3_600, reason: 'here' });
    for (const about of [{ wallet: grace.wallet }, { messageId }])
      await db.write(fileReport, ada, { about, reason: 'spam', comment: '' });
  }
  const run = (args: string[], DATA_DIR: string) => gantry(args, { env: { DATA_DIR, GANTRY_DEMO: 'off' } });
  expect(await run(['export', 'moved', file], data)).toMatchObject({ code: 0 });
  expect(await run(['import', file], other)).toMatchObject({ code: 0 });
  await using moved = await startTestServer({ DATA_DIR: other });
  const { db } = moved.services;
  const mutes = await db.read(readMutes, { wallet: wallets[1] ?? '' }, wholePage);
  expect(mutes.rows.map(({ reason }) => reason).toSorted()).toEqual(['everywhere', 'here']);
  const reports = await db.read(readReports, { subject: wallets[1] ?? '' }, wholePage);
  expect(reports.rows.map(({ messageId }) => messageId !== null).toSorted()).toEqual([false, true]);
});
