import type { Database } from 'better-sqlite3';
import { apply, migrations, type SqliteMigration } from '../../src/engines/sqlite/migrate.ts';

/** Gives an empty database the schema of the version before a migration, as a Gantry of that version left it. */
export function migrateSqliteUntil(db: Database, next: SqliteMigration['run']): void {
  const version = migrations.findIndex(({ run }) => run === next);
  for (const migration of migrations.slice(0, version)) apply(db, migration);
  db.pragma(`user_version = ${version}`);
}
