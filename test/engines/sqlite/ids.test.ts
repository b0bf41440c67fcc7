import SqliteFile from 'better-sqlite3';
import { expect, test } from 'vitest';
import { newId } from '../../../src/core/schemas/ids.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import { trackPlaySession } from '../../../src/features/play-sessions/commands.ts';
import { addGame, addPlayer, wholePage } from '../../contracts/storage/fixture.ts';
import { openSqliteDatabase } from '../../storage/sqlite-database-under-test.ts';

const aheadMs = 5_000;

/** The time in a UUIDv7, in Unix milliseconds. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

test('ids made after a restart follow those of the rows that they order, but no id that a game has chosen', async () => {
  await using fixture = await openSqliteDatabase();
  const { db } = fixture;
  const player = await addPlayer(db, (await addGame(db)).id);
  const chosen = 'ffffffff-0000-7000-8000-000000000000';
  await db.write(trackPlaySession, player, { sessionId: chosen, state: '{}', endTime: undefined });
  await db.write(recordActivity, player, { label: 'l', eventId: 'e' });
  // Written before the system clock was set back.
  const ahead = `${(Date.now() + aheadMs)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;
  const file = new SqliteFile(fixture.file);
  file.prepare('UPDATE activities SET id = ?').run(ahead);
  file.close();
  const reopened = await fixture.reopen();
  expect((await reopened.read(listActivities, {}, wholePage)).map(({ _id }) => _id)).toEqual([ahead]);
  const made = newId();
  expect(made > ahead).toBe(true);
  expect(timeOf(made)).toBeLessThan(Date.now() + 2 * aheadMs);
});
