import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readBoardPage } from '../../src/features/scores/leaderboard-queries.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { addGame, addPlayer, wholePage } from '../contracts/storage/fixture.ts';
import { holdView } from '../support/other-connection.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

const full = { journalMode: 'wal', synchronous: 2 };
const mebibyte = 1024 * 1024;
const unlimited = Number.POSITIVE_INFINITY;

test('every write is synced to disk: WAL at synchronous=FULL, before and after a write and a reopen', async () => {
  await using fixture = await openSqliteDatabase();
  expect(fixture.db.durability()).toEqual(full);
  const { id: gameId } = await addGame(fixture.db);
  const ada = await addPlayer(fixture.db, gameId);
  await fixture.db.write(setScore, ada, 1);
  expect(fixture.db.durability()).toEqual(full);
  const db = await fixture.reopen();
  expect(db.durability()).toEqual(full);
  await db.write(setScore, ada, 2);
  await db.read(readBoardPage, defaultBoardOf(gameId), wholePage);
  expect(db.durability()).toEqual(full);
});

test('the write-ahead log shrinks again once a slow reader of the file is gone', async () => {
  await using fixture = await openSqliteDatabase();
  const { db } = fixture;
  const { id: gameId } = await addGame(db);
  const ada = await addPlayer(db, gameId);
  using reader = holdView(fixture.file);
  const logSize = () => statSync(`${fixture.file}-wal`).size;
  const state = JSON.stringify('x'.repeat(mebibyte / 2));
  for (let n = 0; logSize() < 80 * mebibyte; n++)
    await db.write(saveState, ada, `state ${n}`, state, 'bafk', unlimited);
  reader.letGo();
  for (let n = 0; n < 3; n++) await db.write(setScore, ada, n);
  expect(logSize()).toBeLessThanOrEqual(64 * mebibyte);
});
