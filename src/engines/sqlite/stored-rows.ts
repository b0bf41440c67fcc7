import type { Database } from 'better-sqlite3';
import { events, streams } from '../../core/events/tables.ts';
import type { StoredDatabase } from '../../core/storage/stored-database.ts';
import type { AnyRow, AnyTable } from '../../core/storage/table.ts';
import { Dictionaries } from './dictionaries.ts';
import { asUnusable, openDatabase } from './open-database.ts';
import { prepare } from './prepare.ts';
import { TableStatements } from './table-statements.ts';

/**
 * Opens a database file for reading its full contents, under the write lock, so that it cannot change meanwhile.
 * @throws SchemaTooNewError, DatabaseUnusableError
 */
export async function withStoredRows<Result>(
  file: string,
  use: (stored: StoredDatabase) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(file);
  try {
    takeWriteLock(db, file);
    return await use(storedRows(db));
  } finally {
    db.close();
  }
}

function takeWriteLock(db: Database, file: string): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw asUnusable(file, error);
  }
}

function storedRows(db: Database): StoredDatabase {
  const dictionaries = new Dictionaries(db);
  function* rows(table: AnyTable, extraColumns: string, order = ''): Iterable<AnyRow> {
    const statements = new TableStatements(db, table, dictionaries);
    const text = `SELECT ${statements.selection()}${extraColumns} FROM ${table.name}${order}`;
    for (const row of prepare<[], AnyRow>(db, text).iterate()) yield statements.decode(row);
  }
  const first = (text: string): AnyRow | undefined => prepare<[], AnyRow>(db, text).get();
  // Not the maximum in the table: the last events may have been erased, and positions are never reused.
  const lastPosition = Number(first("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 0);
  return {
    epoch: String(first('SELECT epoch FROM history')?.epoch),
    lastPosition,
    count: ({ name }) => Number(first(`SELECT count(*) AS count FROM ${name}`)?.count),
    rows: (table) => rows(table, ''),
    streams: () =>
      rows(
        streams,
        `, (SELECT e.position FROM events AS e WHERE e.stream_id = streams.id ORDER BY e.seq DESC LIMIT 1)
          AS lastPosition`,
      ),
    events: () => rows(events, ', position', ' ORDER BY position'),
  };
}
