import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import {
  failAction,
  leaseLane,
  postponeAction,
  raiseNonce,
  settleNonce,
  storeReplacement,
  storeSigned,
} from '../../../src/features/chains/commands.ts';
import { listDueActions, listOpenTransactions, readLane } from '../../../src/features/chains/queries.ts';
import type { NewAction } from '../../../src/features/queue/action.ts';
import { cancelQueued, enqueueActions, requeueAction } from '../../../src/features/queue/commands.ts';
import { countOpenActions, readActions, readQueueDepths } from '../../../src/features/queue/queries.ts';
import { addGame, addPlayer, listen, type OpenStore, summarize, wholePage } from './fixture.ts';

const lane = '1:0xabc';

const work = ({ gameId, wallet }: Owner): NewAction => ({
  kind: 'chain',
  lane,
  type: 'Work',
  gameId,
  wallet,
  payload: { what: [1, 'two'] },
});

export function actionsContract(open: OpenStore): void {
  describe('actions', () => {
    test('each change is announced to its player, and changes without a player to nobody', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await addPlayer(fixture.db, (await addGame(fixture.db)).id);
      const received = listen(fixture.db);
      const [action, nobodys] = await db.write(enqueueActions, [
        work(ada),
        { ...work(ada), wallet: undefined },
      ]);
      await db.write(leaseLane, lane, 'a', 1_000);
      const dueAt = fixture.clock.read() + 50;
      for (const { _id } of [action, nobodys].filter((one) => one !== undefined))
        expect(await db.write(postponeAction, lane, 'a', _id, 'not yet', dueAt)).toBe(true);
      expect(summarize(received)).toEqual([
        ['rule-actions patched', 1],
        ['rule-actions patched', 2],
      ]);
      expect(received[1]?.record).toMatchObject({ state: 'queued', error: 'not yet' });
      expect(await db.read(listDueActions, lane, 2)).toEqual([]);
      fixture.clock.advance(50);
      expect(await db.read(listDueActions, lane, 2)).toMatchObject([
        { payload: { what: [1, 'two'] } },
        { attempts: 1 },
      ]);
    });

    test('queued actions can be cancelled, failed ones retried, and both are listed', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const ada = await addPlayer(fixture.db, (await addGame(fixture.db)).id);
      const [one, two] = await db.write(enqueueActions, [work(ada), work(ada)]);
      await db.write(cancelQueued, one?._id ?? '');
      await expect(db.write(cancelQueued, one?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      await expect(db.write(cancelQueued, 'none')).rejects.toMatchObject({ reason: 'action_unknown' });
      await db.write(leaseLane, lane, 'a', 1_000);
      expect(await db.write(failAction, lane, 'b', two?._id ?? '', 'broken')).toBe(false);
      expect(await db.write(failAction, lane, 'a', two?._id ?? '', 'broken')).toBe(true);
      expect(await db.read(readActions, { state: 'failed', gameId: ada.gameId }, wholePage)).toMatchObject({
        total: 1,
        rows: [{ error: 'broken' }],
      });
      expect(await db.read(readQueueDepths)).toEqual([]);
      expect(await db.read(countOpenActions)).toBe(0);
      await db.write(requeueAction, two?._id ?? '');
      expect(await db.read(readQueueDepths)).toMatchObject([{ kind: 'chain', depth: 1 }]);
      expect(await db.read(countOpenActions)).toBe(1);
      expect(await db.read(listDueActions, lane, 9)).toMatchObject([
        { _id: two?._id, attempts: 0, error: 'broken' },
      ]);
    });

    test('a lane is leased to one node at a time, and only it assigns nonces, each once', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await addPlayer(fixture.db, (await addGame(fixture.db)).id);
      const [action] = await db.write(enqueueActions, [work(ada)]);
      const transaction = {
        hash: '0x01',
        nonce: 7,
        actionId: action?._id ?? '',
        raw: '0xfe',
        maxFee: '1',
        priorityFee: '1',
        signedAt: 1,
      };
      const cost = { wei: '6', dailyWei: '10' };
      expect(await db.write(leaseLane, lane, 'a', 1_000)).toBe(true);
      expect(await db.write(leaseLane, lane, 'b', 1_000)).toBe(false);
      expect(await db.write(storeSigned, lane, 'a', transaction, cost)).toBe(false); // the chain has not been asked yet
      expect(await db.write(raiseNonce, lane, 'b', 7)).toBe(false);
      expect(await db.write(raiseNonce, lane, 'a', 7)).toBe(true);
      expect(await db.write(storeSigned, lane, 'b', transaction, cost)).toBe(false);
      expect(await db.write(storeSigned, lane, 'a', transaction, cost)).toBe(true);
      const again = { ...transaction, hash: '0x02', nonce: 8 };
      expect(await db.write(storeSigned, lane, 'a', again, { ...cost, wei: '0' })).toBe(false);
      expect(await db.read(readLane, lane)).toEqual({ nextNonce: 8, spentWei: '6' });
      await expect(db.write(cancelQueued, transaction.actionId)).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      fixture.clock.advance(1_000);
      expect(await db.write(settleNonce, lane, 'a', 7, '0x01', null)).toBe(false);
      expect(await db.write(leaseLane, lane, 'b', 1_000)).toBe(true);
      expect(await db.read(listOpenTransactions, lane)).toEqual([transaction]);
      expect(await db.write(settleNonce, lane, 'b', 7, '0x01', null)).toBe(true);
      expect(await db.read(listOpenTransactions, lane)).toEqual([]);
      expect(await fixture.db.read(listActivities, { type: 'on-chain' }, wholePage)).toMatchObject([
        { eventId: '0x01', normalizedAddress: ada.wallet },
      ]);
    });

    test("a lane's daily spending limit is never exceeded, not even by replacements, and resets the next day", async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const ada = await addPlayer(fixture.db, (await addGame(fixture.db)).id);
      const dayMs = 24 * 60 * 60 * 1000;
      const wei = (amount: number) => ({ wei: String(amount), dailyWei: '10' });
      const [first, second] = await db.write(enqueueActions, [work(ada), work(ada)]);
      const signed = (actionId = '', hash: string, nonce: number) => ({
        ...{ hash, nonce, actionId, raw: '0xfe', maxFee: '1', priorityFee: '1', signedAt: 1 },
      });
      await db.write(leaseLane, lane, 'a', 3 * dayMs);
      await db.write(raiseNonce, lane, 'a', 0);
      expect(await db.write(storeSigned, lane, 'a', signed(first?._id, '0x01', 0), wei(11))).toBe(false);
      expect(await db.write(storeSigned, lane, 'a', signed(first?._id, '0x01', 0), wei(7))).toBe(true);
      expect(await db.write(storeSigned, lane, 'a', signed(second?._id, '0x02', 1), wei(4))).toBe(false);
      expect(await db.write(storeReplacement, lane, 'a', signed(first?._id, '0x03', 0), wei(4))).toBe(false);
      expect(await db.write(storeReplacement, lane, 'a', signed(first?._id, '0x03', 0), wei(3))).toBe(true);
      expect(await db.read(listDueActions, lane, 9)).toMatchObject([{ _id: second?._id, state: 'queued' }]);
      const reopened = await fixture.reopen();
      expect(await reopened.read(readLane, lane)).toEqual({ nextNonce: 1, spentWei: '10' });
      clock.advance(dayMs);
      expect(await reopened.read(readLane, lane)).toEqual({ nextNonce: 1, spentWei: '0' });
      expect(await reopened.write(storeSigned, lane, 'a', signed(second?._id, '0x02', 1), wei(4))).toBe(true);
      clock.advance(-dayMs);
      expect(await reopened.read(readLane, lane)).toEqual({ nextNonce: 2, spentWei: '4' });
    });
  });
}
