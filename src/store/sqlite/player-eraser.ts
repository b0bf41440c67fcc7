import type { Database } from 'better-sqlite3';
import type { SqliteChannelSessions } from './channel-sessions.ts';
import type { Transaction } from './group-commit.ts';
import type { SqliteMessageChannels } from './message-channels.ts';
import type { SqliteMessages } from './messages.ts';
import type { SqliteScores } from './scores.ts';

/** Stands where an erased player's wallet stood, in events that others may still be given. */
const nobody = `0x${'0'.repeat(40)}`;

/** Rows that are a player's alone. `rule_executions` and the rest have no other trace of who it was. */
const ownTables = [
  'states',
  'play_sessions',
  'activities',
  'notifications',
  'rule_triggers',
  'rule_executions',
  'actions',
  'spending',
  'spent',
  'grants',
  'left_channels',
  'sign_ins',
  'channel_sessions',
  'bans',
];

/** What players have written, in columns that no index holds: it is written over before its row is deleted. */
const ownTexts = [
  { table: 'states', column: 'json', owner: 'wallet' },
  { table: 'play_sessions', column: 'state', owner: 'wallet' },
  { table: 'activities', column: 'label', owner: 'wallet' },
  { table: 'notifications', column: 'message', owner: 'wallet' },
  { table: 'actions', column: 'payload', owner: 'wallet' },
  { table: 'messages', column: 'content', owner: 'sender' },
];

/**
 * Removes everything of a player's from the database, in one transaction. Events of shared streams keep
 * their place, so that other players' cursors go on fitting, but say nothing of the player any more.
 */
export class PlayerEraser {
  readonly #parts: {
    sessions: SqliteChannelSessions;
    channels: SqliteMessageChannels;
    messages: SqliteMessages;
    scores: SqliteScores;
  };
  readonly #statements;

  constructor(
    db: Database,
    parts: {
      sessions: SqliteChannelSessions;
      channels: SqliteMessageChannels;
      messages: SqliteMessages;
      scores: SqliteScores;
    },
  ) {
    this.#parts = parts;
    this.#statements = {
      sharedStreams: db
        .prepare<[{ wallet: string }], number>(
          `SELECT id FROM streams WHERE name IN (
             SELECT 'channel:' || channel_id FROM participants WHERE wallet = @wallet
             UNION SELECT 'channel:' || channel_id FROM left_channels WHERE wallet = @wallet
             UNION SELECT 'channel:' || channel_id FROM messages WHERE sender = @wallet
             UNION SELECT 'game:' || game_id FROM activities WHERE wallet = @wallet)`,
        )
        .pluck(),
      anonymise: db.prepare(
        `UPDATE events SET record = replace(
           CASE WHEN name = 'activities created' THEN json_set(record, '$.label', '') ELSE record END,
           @wallet, @nobody)
         WHERE stream_id = @streamId AND instr(record, @wallet) > 0`,
      ),
      // Of the same length, so that it is written over where it stands: SQLite, when it makes room in a page,
      // leaves copies of rows in the page's free space, which secure_delete does not reach.
      blankOwnEvents: db.prepare(
        `UPDATE events SET record = ${sameLength('record')}
         WHERE stream_id IN (SELECT id FROM streams WHERE wallet = ?)`,
      ),
      blankTexts: ownTexts.map(({ table, column, owner }) =>
        db.prepare(`UPDATE ${table} SET ${column} = ${sameLength(column)} WHERE ${owner} = ?`),
      ),
      ownEvents: db.prepare(
        'DELETE FROM events WHERE stream_id IN (SELECT id FROM streams WHERE wallet = ?)',
      ),
      ownStreams: db.prepare('DELETE FROM streams WHERE wallet = ?'),
      toldPresent: db.prepare(
        'DELETE FROM told_present WHERE session_id IN (SELECT id FROM channel_sessions WHERE wallet = ?)',
      ),
      own: ownTables.map((table) => db.prepare(`DELETE FROM ${table} WHERE wallet = ?`)),
      player: db.prepare('DELETE FROM players WHERE wallet = ?'),
      audit: db.prepare(`UPDATE audit_log SET input = '{"erased":true}' WHERE instr(input, @wallet) > 0`),
    };
  }

  eraseWithin(tx: Transaction, wallet: string): void {
    const { sessions, channels, messages, scores } = this.#parts;
    const shared = this.#statements.sharedStreams.all({ wallet });
    this.#statements.blankOwnEvents.run(wallet); // before anything moves them
    for (const statement of this.#statements.blankTexts) statement.run(wallet);
    sessions.endAllWithin(tx, wallet, null, 'erased');
    messages.eraseAllOfWithin(tx, wallet);
    channels.leaveAllWithin(tx, wallet);
    this.#statements.blankOwnEvents.run(wallet); // what these have told
    for (const streamId of shared) this.#statements.anonymise.run({ streamId, wallet, nobody });
    scores.eraseAllOfWithin(wallet);
    this.#statements.ownEvents.run(wallet);
    this.#statements.ownStreams.run(wallet);
    this.#statements.toldPresent.run(wallet); // of sessions that have expired, and were not ended
    for (const statement of this.#statements.own) statement.run(wallet);
    this.#statements.player.run(wallet);
    this.#statements.audit.run({ wallet });
  }
}

/** As SQL: zeros that take as many bytes as what the column holds. */
function sameLength(column: string): string {
  return `substr(hex(zeroblob(octet_length(${column}))), 1, octet_length(${column}))`;
}
