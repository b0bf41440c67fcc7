import { describe, expect, test } from 'vitest';
import type { NewAction, Owner } from '../../../src/store/store.ts';
import { addGame, addPlayer, inShort, listen, type OpenStore, wholePage } from './fixture.ts';

const work = ({ gameId, wallet }: Owner): NewAction => ({
  kind: 'work',
  type: 'Work',
  gameId,
  wallet,
  payload: { what: [1, 'two'] },
});

export function actionsContract(open: OpenStore): void {
  describe('actions', () => {
    test('an action is claimed once, however many ask at once and from wherever, and again when the claim ends', async () => {
      await using fixture = await open();
      const beside = await fixture.openBeside();
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      await fixture.store.actions.enqueue(Array.from({ length: 20 }, () => work(ada)));
      const claims = await Promise.all(
        [fixture.store, beside, fixture.store, beside].map((store, n) =>
          store.actions.claim(`node ${n}`, 'work', 10, 1_000),
        ),
      );
      const ids = claims.flat().map(({ _id }) => _id);
      expect(ids).toHaveLength(20);
      expect(new Set(ids).size).toBe(20);
      expect(await beside.actions.anyDue(['work'])).toBe(false);
      fixture.clock.advance(1_000);
      expect(await beside.actions.anyDue(['work'])).toBe(true);
      const again = await beside.actions.claim('late', 'work', 100, 1_000);
      expect(again.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 2));
    });

    test('only who has the claim says how it ended', async () => {
      await using fixture = await open();
      const { actions } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const [action] = await actions.enqueue([work(ada)]);
      const id = action?._id ?? '';
      expect(await actions.complete('a', id)).toBe(false);
      await actions.claim('a', 'work', 1, 1_000);
      expect(await actions.fail('b', id, 'no')).toBe(false);
      await actions.renew('a', [id], 5_000);
      fixture.clock.advance(4_999);
      expect(await actions.submit('a', id)).toBe(true);
      fixture.clock.advance(1);
      expect(await actions.complete('a', id)).toBe(false);
      await actions.claim('b', 'work', 1, 1_000);
      expect(await actions.complete('b', id)).toBe(true);
      expect(await actions.complete('b', id)).toBe(false);
      expect(await actions.find(id)).toMatchObject({ state: 'confirmed', payload: { what: [1, 'two'] } });
    });

    test('each change is told to the player, and none of what concerns nobody', async () => {
      await using fixture = await open();
      const { actions } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const heard = listen(fixture.store);
      const [action] = await actions.enqueue([work(ada), { ...work(ada), wallet: undefined }]);
      const id = action?._id ?? '';
      await actions.claim('a', 'work', 2, 1_000);
      await actions.retry('a', id, 'not yet', fixture.clock.read() + 50);
      expect(inShort(heard)).toEqual([
        ['rule-actions patched', 1],
        ['rule-actions patched', 2],
      ]);
      expect(heard[1]?.record).toMatchObject({ state: 'queued', error: 'not yet' });
      expect(await actions.claim('a', 'work', 2, 1_000)).toEqual([]);
      fixture.clock.advance(50);
      expect(await actions.claim('a', 'work', 2, 1_000)).toHaveLength(1);
    });

    test('what is queued can be cancelled, what has failed can be tried again, and both are listed', async () => {
      await using fixture = await open();
      const { actions } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const [one, two] = await actions.enqueue([work(ada), work(ada)]);
      await actions.cancel(one?._id ?? '');
      await expect(actions.cancel(one?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      await expect(actions.cancel('none')).rejects.toMatchObject({ reason: 'action_unknown' });
      await actions.claim('a', 'work', 9, 1_000);
      await expect(actions.cancel(two?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_cancellable',
      });
      await actions.fail('a', two?._id ?? '', 'broken');
      expect(await actions.list({ state: 'failed', gameId: ada.gameId }, wholePage)).toMatchObject({
        total: 1,
        rows: [{ error: 'broken' }],
      });
      expect(await actions.figures()).toEqual([]);
      await actions.requeue(two?._id ?? '');
      expect(await actions.figures()).toMatchObject([{ kind: 'work', depth: 1 }]);
      expect(await actions.claim('a', 'work', 9, 1_000)).toMatchObject([{ attempts: 1 }]);
    });

    test('a lane is leased to one node at a time, and only it gives out nonces, each once', async () => {
      await using fixture = await open();
      const { actions, chainLanes } = fixture.store;
      const ada = await addPlayer(fixture.store, (await addGame(fixture.store)).id);
      const lane = '1:0xabc';
      const [action] = await actions.enqueue([{ ...work(ada), kind: 'chain', lane }]);
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
