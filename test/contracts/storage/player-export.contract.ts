import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { events, streams } from '../../../src/core/events/tables.ts';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import type { AnyTable } from '../../../src/core/storage/table.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { ban } from '../../../src/features/administration/commands.ts';
import { beginErasing } from '../../../src/features/administration/erasing-commands.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import {
  type ExportPlace,
  isExportPlace,
  type PlayerRecord,
  readPlayerExport,
} from '../../../src/features/administration/player-export.ts';
import { exportedTables, leftOutTables } from '../../../src/features/administration/player-export-tables.ts';
import { acceptFriend, addFriend, updateFriend } from '../../../src/features/friends/commands.ts';
import { setPrivacy } from '../../../src/features/friends/privacy-commands.ts';
import { setFavorite } from '../../../src/features/games/library-commands.ts';
import { addGuest } from '../../../src/features/guests/commands.ts';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import { createChannel, removeFromChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { addReactionTo } from '../../../src/features/messages/reaction-commands.ts';
import { moveReadMarker } from '../../../src/features/messages/read-marker-commands.ts';
import { mute } from '../../../src/features/moderation/commands.ts';
import { closeReport, fileReport } from '../../../src/features/moderation/reports/commands.ts';
import { addNews, moveNewsMark } from '../../../src/features/news/commands.ts';
import { notifyPlayer } from '../../../src/features/notifications/commands.ts';
import { setGameMuted } from '../../../src/features/notifications/muted-game-commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { recordPlays } from '../../../src/features/playtime/commands.ts';
import { enqueueActions } from '../../../src/features/queue/commands.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { addLeaderboard, endSeason } from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { tables as declaredTables } from '../../../src/server/declarations/tables.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { addGame, addPlayer, hour, nowAndReopened, type OpenStore } from './fixture.ts';

const tables: readonly AnyTable[] = [...declaredTables, streams, events];

/** The contract of exporting a player. */
export function playerExportContract(open: OpenStore): void {
  describe('exporting a player', () => {
    test('every table with rows of players is exported or left out for a reason, with every column', () => {
      const exported = exportedTables.map(({ table }) => table);
      const decided = [...exported, ...leftOutTables.keys()];
      const isPlayers = ({ of: { player, stream, via } }: AnyTable): boolean =>
        player !== undefined || stream !== undefined || (via !== undefined && isPlayers(via.table));
      const undecided = tables.filter((table) => isPlayers(table) && !decided.includes(table));
      expect(undecided.map(({ name }) => name)).toEqual([]);
      expect(new Set(decided).size).toBe(decided.length);
      expect(decided.filter((table) => !tables.includes(table))).toEqual([]);
      for (const { table, columns, omitted } of exportedTables) {
        const all = [...columns, ...Object.keys(omitted)].toSorted();
        expect([table.name, all]).toEqual([table.name, table.columns.map(({ name }) => name).toSorted()]);
      }
    });

    test('has everything of the player in all games, nothing of others, in pages of any size', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const ada = newGuestAddress();
      const games = [await addGame(db), await addGame(db)].map(({ id }) => id);
      await db.write(addGuest, games[0] ?? '', { address: ada, ...guest }, device('ada'), hour);
      for (const gameId of games) {
        const grace = await addPlayer(db, gameId);
        await liveALife(db, { gameId, wallet: ada }, grace, 'ada');
        await liveALife(db, grace, { gameId, wallet: ada }, 'grace');
        await db.write(addFriend, grace.wallet, { wallet: ada, hasCode: true, message: '', gameId });
        await db.write(acceptFriend, ada, grace.wallet);
        await db.write(updateFriend, ada, grace.wallet, { note: 'of ada' });
        await db.write(updateFriend, grace.wallet, ada, { note: 'of grace' });
        await db.write(setPrivacy, grace.wallet, { requests: 'nobody' });
        await db.write(setPrivacy, ada, { requests: 'code' });
        await db.write(setFavorite, { gameId, wallet: ada }, true);
        await db.write(setGameMuted, { gameId, wallet: ada }, true);
        await db.write(setFavorite, grace, true);
        await db.write(setGameMuted, grace, true);
        const item = await db.write(addNews, gameId, { title: 'News' });
        for (const wallet of [ada, grace.wallet]) await db.write(moveNewsMark, wallet, gameId, item.newsId);
        await db.write(block, { gameId, wallet: ada }, grace.wallet);
        await db.write(block, grace, ada);
        for (const [wallet, reason] of [
          [ada, 'of ada'],
          [grace.wallet, 'of grace'],
        ] as const)
          await db.write(mute, { gameId, wallet }, null, 'moderator', { seconds: 60, reason });
      }
      for (const gameId of games) await db.write(ban, ada, gameId, 'of ada');
      for await (const one of nowAndReopened(fixture)) {
        const all = await exportOf(one, ada, 1_000);
        const text = JSON.stringify(all);
        expect(text).not.toMatch(/of grace|secret|moderator/);
        expect([...new Set(all.map(({ type }) => type))]).toEqual(
          exportedTables.map(({ table }) => table.name),
        );
        expect(rowsOf(all, 'players')).toEqual([
          {
            wallet: ada,
            userId: expect.any(String),
            username: 'ada',
            avatar: '',
            createdAt: expect.any(Number),
          },
        ]);
        const inGames = (type: string) =>
          rowsOf(all, type)
            .map(({ gameId }) => gameId)
            .toSorted();
        for (const type of [
          'scores',
          'states',
          'play_sessions',
          'messages',
          'notifications',
          'grants',
          'bans',
        ])
          expect([type, new Set(inGames(type))]).toEqual([type, new Set(games)]);
        expect(rowsOf(all, 'messages').map(({ content }) => content)).toEqual(
          Array.from({ length: 8 }, () => 'of ada'),
        );
        expect(rowsOf(all, 'states')).toHaveLength(12);
        expect(rowsOf(all, 'states')[0]).toMatchObject({ label: 'a', json: { text: ['of ada'] } });
        expect(rowsOf(all, 'scores').map(({ score, metadata }) => [score, metadata])).toEqual(
          games.flatMap(() => [1, 2, 3].map((score) => [score, { by: 'of ada' }])),
        );
        expect(rowsOf(all, 'leaderboard_records').map((row) => [row.leaderboard, row.season])).toEqual(
          expect.arrayContaining([1, 2].map((season) => ['weekly', season])),
        );
        expect(rowsOf(all, 'player_reports')).toMatchObject(games.map(() => ({ comment: 'of ada' })));
        expect(rowsOf(all, 'player_mutes')).toMatchObject(games.map(() => ({ reason: 'of ada' })));
        for (const limit of [1, 2, 7]) expect(await exportOf(one, ada, limit)).toEqual(all);
      }
      const before = await contentsOf(fixture.db);
      await erasePlayerData(fixture.db, declaredTables, ada);
      const after = await contentsOf(fixture.db);
      const decided = [...exportedTables.map(({ table }) => table), ...leftOutTables.keys()];
      const touched = tables.filter(({ name }) => after.get(name) !== before.get(name));
      expect(touched.filter((table) => !decided.includes(table)).map(({ name }) => name)).toEqual([]);
      expect(touched.length).toBeGreaterThan(exportedTables.length);
    });

    test('pages with large states are shorter than requested', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = await addPlayer(db, gameId);
      const large = JSON.stringify('x'.repeat(400_000));
      for (let n = 0; n < 10; n++) await db.write(saveState, ada, `state ${n}`, large, 'bafk');
      const first = await db.read(readPlayerExport, ada.wallet, null, 1_000);
      expect(first.records.filter(({ type }) => type === 'states')).toHaveLength(4);
      const all = await exportOf(db, ada.wallet, 1_000);
      expect(rowsOf(all, 'states').map(({ label }) => label)).toEqual(
        Array.from({ length: 10 }, (_, n) => `state ${n}`),
      );
    });

    test('is refused for a player who is unknown, being erased, or erased', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await addPlayer(db, (await addGame(db)).id);
      const unknown = { reason: 'player_unknown' };
      await expect(db.read(readPlayerExport, newGuestAddress(), null, 10)).rejects.toMatchObject(unknown);
      expect(await exportOf(db, ada.wallet, 10)).toHaveLength(3);
      await db.write(beginErasing, ada.wallet);
      await expect(db.read(readPlayerExport, ada.wallet, null, 10)).rejects.toMatchObject(unknown);
      await erasePlayerData(db, declaredTables, ada.wallet);
      await expect(db.read(readPlayerExport, ada.wallet, null, 10)).rejects.toMatchObject(unknown);
    });
  });
}

const guest = { vouchedBy: null, playerKey: null, idleMs: hour };
const device = (of: string) => ({ secretHash: `secret of ${of}`, name: `device of ${of}` });

function rowsOf(records: readonly PlayerRecord[], type: string) {
  return records.filter((one) => one.type === type).map(({ row }) => row);
}

/** The rows of every table, as text, by the table's name. */
async function contentsOf(db: Store): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await rowsIn(db, `SELECT * FROM ${name}`, {});
    all.set(name, JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()));
  }
  return all;
}

async function exportOf(db: Store, wallet: string, limit: number): Promise<PlayerRecord[]> {
  const all: PlayerRecord[] = [];
  let place: ExportPlace | null = null;
  do {
    const page: { records: PlayerRecord[]; next: ExportPlace | null } = await db.read(
      readPlayerExport,
      wallet,
      place,
      limit,
    );
    expect(page.records.length).toBeLessThanOrEqual(limit);
    all.push(...page.records);
    place = page.next;
    if (place !== null) expect([place, isExportPlace(place)]).toEqual([place, true]);
  } while (place !== null);
  return all;
}

/** Writes a row to every table that is exported, except those about guests, bans, mutes and blocks; the player's texts name the player. */
async function liveALife(db: Store, me: Owner, other: Owner, name: string): Promise<void> {
  const text = `of ${name}`;
  const { gameId, wallet } = me;
  await db.write(setProfile, wallet, { username: name });
  for (const score of [1, 2, 3]) await db.write(setScore, me, score, undefined, { metadata: { by: text } });
  const leaderboard = `weekly`;
  await db
    .write(addLeaderboard, gameId, {
      ...{ name: leaderboard, keep: 'best', order: 'desc', entries: 'all', labels: [], public: true },
      ...{ schedule: null, keepSeasons: 5 },
    })
    .catch(() => undefined); // the other has added it
  for (const score of [4, 5]) await db.write(setLeaderboardScore, me, leaderboard, score);
  await db.write(endSeason, gameId, leaderboard);
  for (const score of [6, 7]) await db.write(setLeaderboardScore, me, leaderboard, score);
  for (const label of 'abcdef') {
    await db.write(saveState, me, label, JSON.stringify({ text: [text] }), 'bafk');
  }
  for (let n = 0; n < 3; n++) {
    const node = { id: randomUUID(), upMs: 0 };
    await db.write(recordPlays, node, [{ wallet, gameId, agoMs: 1 }]);
    await db.write(recordPlays, node, [{ wallet, gameId: null, agoMs: 0 }]);
    await db.write(trackPlaySession, me, { sessionId: randomUUID(), state: JSON.stringify(text) });
    await db.write(recordActivity, me, { label: text, eventId: text });
    await db.write(notifyPlayer, me, { message: text, type: 'success' });
  }
  const { _id: channelId } = await db.write(createChannel, me, [other.wallet]);
  for (let n = 0; n < 3; n++) await db.write(sendMessage, me, channelId, text);
  const { _id: theirs } = await db.write(
    sendMessage,
    other,
    channelId,
    `of ${name === 'ada' ? 'grace' : 'ada'}`,
  );
  for (const reaction of ['🎉', '👍']) await db.write(addReactionTo, me, theirs, reaction);
  await db.write(moveReadMarker, me, channelId, theirs);
  const { _id: left } = await db.write(createChannel, await addPlayer(db, gameId), [wallet]);
  await db.write(removeFromChannel, me, left, wallet);
  const about = { wallet: other.wallet };
  const reportId = await db.write(fileReport, me, { about, reason: 'spam', comment: text });
  await db.write(closeReport, reportId, {
    outcome: 'dismissed',
    note: 'a moderator noted',
    by: 'the moderator',
  });
  const rules = [{ trigger: 'win', actions: [{ type: 'GrantAchievementToken', achievement: text }] }];
  await db.write(replaceRules, gameId, ruleList.parse(rules));
  await db.write(triggerRules, me, { trigger: 'win', nonce: text });
  const action = { lane: '1:0x', type: 'IssueToken', gameId, wallet, payload: { secret: 'secret' } };
  await db.write(enqueueActions, [
    { ...action, kind: 'chain' },
    { ...action, kind: 'chain' },
    { ...action, kind: 'webhook' },
  ]);
}
