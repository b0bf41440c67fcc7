import SqliteDatabase from 'better-sqlite3';

/**
 * What imports have left in a database file of the guests with these keys (`playerKeyOf`), by those, and without generated
 * ids; and the number of all events.
 */
export function importedIn(file: string, keys: ReadonlySet<string>) {
  const db = new SqliteDatabase(file, { readonly: true });
  try {
    const rows = (text: string) =>
      db
        .prepare<[], Record<string, unknown>>(text)
        .all()
        .filter((row) => keys.has(String(row.player_key)));
    const guest = (wallet: string, as = 'g') => `JOIN guests AS ${as} ON ${as}.wallet = ${wallet}`;
    return {
      players: rows(
        `SELECT g.player_key, p.username, p.created_at FROM players AS p ${guest('p.wallet')} ORDER BY 1`,
      ),
      scores: rows(
        `SELECT g.player_key, r.score, r.reached_at, r.nonce, r.metadata, r.label FROM leaderboard_records AS r
          JOIN streams AS s ON s.id = r.stream_id ${guest('s.wallet')} ORDER BY 1, 2, 4`,
      ),
      states: rows(
        `SELECT g.player_key, t.label, t.json, t.updated_at, t.version, t.is_private FROM states AS t ${guest('t.wallet')} ORDER BY 1, 2`,
      ),
      friends: rows(
        `SELECT g.player_key, o.player_key AS other, f.state FROM friendships AS f ${guest('f.wallet')} ${guest('f.other', 'o')} ORDER BY 1, 2`,
      ),
      blocks: rows(
        `SELECT g.player_key, o.player_key AS other FROM player_blocks AS k ${guest('k.wallet')} ${guest('k.blocked', 'o')} ORDER BY 1, 2`,
      ),
      events: db.prepare('SELECT count(*) FROM events').pluck().get(),
    };
  } finally {
    db.close();
  }
}
