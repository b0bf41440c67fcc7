import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addGame, addPlayer, wholePage } from '../contracts/store/fixture.ts';
import { holdView } from '../support/other-connection.ts';
import { openSqliteStore } from './sqlite-store-under-test.ts';

const full = { journalMode: 'wal', synchronous: 2 };
const mebibyte = 1024 * 1024;

test('every write is synced to disk: WAL at synchronous=FULL, before and after a write and a reopen', async () => {
  await using fixture = await openSqliteStore();
  expect(fixture.store.durability()).toEqual(full);
  const { id: gameId } = await addGame(fixture.store);
  const ada = await addPlayer(fixture.store, gameId);
  await fixture.store.scores.set(ada, 1);
  expect(fixture.store.durability()).toEqual(full);
  const store = await fixture.reopen();
  expect(store.durability()).toEqual(full);
  await store.scores.set(ada, 2);
  await store.scores.leaderboard(gameId, wholePage);
  expect(store.durability()).toEqual(full);
});

test('the write-ahead log shrinks again once a slow reader of the file is gone', async () => {
  await using fixture = await openSqliteStore();
  const { store } = fixture;
  const { id: gameId } = await addGame(store);
  const ada = await addPlayer(store, gameId);
  using reader = holdView(fixture.file);
  const logSize = () => statSync(`${fixture.file}-wal`).size;
  const state = JSON.stringify('x'.repeat(mebibyte / 2));
  for (let n = 0; logSize() < 80 * mebibyte; n++) await store.states.set(ada, `state ${n}`, state, 'bafk');
  reader.letGo();
  for (let n = 0; n < 3; n++) await store.scores.set(ada, n);
  expect(logSize()).toBeLessThanOrEqual(64 * mebibyte);
});
