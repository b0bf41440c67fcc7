import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/schemas/ids.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { query, type Read, type ReadSteps } from '../../../src/core/storage/query.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import {
  deleteMessage,
  editMessage,
  eraseMessagesOf,
  sendMessage,
  unsendMessage,
} from '../../../src/features/messages/message-commands.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { listPlayerStates } from '../../../src/features/states/queries.ts';
import { rowOverheadBytes } from '../../../src/features/storage-quota/game-storage.ts';
import { storageUse } from '../../../src/features/storage-quota/tables.ts';
import { addGame, addPlayer, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

const readUse = query('readUse', function* (read: Read, { gameId, wallet }: Owner): ReadSteps<number> {
  return (yield* read.get(storageUse, gameId, wallet))?.bytes ?? 0;
});

const textOf = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`;

/** How much a player may store in a game. */
export function storageQuotaContract(open: OpenStore): void {
  describe('the storage quota', () => {
    const save = (db: Database, owner: Owner, label: string, bytes: number, quota?: number) =>
      db.write(saveState, owner, label, textOf(bytes), 'bafk', quota);

    test('a state counts its UTF-8 bytes and its row, once per label, for this player of this game', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      await db.write(saveState, ada, 'hero', '"é"', 'bafk');
      await save(db, ada, 'map', 100);
      await save(db, ada, 'map', 40);
      await save(db, grace, 'map', 7);
      for await (const one of nowAndReopened(fixture)) {
        expect(await one.read(readUse, ada)).toBe(2 * rowOverheadBytes + 4 + 40);
        expect(await one.read(readUse, grace)).toBe(rowOverheadBytes + 7);
        expect(await one.read(readUse, elsewhere)).toBe(0);
      }
    });

    test('a write beyond the quota is refused, while one that saves less than before is accepted', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const quota = 2 * rowOverheadBytes + 1_000;
      await save(db, ada, 'one', 500, quota);
      await save(db, ada, 'two', 500, quota);
      const refused = { reason: 'storage_full' };
      await expect(save(db, ada, 'one', 501, quota)).rejects.toMatchObject(refused);
      await expect(save(db, ada, 'three', 2, quota)).rejects.toMatchObject(refused);
      await expect(save(db, ada, 'two', 499, 100)).resolves.toMatchObject({ label: 'two' });
      await save(db, ada, 'one', 501, quota);
      await save(db, grace, 'three', 1_000, quota);
      expect((await db.read(listPlayerStates, ada, wholePage)).map(({ json }) => json.length)).toEqual([
        501, 499,
      ]);
      expect(await db.read(readUse, ada)).toBe(quota);
    });

    test('of concurrent writes, as many are accepted as fit', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const quota = 5 * (rowOverheadBytes + 100);
      const otherProcess = await fixture.openOtherProcess();
      const saves = Array.from({ length: 20 }, (_, at) =>
        save(at % 2 === 0 ? db : otherProcess, ada, `slot ${at}`, 100, quota),
      );
      const settled = await Promise.allSettled(saves);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await db.read(readUse, ada)).toBe(quota);
    });

    test('a play session counts its last state', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada] = await trio(db);
      const sessionId = newId();
      const track = (bytes: number, quota?: number) =>
        db.write(trackPlaySession, ada, { sessionId, state: textOf(bytes) }, quota);
      await track(300);
      await track(200);
      expect(await db.read(readUse, ada)).toBe(rowOverheadBytes + 200);
      await expect(track(201, rowOverheadBytes + 200)).rejects.toMatchObject({ reason: 'storage_full' });
    });

    test('a message counts for its sender with every event that holds it, until it is unsent or deleted', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const { _id: first } = await db.write(sendMessage, ada, channelId, 'hello');
      await db.write(editMessage, ada, first, 'hi');
      expect(await db.read(readUse, ada)).toBe(rowOverheadBytes + 2 * 2);
      const full = { reason: 'storage_full' };
      const quota = 2 * rowOverheadBytes + 4 + 3;
      await expect(db.write(sendMessage, ada, channelId, 'four', quota)).rejects.toMatchObject(full);
      await expect(db.write(editMessage, ada, first, 'x'.repeat(300), quota)).rejects.toMatchObject(full);
      const { _id: second } = await db.write(sendMessage, ada, channelId, 'one', quota);
      await db.write(unsendMessage, ada, first);
      expect(await db.read(readUse, ada)).toBe(rowOverheadBytes + 3);
      await db.write(deleteMessage, second);
      expect(await db.read(readUse, ada)).toBe(0);
      await db.write(sendMessage, grace, channelId, 'hello');
      expect(await db.write(eraseMessagesOf, grace.wallet)).toBe(false);
      expect(await db.read(readUse, grace)).toBe(0);
    });
  });
}
