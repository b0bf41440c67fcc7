import { createHash } from 'node:crypto';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { apply, migrations } from '../../src/engines/sqlite/migrate.ts';

export const gameId = '01900000-0000-7000-8000-000000000001';

/** The wallets of the existing players, in order. */
export function walletOf(player: number): string {
  return `0x${player.toString(16).padStart(40, '0')}`;
}

/**
 * Creates a database as a Gantry of that schema version left it, with rows in every table that a game fills: a table's
 * rows are written in the version that introduced the table, and upgraded by the migrations since.
 */
export function makeDatabase(file: string, version: number, players: number): void {
  const db = new SqliteDatabase(file);
  db.pragma('page_size = 2048');
  db.pragma('synchronous = OFF'); // this one need not survive a power cut
  db.transaction(() => {
    for (const [index, migration] of migrations.slice(0, version).entries()) {
      apply(db, migration);
      fillers[index + 1]?.(db, players);
    }
    db.pragma(`user_version = ${version}`);
  })();
  db.close();
}

/** By the version whose tables they fill. */
const fillers: Readonly<Record<number, (db: Database, players: number) => void>> = {
  1: fillFirst,
  4: (db) => void db.prepare('INSERT INTO told_present VALUES (?)').run('session-0'),
  5: (db, players) => {
    const action = db.prepare(
      `INSERT INTO actions VALUES (?, 'chain', '1:0x0', 'IssueToken', '${gameId}', ?, 't', '{"amount":"1"}',
        ?, 1, 1, NULL, 0, NULL, NULL, ?, ?)`,
    );
    for (let player = 0; player < players; player++) {
      action.run(
        `action-${player}`,
        walletOf(player),
        player % 2 === 0 ? 'confirmed' : 'failed',
        player,
        player,
      );
    }
    db.prepare(`INSERT INTO spent VALUES ('${gameId}', '', '', 1, '7')`).run();
    db.prepare(`INSERT INTO grants VALUES ('${gameId}', ?, 'first-win', '', 1, 5)`).run(walletOf(0));
    db.prepare(`INSERT INTO lanes VALUES ('1:0x0', 'node', 0, 12)`).run();
  },
};

function fillFirst(db: Database, players: number): void {
  db.prepare("INSERT INTO games VALUES (?, 'race', 'Race', 'game', '', '[]', '{}', ?, 3, 1)").run(
    gameId,
    JSON.stringify([
      { trigger: 'win', actions: [{ type: 'Notify', message: 'Won', notificationType: 'success' }] },
    ]),
  );
  db.prepare('INSERT INTO game_secrets VALUES (?, ?, ?, ?, 1, NULL)').run('hash', gameId, 'md5', 'sealed');
  const insert = {
    player: db.prepare('INSERT INTO players VALUES (?, ?, ?, ?, ?)'),
    session: db.prepare('INSERT INTO channel_sessions VALUES (?, ?, ?, 1, 9999999999999, NULL, NULL)'),
    stream: db.prepare('INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, 1, 1, 9)'),
    event: db.prepare(
      "INSERT INTO events (stream_id, seq, name, record, at) VALUES (?, 1, 'scores created', '{}', 1)",
    ),
    score: db.prepare('INSERT INTO scores VALUES (?, ?, ?, ?, ?, 100, 300, 1)'),
    row: db.prepare('INSERT INTO board VALUES (?, ?, ?, ?, 100)'),
    state: db.prepare("INSERT INTO states VALUES (?, ?, ?, 'save', 'cid', ?, 5, 1)"),
    playSession: db.prepare("INSERT INTO play_sessions VALUES (?, ?, ?, '{}', 1, 2, NULL)"),
    activity: db.prepare("INSERT INTO activities VALUES (?, ?, ?, 'off-chain', 'won', 'w', ?)"),
    notification: db.prepare("INSERT INTO notifications VALUES (?, ?, ?, 'Hello', 'success', 1, 1, NULL)"),
  };
  for (let player = 0; player < players; player++) {
    const wallet = walletOf(player);
    const id = `id-${player.toString(16).padStart(6, '0')}`;
    insert.player.run(wallet, `user-${player}`, `Player ${player}`, '', player);
    insert.session.run(`session-${player}`, gameId, wallet);
    const { lastInsertRowid } = insert.stream.run(`player:${gameId}:${wallet}`, wallet);
    insert.event.run(lastInsertRowid);
    insert.score.run(id, gameId, wallet, `nonce-${player}`, player);
    insert.row.run(gameId, wallet, id, -player);
    insert.state.run(`state-${player}`, gameId, wallet, `{"level":${player}}`);
    insert.playSession.run(`play-${player}`, gameId, wallet);
    insert.activity.run(`activity-${player}`, gameId, wallet, player);
    insert.notification.run(`notification-${player}`, gameId, wallet);
  }
  const [first, second] = [walletOf(0), walletOf(1)];
  db.prepare("INSERT INTO message_channels VALUES ('channel', ?, ?, '', '', 1, 1, 2)").run(
    gameId,
    `${first},${second}`,
  );
  for (const [position, wallet] of [first, second].entries()) {
    db.prepare("INSERT INTO participants VALUES ('channel', ?, ?, 0, '[\"send-messages\"]', ?, 0)").run(
      wallet,
      gameId,
      position,
    );
  }
  insert.stream.run('channel:channel', null);
  db.prepare("INSERT INTO messages VALUES ('message', 'channel', ?, 'Hello', '[1]', 2, 2)").run(first);
  db.prepare("INSERT INTO rule_triggers VALUES ('trigger', ?, ?, 'n', 'win', NULL, '[]', 5)").run(
    gameId,
    first,
  );
  db.prepare("INSERT INTO bans VALUES (?, ?, 'cheating', 5)").run(second, gameId);
  db.prepare("INSERT INTO audit_log VALUES ('entry', 5, 'cli', 'createGame', '{}', 'ok')").run();
}

/** One value for a database's whole content: its version, its schema, and every row of every table. */
export function fingerprint(file: string): string {
  const db = new SqliteDatabase(file);
  const hash = createHash('sha256');
  hash.update(String(db.pragma('user_version', { simple: true })));
  const schema = db
    .prepare<[], { name: string; type: string; sql: string | null }>(
      "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name",
    )
    .all();
  for (const { name, type, sql } of schema) {
    hash.update(`${type} ${name} ${sql}`);
    if (type !== 'table') continue;
    for (const row of db.prepare(`SELECT * FROM "${name}"`).raw().iterate()) hash.update(JSON.stringify(row));
  }
  db.close();
  return hash.digest('hex');
}
