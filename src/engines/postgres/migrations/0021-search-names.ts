import { folded } from '../../../core/schemas/folded.ts';

/** The part of a `Connection` that it needs. */
interface Statements {
  script(text: string): Promise<unknown>;
  run<Row>(text: string, values: readonly unknown[]): Promise<{ rows: Row[] }>;
}

const pageSize = 5_000;

/** Players are searched by their folded name, which is computed here: PostgreSQL's lower() depends on its locale. */
export async function searchNames(connection: Statements): Promise<void> {
  await connection.script(`ALTER TABLE players ADD COLUMN search_name text COLLATE "C" NOT NULL DEFAULT ''`);
  for (let after = ''; ; ) {
    const { rows } = await connection.run<{ wallet: string; username: string }>(
      `SELECT wallet, username FROM players WHERE wallet > $1 AND username <> '' ORDER BY wallet LIMIT ${pageSize}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return;
    await connection.run(
      `UPDATE players AS p SET search_name = f.name FROM unnest($1::text[], $2::text[]) AS f(wallet, name)
        WHERE p.wallet = f.wallet`,
      [rows.map(({ wallet }) => wallet), rows.map(({ username }) => folded(username))],
    );
    after = last.wallet;
  }
}
