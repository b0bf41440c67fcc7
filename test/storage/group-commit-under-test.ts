import { join } from 'node:path';
import { z } from 'zod';
import { defineEvent } from '../../src/core/events/event.ts';
import { defaultRetention } from '../../src/core/events/retention.ts';
import type { StoredEvent } from '../../src/core/events/stream.ts';
import { lockGame } from '../../src/core/events/stream-locks.ts';
import { newId } from '../../src/core/schemas/ids.ts';
import { command, defaultGameStorageQuota, type Tx } from '../../src/core/storage/command.ts';
import { CommitMeter } from '../../src/core/storage/commit-meter.ts';
import { type AnyTable, table } from '../../src/core/storage/table.ts';
import { Announcer } from '../../src/engines/announcer.ts';
import { BatchRunner } from '../../src/engines/sqlite/batch-runner.ts';
import { Checkpoints, type LogCopier } from '../../src/engines/sqlite/checkpoints.ts';
import { DataVersion } from '../../src/engines/sqlite/data-version.ts';
import { GroupCommit } from '../../src/engines/sqlite/group-commit.ts';
import { openDatabase } from '../../src/engines/sqlite/open-database.ts';
import { Schema } from '../../src/engines/sqlite/schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { transactionsInLog } from '../support/write-ahead-log.ts';

const rows = table('rows', { row: 'text', padding: 'text?' }, { key: ['row'] });
const rowMade = defineEvent('rows created', z.object({ row: z.string() }));

/** Writes a row, with an event. */
export const addRow = command('addRow', function* (tx: Tx, row: string) {
  yield* lockGame(tx, 'test');
  tx.insert(rows, { row, padding: null });
  tx.emit('game:test', rowMade, { row }, { kind: 'game', gameId: 'test' });
});

/** Writes a row of this many bytes. */
const addPadded = command('addPadded', function* (tx: Tx, bytes: number) {
  yield* tx.all();
  tx.insert(rows, { row: tx.newId(), padding: 'x'.repeat(bytes) });
});

/** A group commit over a real database file with one table, and another connection to inspect it. */
export async function openGroupCommit({ copier }: { copier?: LogCopier } = {}) {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'gantry.db');
  const db = openDatabase(file);
  db.exec('CREATE TABLE rows (row TEXT NOT NULL UNIQUE, padding TEXT)');
  const elsewhere = openDatabase(file);
  const version = new DataVersion(db);
  const runner = new BatchRunner(db, new Schema(db, [rows as unknown as AnyTable], version), {
    epoch: 'test',
    retention: defaultRetention,
    newId,
    react: null,
    gameStorageQuota: defaultGameStorageQuota,
    changedCacheable: () => version.changed(),
  });
  const announcer = new Announcer();
  const group = new GroupCommit(db, {
    runner,
    version,
    clock: Date.now,
    meter: new CommitMeter(),
    checkpoints: new Checkpoints(db, copier),
    announcer,
  });
  const received: StoredEvent[] = [];
  announcer.onCommit((events) => received.push(...events));
  return {
    db,
    file,
    elsewhere,
    group,
    announcer,
    received,
    add: (row: string) => group.write(addRow, [row]),
    addBytes: (bytes: number) => group.write(addPadded, [bytes]),
    rows: () => db.prepare<[], string>('SELECT row FROM rows ORDER BY rowid').pluck().all(),
    eventSeqs: () => db.prepare<[], number>('SELECT seq FROM events ORDER BY stream_id, seq').pluck().all(),
    seenByOthers: () => elsewhere.prepare<[], number>('SELECT count(*) FROM rows').pluck().get(),
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
