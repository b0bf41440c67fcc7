import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { NewEvent, StoredEvent } from '../../src/events/stream.ts';
import { Checkpoints, type LogCopier } from '../../src/store/sqlite/checkpoints.ts';
import { CommitMeter } from '../../src/store/sqlite/diagnostics.ts';
import { EventLog } from '../../src/store/sqlite/event-log.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { openDatabase } from '../../src/store/sqlite/open-database.ts';
import { defaultRetention } from '../../src/store/sqlite/sqlite-store.ts';
import { DataVersion } from '../../src/store/sqlite/version-cache.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { transactionsInLog } from '../support/write-ahead-log.ts';

/** A group commit over a real database file with one table, and eyes on it from another connection. */
export async function openGroupCommit({ copier }: { copier?: LogCopier } = {}) {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const db: Database = openDatabase(file);
  db.exec('CREATE TABLE rows (row TEXT NOT NULL, padding BLOB)');
  const elsewhere = openDatabase(file);
  const version = new DataVersion(db);
  const group = new GroupCommit(db, {
    events: new EventLog(db, version, defaultRetention),
    version,
    clock: Date.now,
    meter: new CommitMeter(),
    checkpoints: new Checkpoints(db, copier),
  });
  const heard: StoredEvent[] = [];
  group.onCommit((events) => heard.push(...events));
  const insert = (row: string) => db.prepare('INSERT INTO rows (row) VALUES (?)').run(row);
  return {
    db,
    file,
    elsewhere,
    group,
    heard,
    insert,
    /** Asks for a row to be written, with an event. */
    add: (row: string) =>
      group.write((tx) => {
        insert(row);
        tx.emit(eventOf(row));
      }),
    /** Asks for a row of so many bytes to be written. */
    addBytes: (bytes: number) =>
      group.write(() => void db.prepare("INSERT INTO rows VALUES ('padded', randomblob(?))").run(bytes)),
    rows: () => db.prepare<[], string>('SELECT row FROM rows ORDER BY rowid').pluck().all(),
    eventSeqs: () => db.prepare<[], number>('SELECT seq FROM events ORDER BY stream_id, seq').pluck().all(),
    seenFromElsewhere: () => elsewhere.prepare<[], number>('SELECT count(*) FROM rows').pluck().get(),
    transactions: () => transactionsInLog(file),
    async [Symbol.asyncDispose]() {
      await group.drained();
      await group.finish();
      elsewhere.close();
      db.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The event of a row. */
export function eventOf(row: string): NewEvent {
  return {
    stream: 'player:test',
    name: 'notifications created',
    record: { _id: row, gameId: 'g', normalizedAddress: 'w', message: row, type: 'success', createdAt: 0 },
    audience: { kind: 'players', gameId: 'g', wallets: ['w'] },
  };
}
