import { describe, expect, test } from 'vitest';
import type { NewAction, Owner } from '../../../src/store/store.ts';
import { addGame, addPlayer, inShort, listen, type OpenStore, wholePage } from './fixture.ts';

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
    test('each change is told to the player, and none of what concerns nobody', async () => {
      await using fixture = await open();
      const { actions, chainLanes } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const heard = listen(fixture.store);
      const [action, nobodys] = await actions.enqueue([work(ada), { ...work(ada), wallet: undefined }]);
      await chainLanes.lease(lane, 'a', 1_000);
      const dueAt = fixture.clock.read() + 50;
      for (const { _id } of [action, nobodys].filter((one) => one !== undefined))
        expect(await chainLanes.postpone(lane, 'a', _id, 'not yet', dueAt)).toBe(true);
      expect(inShort(heard)).toEqual([
        ['rule-actions patched', 1],
        ['rule-actions patched', 2],
      ]);
      expect(heard[1]?.record).toMatchObject({ state: 'queued', error: 'not yet' });
      expect(await chainLanes.due(lane, 2)).toEqual([]);
      fixture.clock.advance(50);
      expect(await chainLanes.due(lane, 2)).toMatchObject([
        { payload: { what: [1, 'two'] } },
        { attempts: 1 },
      ]);
    });

    test('what is queued can be cancelled, what has failed can be tried again, and both are listed', async () => {
      await using fixture = await open();
      const { actions, chainLanes } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const [one, two] = await actions.enqueue([work(ada), work(ada)]);
      await actions.cancel(one?._id ?? '');
      await expect(actions.cancel(one?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      await expect(actions.cancel('none')).rejects.toMatchObject({ reason: 'action_unknown' });
      await chainLanes.lease(lane, 'a', 1_000);
      expect(await chainLanes.fail(lane, 'b', two?._id ?? '', 'broken')).toBe(false);
      expect(await chainLanes.fail(lane, 'a', two?._id ?? '', 'broken')).toBe(true);
      expect(await actions.list({ state: 'failed', gameId: ada.gameId }, wholePage)).toMatchObject({
        total: 1,
        rows: [{ error: 'broken' }],
      });
      expect(await actions.figures()).toEqual([]);
      expect(await actions.depth()).toBe(0);
      await actions.requeue(two?._id ?? '');
      expect(await actions.figures()).toMatchObject([{ kind: 'chain', depth: 1 }]);
      expect(await actions.depth()).toBe(1);
      expect(await chainLanes.due(lane, 9)).toMatchObject([{ _id: two?._id, attempts: 0, error: 'broken' }]);
    });

    test('a lane is leased to one node at a time, and only it gives out nonces, each once', async () => {
      await using fixture = await open();
      const { actions, chainLanes } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const [action] = await actions.enqueue([work(ada)]);
      const transaction = {
        hash: '0x01',
        nonce: 7,
        actionId: action?._id ?? '',
        raw: '0xfe',
        maxFee: '1',
        priorityFee: '1',
        signedAt: 1,
      };
      expect(await chainLanes.lease(lane, 'a', 1_000)).toBe(true);
      expect(await chainLanes.lease(lane, 'b', 1_000)).toBe(false);
      expect(await chainLanes.signed(lane, 'a', transaction)).toBe(false); // the chain was not asked yet
      expect(await chainLanes.raiseNonce(lane, 'b', 7)).toBe(false);
      expect(await chainLanes.raiseNonce(lane, 'a', 7)).toBe(true);
      expect(await chainLanes.signed(lane, 'b', transaction)).toBe(false);
      expect(await chainLanes.signed(lane, 'a', transaction)).toBe(true);
      expect(await chainLanes.signed(lane, 'a', { ...transaction, hash: '0x02', nonce: 8 })).toBe(false);
      expect(await chainLanes.nextNonce(lane)).toBe(8);
      await expect(actions.cancel(transaction.actionId)).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      fixture.clock.advance(1_000);
      expect(await chainLanes.settle(lane, 'a', 7, '0x01', null)).toBe(false);
      expect(await chainLanes.lease(lane, 'b', 1_000)).toBe(true);
      expect(await chainLanes.open(lane)).toEqual([transaction]);
      expect(await chainLanes.settle(lane, 'b', 7, '0x01', null)).toBe(true);
      expect(await chainLanes.open(lane)).toEqual([]);
      expect(await fixture.store.activities.list({ type: 'on-chain' }, wholePage)).toMatchObject([
        { eventId: '0x01', normalizedAddress: ada.wallet },
      ]);
    });
  });
}
