import { migrate } from '../../src/engines/postgres/migrate.ts';
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
