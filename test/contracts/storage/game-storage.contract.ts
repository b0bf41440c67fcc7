import { describe, expect, test } from 'vitest';
import { newGuestAddress } from '../../../src/core/schemas/fields.ts';
import { newId } from '../../../src/core/schemas/ids.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { changeGame } from '../../../src/features/administration/commands.ts';
import { eraseGameData } from '../../../src/features/administration/game-eraser.ts';
import { exportGame, type GameRecord } from '../../../src/features/administration/game-export.ts';
import { importGame } from '../../../src/features/administration/game-import.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { vouchForPlayer } from '../../../src/features/guests/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { deleteMessage, editMessage, sendMessage } from '../../../src/features/messages/message-commands.ts';
import { addReactionTo, removeReactionFrom } from '../../../src/features/messages/reaction-commands.ts';
import {
  notifyPlayer,
  notifySeveral,
  trimNotifications,
} from '../../../src/features/notifications/commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { ensurePlayer } from '../../../src/features/players/commands.ts';
import { findPlayer } from '../../../src/features/players/queries.ts';
import { deleteScore, setScore } from '../../../src/features/scores/commands.ts';
import {
  addLeaderboard,
  clearRetiredSeason,
  deleteLeaderboard,
} from '../../../src/features/scores/leaderboard-commands.ts';
import { setLeaderboardScore } from '../../../src/features/scores/leaderboard-score-commands.ts';
import { endSession, startSession, trimSessions } from '../../../src/features/sessions/commands.ts';
import { findSessions } from '../../../src/features/sessions/queries.ts';
import { removeState, saveState } from '../../../src/features/states/commands.ts';
import { gameStorages, rowOverheadBytes } from '../../../src/features/storage-quota/game-storage.ts';
import { removeIdleGuests, runAll } from '../../../src/server/declarations/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { randomWallet } from '../../support/server.ts';
import {
  addGame,
  addPlayer,
  hour,
  nowAndReopened,
  type OpenStore,
  sealedSecret,
  trio,
  wholePage,
} from './fixture.ts';
import { recountedGameBytes } from './recounted-game-bytes.ts';

const mebibyte = 1024 * 1024;
const full = { reason: 'storage_full', message: expect.stringMatching(/^The game would use/) };
const notice = { message: 'Well played', type: 'success' as const };
const board = {
  keep: 'best' as const,
  order: 'desc' as const,
  entries: 'player' as const,
  public: true,
  labels: [],
  schedule: null,
  keepSeasons: null,
};

const openAsServer = (db: Database, owner: Owner) => db.write(startSession, owner, hour, 'game-server');

const vouch = (db: Database, gameId: string, playerKey: string, idleMs = hour) =>
  db.write(vouchForPlayer, { gameId, playerKey }, { address: newGuestAddress(), idleMs }, hour, 'Ada');

const bytesOf = async (db: Database, gameId: string) =>
  (await db.read(gameStorages, 0)).find((one) => one.gameId === gameId)?.bytes ?? 0;

const save = (db: Database, owner: Owner, label: string, bytes: number) =>
  db.write(saveState, owner, label, `"${'a'.repeat(bytes - 2)}"`, 'bafk');

async function smallGame(db: Database, storageQuotaMegabytes = 1): Promise<string> {
  return (await addGame(db, { policies: { storageQuotaMegabytes } })).id;
}

/** What a game may store. */
export function gameStorageContract(open: OpenStore): void {
  describe('the storage quota of a game', () => {
    const expectCounted = async (db: Database, gameId: string) =>
      expect(await bytesOf(db, gameId)).toBe(await db.read(recountedGameBytes, tables, gameId));

    test('everything that players and servers write is counted, and everything that is removed is released', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const [ada, grace, alan] = await trio(db);
      const { gameId } = ada;
      await save(db, ada, 'hero', 100);
      await save(db, ada, 'hero', 40);
      await save(db, grace, 'hero', 70);
      await db.write(removeState, grace, 'hero');
      await db.write(trackPlaySession, alan, { sessionId: newId(), state: '{"é":1}' });
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id: message } = await db.write(sendMessage, ada, channelId, 'hello');
      await db.write(editMessage, ada, message, 'hi');
      await db.write(addReactionTo, grace, message, '👍');
      await expectCounted(db, gameId);
      await db.write(removeReactionFrom, grace, message, '👍');
      await db.write(addReactionTo, grace, message, '👍');
      await db.write(deleteMessage, message);
      await db.write(notifyPlayer, ada, notice);
      await db.write(notifySeveral, gameId, [grace.wallet, alan.wallet], { ...notice, expiresInSeconds: 60 });
      await db.write(recordActivity, ada, { label: 'won', eventId: 'e1' });
      await db.write(setScore, ada, 7, 'run');
      await db.write(setScore, ada, 9, 'run');
      const { _id: score } = await db.write(setScore, ada, 3);
      await db.write(addLeaderboard, gameId, { ...board, name: 'laps' });
      await db.write(setLeaderboardScore, ada, 'laps', 1, { nonce: 'n', metadata: { car: 'red' } });
      await db.write(setLeaderboardScore, ada, 'laps', 2, {
        nonce: 'n',
        metadata: { car: 'blue and white' },
      });
      const { _id: record } = await db.write(setLeaderboardScore, grace, 'laps', 2);
      for await (const one of nowAndReopened(fixture)) await expectCounted(one, gameId);
      const before = await bytesOf(fixture.db, gameId);
      await fixture.db.write(deleteScore, gameId, score);
      await fixture.db.write(deleteScore, gameId, record);
      await expectCounted(fixture.db, gameId);
      fixture.clock.advance(hour);
      await fixture.db.write(trimNotifications, hour);
      await expectCounted(fixture.db, gameId);
      await fixture.db.write(deleteLeaderboard, gameId, 'laps');
      await fixture.db.write(clearRetiredSeason);
      await expectCounted(fixture.db, gameId);
      expect(await bytesOf(fixture.db, gameId)).toBeLessThan(before);
      for (const { wallet } of [ada, grace, alan]) await erasePlayerData(fixture.db, tables, wallet);
      expect(await bytesOf(fixture.db, gameId)).toBe(0);
      await expectCounted(fixture.db, gameId);
    });

    test('a new wallet counts its row, even after its state is removed, so that empty players are bounded too', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const ada = { gameId, wallet: randomWallet() };
      await save(db, ada, 'x', 10);
      expect(await bytesOf(db, gameId)).toBe(2 * rowOverheadBytes + 10);
      await db.write(removeState, ada, 'x');
      expect(await bytesOf(db, gameId)).toBe(rowOverheadBytes);
      await save(db, ada, 'x', 10);
      expect(await bytesOf(db, gameId)).toBe(2 * rowOverheadBytes + 10);
      await expectCounted(db, gameId);
    });

    test('the players and sessions that a server creates are counted, and released when they are deleted', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const other = { gameId: (await addGame(db)).id, wallet: randomWallet() };
      const each = 2 * rowOverheadBytes; // of a player, and of a session
      const counts: number[] = [];
      const count = async () => counts.push((await bytesOf(db, gameId)) / each);
      const ada = { gameId, wallet: randomWallet() };
      await openAsServer(db, ada);
      await count();
      const { session } = await openAsServer(db, ada);
      await db.write(endSession, ada.wallet, session.id);
      await count();
      await vouch(db, gameId, 'steam:1');
      await vouch(db, gameId, 'steam:1');
      await count();
      await db.write(ensurePlayer, { gameId, wallet: randomWallet() });
      await count();
      const grace = await addPlayer(db, gameId); // who has signed in
      await openAsServer(db, grace);
      await count();
      await openAsServer(db, { ...other, wallet: ada.wallet });
      await db.write(ensurePlayer, { ...other, wallet: ada.wallet });
      await openAsServer(db, other);
      await count();
      expect(counts).toEqual([2, 3, 6, 7, 8, 8]);
      expect(await bytesOf(db, other.gameId)).toBe(3 * each);
      const wallets = [randomWallet(), randomWallet(), grace.wallet];
      await db.write(notifySeveral, gameId, wallets, notice);
      const batched = [0, 1, 2].map(() => ({ gameId, wallet: randomWallet() }));
      const calls = batched.map((owner) => ({ command: 'setScore', args: [owner, 1] }));
      await db.write(runAll, batched, calls);
      await db.write(runAll, [ada], [{ command: 'startSession', args: [ada, hour, 'game-server'] }]);
      for await (const one of nowAndReopened(fixture)) await expectCounted(one, gameId);
      clock.advance(3 * hour);
      expect(await fixture.db.write(trimSessions, hour)).toBe(false);
      await expectCounted(fixture.db, gameId);
      expect(await bytesOf(fixture.db, other.gameId)).toBe(each);
      const created = [...wallets, ...batched.map(({ wallet }) => wallet), ada.wallet, other.wallet];
      for (const wallet of created) await erasePlayerData(fixture.db, tables, wallet);
      await expectCounted(fixture.db, gameId);
      expect(await bytesOf(fixture.db, gameId)).toBe(2 * each); // the guest, and one without anything
      expect(await bytesOf(fixture.db, other.gameId)).toBe(0);
    });

    test('a full game refuses its server new players and sessions before anything is written, and no player', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const gameId = await smallGame(db);
      const ada = await addPlayer(db, gameId);
      await save(db, ada, 'all', mebibyte - 2 * rowOverheadBytes);
      expect(await bytesOf(db, gameId)).toBe(mebibyte);
      const wallets = Array.from({ length: 4 }, randomWallet);
      const [one = '', two = '', three = '', four = ''] = wallets;
      const score = { command: 'setScore', args: [{ gameId, wallet: four }, 1] };
      const writes: (() => Promise<unknown>)[] = [
        () => openAsServer(db, ada),
        () => openAsServer(db, { gameId, wallet: one }),
        () => vouch(db, gameId, 'steam:1'),
        () => db.write(ensurePlayer, { gameId, wallet: two }),
        () => db.write(notifySeveral, gameId, [three], notice),
        () => db.write(runAll, [{ gameId, wallet: four }], [score]),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject(full);
      for await (const again of nowAndReopened(fixture)) {
        for (const wallet of wallets) expect(await again.read(findPlayer, wallet)).toBeNull();
        expect((await again.read(findSessions, { gameId }, wholePage)).total).toBe(1);
      }
      const { db: now } = fixture;
      await now.write(startSession, { gameId, wallet: randomWallet() }, hour, 'wallet');
      await openAsServer(now, { gameId: (await addGame(now)).id, wallet: one });
      await now.write(changeGame, gameId, { policies: { storageQuotaMegabytes: 2 } });
      expect((await vouch(now, gameId, 'steam:1')).isNew).toBe(true);
      await expectCounted(now, gameId);
    });

    test('an idle guest is released with its sessions and notifications', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { id: gameId } = await addGame(db);
      const { details } = await db.write(
        vouchForPlayer,
        { gameId, playerKey: 'idle' },
        { address: newGuestAddress(), idleMs: hour },
        hour,
      );
      await db.write(notifyPlayer, details.session, notice);
      expect(await bytesOf(db, gameId)).toBeGreaterThan(6 * rowOverheadBytes);
      clock.advance(2 * hour);
      while (await db.write(removeIdleGuests, hour));
      expect(await db.read(findPlayer, details.player.wallet)).toBeNull();
      expect(await bytesOf(db, gameId)).toBe(0);
      await expectCounted(db, gameId);
    });

    test('players whom a deleted game has created count for no game, and again for the game once it is imported', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id: gameId } = await addGame(db);
      const [ada, grace] = [randomWallet(), randomWallet()].map((wallet) => ({ gameId, wallet }));
      if (!ada || !grace) throw new Error('there are no players');
      for (const owner of [ada, grace]) await openAsServer(db, owner);
      await db.write(setScore, ada, 1);
      const records: GameRecord[] = [];
      await db.read(exportGame, tables, gameId, null, (record) => void records.push(record));
      expect(records.filter(({ type, row }) => type === 'players' && 'createdBy' in row)).toEqual([]);
      await eraseGameData(db, tables, gameId, 0);
      await erasePlayerData(db, tables, ada.wallet);
      expect(await bytesOf(db, gameId)).toBe(0);
      const options = { tables, slug: undefined, allowLauncher: false, newSecret: 'secret' };
      const importing = (await fixture.openInProcess?.()) ?? db;
      await importing.write(importGame, () => records, { ...options, seal: () => sealedSecret() });
      if (importing !== db) await importing.close();
      await expectCounted(db, gameId);
      await erasePlayerData(db, tables, grace.wallet);
      await expectCounted(db, gameId);
      expect(await bytesOf(db, gameId)).toBe(rowOverheadBytes); // Ada's score
    });

    test('a full game is refused everything that would store more, and nothing else', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const gameId = await smallGame(db);
      const [ada, grace] = [await addPlayer(db, gameId), await addPlayer(db, gameId)];
      await db.write(setScore, ada, 1, 'run');
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const left = mebibyte - (await bytesOf(db, gameId)) - 2 * rowOverheadBytes;
      await save(db, ada, 'all', left);
      expect(await bytesOf(db, gameId)).toBe(mebibyte);
      const wallets = [randomWallet(), randomWallet()];
      const writes: (() => Promise<unknown>)[] = [
        () => save(db, { gameId, wallet: randomWallet() }, 'x', 2),
        () => db.write(trackPlaySession, ada, { sessionId: newId(), state: '1' }),
        () => db.write(sendMessage, grace, channelId, 'a'),
        () => db.write(notifyPlayer, ada, notice),
        () => db.write(notifySeveral, gameId, wallets, notice),
        () => db.write(recordActivity, ada, { label: 'won', eventId: 'e1' }),
        () => db.write(setScore, ada, 1),
        () => db.write(setScore, grace, 1, 'other'),
      ];
      for (const write of writes) await expect(write()).rejects.toMatchObject(full);
      await expect(save(db, ada, 'all', left + 1)).rejects.toMatchObject(full);
      await db.write(setScore, ada, 2, 'run');
      await db.write(recordActivity, ada, { label: 'minted', eventId: 'e2' }, 'on-chain');
      await save(db, ada, 'all', 10);
      for (const write of writes) await write();
      await expectCounted(db, gameId);
      await save(
        await fixture.reopen(),
        { gameId: (await addGame(fixture.db)).id, wallet: ada.wallet },
        'x',
        99,
      );
    });

    test('an administrator raises and lowers the quota with a policy, which holds from the next write on', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const gameId = await smallGame(db);
      const ada = await addPlayer(db, gameId);
      await save(db, ada, 'a', 1_000_000);
      await expect(save(db, ada, 'b', 100_000)).rejects.toMatchObject(full);
      await db.write(changeGame, gameId, { policies: { storageQuotaMegabytes: 2 } });
      await save(db, ada, 'b', 100_000);
      await db.write(changeGame, gameId, { policies: { storageQuotaMegabytes: 1 } });
      await expect(save(db, ada, 'c', 2)).rejects.toMatchObject(full);
      await db.write(changeGame, gameId, { policies: { storageQuotaMegabytes: null } });
      await save(db, ada, 'c', 2);
      const shown = (await db.read(gameStorages, 5)).find((one) => one.gameId === gameId);
      expect(shown).toMatchObject({ quota: 5 });
    });

    test('of concurrent writes for new wallets by two processes, as many are accepted as fit, but for the writes of one second', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const gameId = await smallGame(db);
      const other = await fixture.openOtherProcess();
      const each = 100_000;
      const fits = Math.floor(mebibyte / (each + 2 * rowOverheadBytes));
      const attempt = (at: number) =>
        save(at % 2 ? db : other, { gameId, wallet: randomWallet() }, 'x', each);
      const settled = await Promise.allSettled(Array.from({ length: 4 * fits }, (_, at) => attempt(at)));
      const accepted = settled.filter(({ status }) => status === 'fulfilled').length;
      expect(accepted).toBeGreaterThanOrEqual(fits);
      expect(accepted).toBeLessThanOrEqual(2 * fits); // each process knows what it has written itself
      await expectCounted(db, gameId);
      fixture.clock.advance(2_000);
      await expect(attempt(0)).rejects.toMatchObject(full);
      await expect(attempt(1)).rejects.toMatchObject(full);
    });
  });
}
