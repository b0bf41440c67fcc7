import { Client } from 'pg';
import { freshDatabase } from './postgres.ts';

/** The volatile functions of PostgreSQL that these statements call, each with the statement. */
export async function volatileCalls(texts: readonly string[]): Promise<[name: string, text: string][]> {
  await using database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client
    .query<{ name: string }>("SELECT DISTINCT proname AS name FROM pg_proc WHERE provolatile = 'v'")
    .finally(() => client.end());
  const names = new Set(rows.map(({ name }) => name));
  return texts.flatMap((text) =>
    [...text.matchAll(/\b([a-z_]\w*)\s*\(/g)].flatMap(([, name = '']): [string, string][] =>
      names.has(name) ? [[name, text]] : [],
    ),
  );
}
