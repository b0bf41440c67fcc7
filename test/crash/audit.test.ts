import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFiles } from '../../src/config.ts';
import { startTestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { audit, type Findings, isComplete } from './audit.ts';
import { Poster } from './burst.ts';
import { Ledger } from './ledger.ts';
import { addPlayers, loadSettings } from './players.ts';

// An audit that counts nothing proves nothing: each fault here must be counted.

const ledger = new Ledger();
let directory: TemporaryDirectory;
let database: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  database = dataFiles(directory.path).database;
  await using server = await startTestServer({ ...loadSettings, DATA_DIR: directory.path });
  const players = await addPlayers({ ...server.services, box: server.box }, 2);
  await Promise.all(
    players.map(async (player) => {
      const poster = new Poster(player);
      for (let n = 0; n < 60; n++)
        expect(await poster.writeNext(server.url, ledger)).toMatchObject({ status: 200 });
      poster.hangUp();
    }),
  );
});
afterAll(() => directory[Symbol.asyncDispose]());

test('the audit finds nothing when nothing is wrong', async () => {
  const findings = await audit(database, ledger);
  expect(findings).toSatisfy(isComplete);
  expect(findings).toMatchObject({ answered: 240, unanswered: 0 });
});

const anyOf = (table: string, where = 'true') =>
  `rowid IN (SELECT rowid FROM ${table} WHERE ${where} LIMIT 1)`;

test.each<[what: string, sql: string, counted: keyof Findings]>([
  ['a lost score', `DELETE FROM scores WHERE ${anyOf('scores', "nonce LIKE 'n-%'")}`, 'lost'],
  ['a score set back', "UPDATE scores SET score = 1 WHERE nonce = 'again'", 'lost'],
  ['a lost state', `DELETE FROM states WHERE ${anyOf('states')}`, 'lost'],
  ['a lost message', `DELETE FROM messages WHERE ${anyOf('messages')}`, 'lost'],
  [
    'a lost edit',
    `UPDATE messages SET content = substr(content, 1, instr(content, ' edited') - 1)
    WHERE content LIKE '% edited %'`,
    'lost',
  ],
  ['a lost activity', `DELETE FROM activities WHERE ${anyOf('activities', "event_id = 'load'")}`, 'lost'],
  [
    'a lost notification',
    `DELETE FROM notifications WHERE ${anyOf('notifications', "message LIKE 'not%'")}`,
    'lost',
  ],
  ['a lost trigger', `DELETE FROM rule_triggers WHERE ${anyOf('rule_triggers')}`, 'lost'],
  ['a lost end of a play session', 'UPDATE play_sessions SET end_time = NULL', 'lost'],
  [
    'a trigger without its notification',
    `DELETE FROM notifications WHERE ${anyOf('notifications', "message LIKE 'won %'")}`,
    'halfWritten',
  ],
  [
    'a trigger without its activity',
    `DELETE FROM activities WHERE ${anyOf('activities', "event_id = 'wins'")}`,
    'halfWritten',
  ],
  ['a trigger without its score', "UPDATE scores SET score = score - 1 WHERE nonce = 'wins'", 'halfWritten'],
  [
    'a message that is not counted',
    'UPDATE message_channels SET message_count = message_count - 1',
    'halfWritten',
  ],
  ['rows nobody wrote', "UPDATE messages SET content = 'message 9999999'", 'halfWritten'],
  [
    'a change without its event',
    `DELETE FROM events WHERE ${anyOf('events', "name = 'scores created'")}`,
    'changesWithoutEvent',
  ],
  [
    'an event without its change',
    `UPDATE events SET record = json_set(record, '$._id', 'another')
    WHERE name = 'notifications created'`,
    'eventsWithoutChange',
  ],
  [
    'words of an unsent message',
    `UPDATE events SET record = json_set(record, '$.content', 'words')
    WHERE json_extract(record, '$.content') = ''`,
    'eventsWithoutChange',
  ],
  ['a gap in a stream', `DELETE FROM events WHERE ${anyOf('events')}`, 'streamsWithGaps'],
  ['a wrong row of a leaderboard', 'UPDATE board SET sort_score = 0', 'wrongRanks'],
  ['a wrong count along a leaderboard', 'UPDATE board_marks SET count = count + 1', 'wrongRanks'],
])('the audit counts %s', async (_what, sql, counted) => {
  await using place = await temporaryDirectory();
  const copy = join(place.path, 'gantry.db');
  copyFileSync(database, copy);
  const db = new SqliteDatabase(copy);
  db.pragma('foreign_keys = OFF');
  expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
  db.close();
  const findings = await audit(copy, ledger);
  expect(findings[counted]).toBeGreaterThan(0);
  expect(findings).not.toSatisfy(isComplete);
});
