import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Audience } from '../../src/core/events/stream.ts';
import type { Owner } from '../../src/core/schemas/owner.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { block, unblock } from '../../src/features/messages/blocks/commands.ts';
import { listBlocked } from '../../src/features/messages/blocks/queries.ts';
import { createChannel, editChannelInfo } from '../../src/features/messages/channel-commands.ts';
import { editMessage, sendMessage } from '../../src/features/messages/message-commands.ts';
import { addReactionTo } from '../../src/features/messages/reaction-commands.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import { fileReport } from '../../src/features/moderation/reports/commands.ts';
import { readReports } from '../../src/features/moderation/reports/queries.ts';
import { maxOpenReports, reportsPerWindow } from '../../src/features/moderation/reports/report.ts';
import { markRead, notifyPlayer } from '../../src/features/notifications/commands.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { runUnlessMuted } from '../../src/server/declarations/commands.ts';
import { noPostgres } from '../support/postgres.ts';
import { walletOf } from './database-of-version.ts';
import { racingNodes } from './racing-nodes.ts';

/** What one node has acknowledged applies on the others, whatever they have cached. */
describe.skipIf(noPostgres !== null)('two nodes, 50 concurrent calls each', () => {
  const { first, addGame, addPlayer, race } = racingNodes();

  async function bothNodes(): Promise<Database[]> {
    const { results } = await race(async (db) => db);
    return [...new Set(results)];
  }

  /** Mutes a player while the other node writes for them: what was written is stored, what was refused is not. */
  async function muteWhile(
    one: Database,
    other: Database,
    player: Owner,
    write: (db: Database, n: number) => Promise<unknown>,
  ) {
    const writing = Array.from({ length: 50 }, (_, n) => write(other, n));
    const muting = one.write(mute, player, null, 'server', { seconds: 60, reason: '' });
    const more = Array.from({ length: 50 }, (_, n) => write(other, n));
    const settled = await Promise.allSettled([...writing, ...more]);
    for (const outcome of settled) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ reason: 'muted' });
    }
    return { until: await muting };
  }

  test('a notification is marked as read once', async () => {
    const owner = await addPlayer();
    const { _id } = await first().write(notifyPlayer, owner, { message: 'hello', type: 'success' });
    const { results } = await race((db) => db.write(markRead, owner, [_id]));
    expect(results.filter((marked) => marked.length > 0)).toHaveLength(1);
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

  test('a player blocked in a launcher on one node is added to no channel on the other, in any game', async () => {
    const ada = await addPlayer(await addGame({ kind: 'launcher' }));
    const adders = await Promise.all(Array.from({ length: 4 }, () => addPlayer()));
    const [grace] = adders;
    if (!grace) throw new Error('there is no adder');
    const owners = adders.map(({ gameId }) => ({ gameId, wallet: grace.wallet }));
    const add = (db: Database, n: number) =>
      db.write(createChannel, owners[n % 4] ?? grace, [ada.wallet, walletOf(n + 1)]);
    const [one, other] = await bothNodes();
    if (!one || !other) throw new Error('there are two nodes');
    const adding = Promise.allSettled(Array.from({ length: 40 }, (_, n) => add(other, n)));
    await one.write(block, { ...ada, everywhere: true }, grace.wallet);
    const { refused } = await race((db, n) => add(db, n + 40));
    expect(refused).toEqual({ adding_declined: 100 });
    for (const outcome of await adding) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ reason: 'adding_declined' });
    }
  });

  test('a player is blocked once by two launchers at once', async () => {
    const games = await Promise.all(Array.from({ length: 4 }, () => addGame({ kind: 'launcher' })));
    const { wallet } = await addPlayer(games[0]);
    const launchers = games.map((gameId) => ({ gameId, wallet, everywhere: true }));
    const grace = await addPlayer();
    const launcherOf = (n: number) => launchers[n % 4] ?? { gameId: grace.gameId, wallet };
    const { refused } = await race((db, n) => db.write(block, launcherOf(n), grace.wallet));
    expect(refused).toEqual({});
    const list = () => first().read(listBlocked, launcherOf(0), { limit: 10, skip: 0 });
    expect((await list()).total).toBe(1);
    const ended = await race((db, n) => db.write(unblock, launcherOf(n), grace.wallet));
    expect([ended.results.length, ended.refused]).toEqual([1, { player_not_blocked: 99 }]);
    expect((await list()).total).toBe(0);
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

  test('a player muted on one node writes nothing that others see on the other', async () => {
    const ada = await addPlayer();
    const grace = await addPlayer(ada.gameId);
    const [one, other] = await bothNodes();
    if (!one || !other) throw new Error('there are two nodes');
    const { _id } = await one.write(createChannel, ada, [grace.wallet]);
    const { _id: messageId } = await other.write(sendMessage, ada, _id, 'hello');
    const board = { keep: 'best', order: 'desc', entries: 'player' } as const;
    const seasons = { public: true, schedule: null, keepSeasons: null };
    await one.write(addLeaderboard, ada.gameId, { ...board, ...seasons, labels: [], name: 'weekly' });
    const rename = { name: 'New name' };
    const write = (db: Database, n: number): Promise<unknown> => {
      const ifAllowed = (commandName: string, ...args: unknown[]) =>
        db.write(runUnlessMuted, ada, 'path', commandName, [ada, ...args]);
      switch (n % 7) {
        case 0:
          return ifAllowed('recordActivity', { label: 'hello', eventId: 'e' });
        case 1:
          return ifAllowed('setLeaderboardScore', 'weekly', n, { metadata: { hero: 'hello' } });
        case 2:
          return db.write(saveState, ada, randomUUID(), '{}', '', undefined, { public: true });
        case 3:
          return db.write(sendMessage, ada, _id, 'hello');
        case 4:
          return db.write(editMessage, ada, messageId, 'HELLO');
        case 5:
          return db.write(addReactionTo, ada, messageId, `name_${n}`);
        default:
          return db.write(editChannelInfo, ada, _id, rename);
      }
    };
    const before = await race(write);
    expect([before.results.length, before.refused]).toEqual([100, {}]);
    const { until } = await muteWhile(one, other, ada, write);
    expect(until).toBeGreaterThan(0);
    expect((await race(write)).refused).toEqual({ muted: 100 });
    await other.write(mute, ada, null, 'server', { seconds: 0, reason: '' });
    expect((await one.write(sendMessage, ada, _id, 'again')).content).toBe('again');
  });

  test('a player is blocked once', async () => {
    const ada = await addPlayer();
    const grace = await addPlayer(ada.gameId);
    await race((db) => db.write(block, ada, grace.wallet));
    expect((await first().read(listBlocked, ada, { limit: 10, skip: 0 })).total).toBe(1);
  });
});
