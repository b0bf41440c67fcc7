import type { Database } from 'better-sqlite3';
import { SchemaTooNewError } from '../schema-too-new.ts';
import { initial } from './migrations/0001-initial.ts';

/** In order; the schema's version (`PRAGMA user_version`) is how many of them have run. Only ever append. */
const migrations: readonly string[] = [initial];

/**
 * Brings the schema up to date in one transaction, so that an interrupted upgrade leaves the file as it was.
 * The version is read again inside it: another process may have upgraded in the meantime.
 * @throws SchemaTooNewError
 */
export function migrate(db: Database): void {
  if (versionOf(db) === migrations.length) return;
  db.transaction(() => {
    const version = versionOf(db);
    if (version > migrations.length) throw new SchemaTooNewError(version, migrations.length);
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
