import { describe, expect, test } from 'vitest';
import { GantryError } from '../../src/errors.ts';
import type { StoredEvent } from '../../src/events/stream.ts';
import { addGame, addPlayer } from '../contracts/store/fixture.ts';
import { storeContract } from '../contracts/store.contract.ts';
import { openThreadedStore } from './threaded-store-under-test.ts';

storeContract('SQLite with a thread that writes', openThreadedStore);

describe('a store that writes in a thread of its own', () => {
  test('shows a write to every read from the moment it was answered, and then tells its events', async () => {
    await using fixture = await openThreadedStore();
    const { store } = fixture;
    const player = await addPlayer(store, (await addGame(store)).id);
    const heard: StoredEvent[] = [];
    store.onCommit((events) => heard.push(...events));
    const records = await Promise.all(
      Array.from({ length: 100 }, async (_, score) => {
        const record = await store.scores.set(player, score, `nonce ${score}`);
        expect(await store.scores.find(player, record.nonce)).toEqual(record);
        return record;
      }),
    );
    expect(await store.scores.leaderboard(player.gameId, { limit: 1, skip: 0 })).toMatchObject([
      { score: 99 },
    ]);
    expect(heard.map(({ record }) => record)).toEqual(records);
  });

  test('refuses with the same error, reason and fields as without a thread', async () => {
    await using fixture = await openThreadedStore();
    const refused = fixture.store.sessions.revoke('nobody’s');
    await expect(refused).rejects.toBeInstanceOf(GantryError);
    await expect(refused).rejects.toMatchObject({ reason: 'session_unknown', code: 401 });
  });

  test('rejects a defect of ours as what it is', async () => {
    await using fixture = await openThreadedStore();
    const defect = fixture.store.scores.set({ gameId: 'no game', wallet: '0x' }, 1);
    await expect(defect).rejects.toThrow(/game no game, which is not there/);
    await expect(defect).rejects.not.toBeInstanceOf(GantryError);
  });
});
