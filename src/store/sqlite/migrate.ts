import type { Database } from 'better-sqlite3';
import { initial } from './migrations/0001-initial.ts';

/** In order; the schema's version (`PRAGMA user_version`) is how many of them have run. Only ever append. */
const migrations: readonly string[] = [initial];

/** The database was written by a newer Gantry; opening it with this one could damage it. */
export class SchemaTooNewError extends Error {
  constructor(found: number) {
    super(
      `The database has schema version ${found}, and this Gantry knows versions up to ${migrations.length}. ` +
        'Run the newer Gantry that wrote it, or restore a backup made before the upgrade.',
    );
  }
}

/**
 * Brings the schema up to date in one transaction, so that an interrupted upgrade leaves the file as it was.
 * The version is read again inside it: another process may have upgraded in the meantime.
 * @throws SchemaTooNewError
 */
export function migrate(db: Database): void {
  if (versionOf(db) === migrations.length) return;
  db.transaction(() => {
    const version = versionOf(db);
    if (version > migrations.length) throw new SchemaTooNewError(version);
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
