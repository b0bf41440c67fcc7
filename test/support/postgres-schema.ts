import { Connection } from '../../src/engines/postgres/connection.ts';
import { migrate, migrations, type PostgresMigration } from '../../src/engines/postgres/migrate.ts';
import { freshDatabase, type TestDatabase } from './postgres.ts';

let template: Promise<string> | null = null;

/** A template database that has the schema. */
async function madeOnce(): Promise<string> {
  const { url } = await freshDatabase();
  await migrate(url);
  return new URL(url).pathname.slice(1);
}

/** A separate database that has the schema. */
export async function freshSchema(): Promise<TestDatabase> {
  template ??= madeOnce();
  return freshDatabase(await template);
}

/** Gives an empty database the schema of the version before a migration, as a Gantry of that version left it. */
export async function migrateUntil(url: string, next: PostgresMigration['run']): Promise<void> {
  const before = migrations.slice(
    0,
    migrations.findIndex(({ run }) => run === next),
  );
  const connection = await Connection.open(url, 'gantry migration');
  try {
    for (const { run } of before) {
      if (typeof run === 'string') await connection.script(run);
      else await run(connection);
    }
    await connection.script(`CREATE TABLE schema_version (id boolean PRIMARY KEY DEFAULT true CHECK (id), version integer NOT NULL);
      INSERT INTO schema_version (version) VALUES (${before.length})`);
  } finally {
    await connection.close();
  }
}
