import { type Connection, settled } from './connection.ts';

/**
 * Plans are made once, and look rows up in indexes. A batch finds rows by key, so its plans need not depend on values,
 * and making one takes longer than running the statement. A plan made while a table is small must not scan it whole,
 * because it is also used when the table has grown.
 */
const byKey: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Sets how statements are planned on a connection that batches are written on. */
export async function planByKey(connection: Connection): Promise<void> {
  const settings = Object.entries(byKey).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  await connection.run(`SELECT ${settings.join(', ')}`);
}

/** Lets the current transaction run statements other than a batch's, which are planned as on other connections. */
export async function planByValues(connection: Connection): Promise<void> {
  await settled(Object.keys(byKey).map((name) => connection.script(`SET LOCAL ${name} = DEFAULT`)));
}
