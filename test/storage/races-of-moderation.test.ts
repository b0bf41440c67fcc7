import { describe, expect, test } from 'vitest';
import { block } from '../../src/blocks/commands.ts';
import { listBlocked } from '../../src/blocks/queries.ts';
import type { Audience } from '../../src/core/events/stream.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { createChannel } from '../../src/messages/channel-commands.ts';
import { sendMessage } from '../../src/messages/message-commands.ts';
import { markRead, notifyPlayer } from '../../src/notifications/commands.ts';
import { fileReport } from '../../src/reports/commands.ts';
import { readReports } from '../../src/reports/queries.ts';
import { maxOpenReports, reportsPerWindow } from '../../src/reports/report.ts';
import { noPostgres } from '../support/postgres.ts';
import { racingNodes } from './racing-nodes.ts';

/** What one node has acknowledged applies on the others, whatever they have cached. */
describe.skipIf(noPostgres !== null)('two nodes, 50 concurrent calls each', () => {
  const { first, addPlayer, race } = racingNodes();

  async function bothNodes(): Promise<Database[]> {
    const { results } = await race(async (db) => db);
    return [...new Set(results)];
  }

  test('a notification is marked as read once', async () => {
    const owner = await addPlayer();
    const { _id } = await first().write(notifyPlayer, owner, { message: 'hello', type: 'success' });
    const { results } = await race((db, n) => db.write(markRead, owner, n % 4 < 2 ? [_id] : 'all'));
    expect(results.filter(({ notificationIds }) => notificationIds.length > 0)).toHaveLength(1);
  });

  test('a player blocked on one node starts no channel on the other, and is hidden there', async () => {
    const ada = await addPlayer();
    const grace = await addPlayer(ada.gameId);
    const linus = await addPlayer(ada.gameId);
    const [one, other] = await bothNodes();
    if (!one || !other) throw new Error('there are two nodes');
    const { _id } = await other.write(createChannel, linus, [ada.wallet, grace.wallet]);
    const audiences: Audience[] = [];
    other.onCommit((events) => audiences.push(...events.map(({ audience }) => audience)));
    await other.write(sendMessage, grace, _id, 'still visible'); // so that the node caches that there are no blocks
    await one.write(block, ada, grace.wallet);
    await other.write(sendMessage, grace, _id, 'not visible');
    expect(audiences.slice(-2)).toMatchObject([
      { wallets: expect.arrayContaining([ada.wallet]) },
      { hiddenFrom: [ada.wallet] },
    ]);
    expect(audiences.at(-1)).not.toMatchObject({ wallets: expect.arrayContaining([ada.wallet]) });
    const { refused } = await race((db) => db.write(createChannel, grace, [ada.wallet]));
    expect(refused).toEqual({ adding_declined: 100 });
  });

  test('a player has one open report per subject, and a limited number per hour', async () => {
    const ada = await addPlayer();
    const grace = await addPlayer(ada.gameId);
    const about = { wallet: grace.wallet };
    const report = { about, reason: 'spam' as const, comment: '' };
    const once = await race((db) => db.write(fileReport, ada, report));
    expect([once.results.length, once.refused]).toEqual([1, { already_reported: 99 }]);
    const others = await Promise.all(Array.from({ length: 20 }, () => addPlayer(ada.gameId)));
    const { results, refused } = await race((db, n) =>
      db.write(fileReport, ada, { ...report, about: { wallet: others[n % 20]?.wallet ?? '' } }),
    );
    expect(results).toHaveLength(reportsPerWindow.count - 1);
    expect(Object.keys(refused).toSorted()).toEqual(['already_reported', 'rate_limited']);
    const page = { limit: maxOpenReports, skip: 0 };
    const { total } = await first().read(readReports, { reporter: ada.wallet }, page);
    expect(total).toBe(reportsPerWindow.count);
  });

  test('a player is blocked once', async () => {
    const ada = await addPlayer();
    const grace = await addPlayer(ada.gameId);
    await race((db) => db.write(block, ada, grace.wallet));
    expect((await first().read(listBlocked, ada, { limit: 10, skip: 0 })).total).toBe(1);
  });
});
