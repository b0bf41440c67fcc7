import SqliteDatabase, { type Database } from 'better-sqlite3';
import { z } from 'zod';
import { gamePolicies } from '../../domain/game.ts';
import { idElsewhere } from '../../domain/ids.ts';
import { ruleList } from '../../rules/rule.ts';
import { DatabaseUnusableError } from '../database-unusable.ts';
import type { GameRecord, GameTransfer, SecretRecord } from '../game-transfer.ts';
import type { SealedSecret } from '../store.ts';
import type { GroupCommit } from './group-commit.ts';
import { latestSchema } from './migrate.ts';
import type { DataVersion } from './version-cache.ts';

const ofGame = 'game_id = @gameId';
const ofItsChannels = 'channel_id IN (SELECT id FROM message_channels WHERE game_id = @gameId)';

/**
 * The tables that a game's rows are moved of as they are, in the order they can be filled in. What counts or
 * sorts other rows (boards, marks) is made anew, and what only means something to this server stays: sessions,
 * sign-ins, events, transactions, webhooks with their deliveries, and actions that wait, which both servers would carry
 * out.
 */
const tables: readonly { table: string; where: string }[] = [
  { table: 'bans', where: ofGame },
  { table: 'states', where: ofGame },
  { table: 'play_sessions', where: ofGame },
  { table: 'activities', where: ofGame },
  { table: 'notifications', where: ofGame },
  { table: 'message_channels', where: ofGame },
  { table: 'participants', where: ofGame },
  { table: 'left_channels', where: ofItsChannels },
  { table: 'messages', where: ofItsChannels },
  { table: 'rule_triggers', where: ofGame },
  { table: 'rule_executions', where: ofGame },
  { table: 'actions', where: `${ofGame} AND state NOT IN ('queued', 'submitted') AND kind <> 'webhook'` },
  {
    table: 'spending',
    where: `${ofGame} AND action_id IN (SELECT id FROM actions WHERE state NOT IN ('queued', 'submitted'))`,
  },
  { table: 'spent', where: ofGame },
  { table: 'grants', where: ofGame },
];

/** Tables that are moved in a form of their own. */
const specially = ['games', 'game_secrets', 'request_nonces', 'players', 'streams', 'scores'];

/** Names of all tables something is moved of. */
export const movedTables: readonly string[] = [...specially, ...tables.map(({ table }) => table)];

/** Who has anything in the game. */
const playersOf = `SELECT * FROM players WHERE wallet IN (
  SELECT wallet FROM streams WHERE name >= 'player:' || @gameId || ':' AND name < 'player:' || @gameId || ';'
  UNION SELECT wallet FROM states WHERE game_id = @gameId
  UNION SELECT wallet FROM play_sessions WHERE game_id = @gameId
  UNION SELECT wallet FROM activities WHERE game_id = @gameId
  UNION SELECT wallet FROM participants WHERE game_id = @gameId
  UNION SELECT wallet FROM bans WHERE game_id = @gameId
  UNION SELECT wallet FROM channel_sessions WHERE game_id = @gameId)`;

const streamsOf = `SELECT name, wallet, seq FROM streams WHERE name = 'game:' || @gameId
  OR (name >= 'player:' || @gameId || ':' AND name < 'player:' || @gameId || ';')
  OR name IN (SELECT 'channel:' || id FROM message_channels WHERE game_id = @gameId)`;

const scoresOf = `SELECT s.wallet, c.id, c.nonce, c.score, c.reached_at, c.updated_at, c.revision
  FROM streams AS s JOIN scores AS c ON c.stream_id = s.id
  WHERE s.name >= 'player:' || @gameId || ':' AND s.name < 'player:' || @gameId || ';' ORDER BY s.id, c.revision`;

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
type Row = z.infer<typeof row>;

const gameColumns = z.strictObject({
  id: idElsewhere,
  slug: z.string(),
  name: z.string(),
  kind: z.string(),
  url: z.string(),
  allowed_origins: z.string(),
  policies: z.string(),
  rules: z.string(),
  rules_version: z.int(),
  created_at: z.int(),
});

interface SecretRow extends SealedSecret {
  createdAt: number;
  expiresAt: number | null;
}

/** Moves a game with what belongs to it out of a database, and into another one of the same schema. */
export class SqliteGameTransfer implements GameTransfer {
  readonly schemaVersion = latestSchema;
  readonly #db: Database;
  readonly #group: GroupCommit;
  readonly #version: DataVersion;
  readonly #rankGame: (gameId: string) => void;

  constructor(db: Database, group: GroupCommit, version: DataVersion, rankGame: (gameId: string) => void) {
    this.#db = db;
    this.#group = group;
    this.#version = version;
    this.#rankGame = rankGame;
  }

  waitingActions(gameId: string): number {
    return this.#count(
      `SELECT count(*) FROM actions WHERE game_id = @gameId AND state IN ('queued', 'submitted')`,
      gameId,
    );
  }

  count(gameId: string): number {
    const sources = [
      playersOf,
      streamsOf,
      scoresOf,
      ...tables.map(({ table, where }) => `SELECT 1 FROM ${table} WHERE ${where}`),
    ];
    return sources.reduce((sum, source) => sum + this.#count(`SELECT count(*) FROM (${source})`, gameId), 1);
  }

  *records(gameId: string, openSecret: ((sealed: string) => string) | null): Iterable<GameRecord> {
    this.#db.exec('BEGIN'); // what is read is of one moment, however long it takes
    try {
      yield* this.#rows('games', 'SELECT * FROM games WHERE id = @gameId', gameId);
      if (openSecret) yield* this.#secrets(gameId, openSecret);
      yield* this.#rows('players', playersOf, gameId);
      yield* this.#rows('streams', streamsOf, gameId);
      yield* this.#rows('scores', scoresOf, gameId);
      for (const { table, where } of tables) {
        yield* this.#rows(table, `SELECT * FROM ${table} WHERE ${where}`, gameId);
      }
    } finally {
      this.#db.exec('COMMIT');
    }
  }

  insert(
    records: () => Iterable<GameRecord>,
    options: InsertionOptions,
  ): Promise<{ gameId: string; secrets: number }> {
    return this.#group.write((tx) => {
      const into = new Insertion(this.#db, options, tx.now);
      for (const record of records()) {
        try {
          into.add(record);
        } catch (thrown) {
          throw inWords(thrown, record);
        }
      }
      const done = into.finish();
      this.#rankGame(done.gameId);
      this.#version.changed();
      return done;
    });
  }

  *#rows(type: string, sql: string, gameId: string): Iterable<GameRecord> {
    for (const found of this.#db.prepare<[{ gameId: string }], Row>(sql).iterate({ gameId })) {
      yield { type, row: found };
    }
  }

  *#secrets(gameId: string, open: (sealed: string) => string): Iterable<GameRecord> {
    const secrets = this.#db.prepare<[string, number], SecretRow>(
      `SELECT hash, sealed_md5 AS sealedMd5, sealed_secret AS sealedSecret, created_at AS createdAt,
         expires_at AS expiresAt
       FROM game_secrets WHERE game_id = ? AND (expires_at IS NULL OR expires_at > ?)`,
    );
    for (const { sealedSecret, createdAt, expiresAt } of secrets.all(gameId, Date.now())) {
      yield { type: 'secrets', row: { secret: open(sealedSecret), createdAt, expiresAt } };
    }
    // What was signed with one of them must not be good a second time over there.
    yield* this.#rows('request_nonces', 'SELECT * FROM request_nonces WHERE game_id = @gameId', gameId);
  }

  #count(sql: string, gameId: string): number {
    return this.#db.prepare<[{ gameId: string }], number>(sql).pluck().get({ gameId }) ?? 0;
  }
}

interface InsertionOptions {
  slug: string | undefined;
  seal(secret: string): SealedSecret;
  newSecret: string;
}

/** What does not fit, in words for who has the file; a defect of ours stays what it is. */
function inWords(thrown: unknown, { type }: GameRecord): unknown {
  if (thrown instanceof z.ZodError || thrown instanceof SyntaxError) {
    const issue = thrown instanceof z.ZodError ? thrown.issues[0] : undefined;
    const why = issue ? ` (${[...issue.path, issue.message].join(': ')})` : '';
    return new DatabaseUnusableError(
      `A record of ${type} is not as it should be${why}; nothing was changed.`,
    );
  }
  if (thrown instanceof SqliteDatabase.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')) {
    return new DatabaseUnusableError(
      `A record of ${type} does not fit with what is here (${thrown.message}); nothing was changed.`,
    );
  }
  return thrown;
}

/** Fills in a game, record by record, inside a transaction. Nothing can get into another game's data. */
class Insertion {
  readonly #db: Database;
  readonly #options: InsertionOptions;
  readonly #now: number;
  readonly #inserts = new Map<string, { columns: readonly string[]; run(row: Row): void }>();
  readonly #streams = new Map<string, number>();
  readonly #channels = new Set<string>();
  #gameId: string | null = null;
  #secrets = 0;

  constructor(db: Database, options: InsertionOptions, now: number) {
    this.#db = db;
    this.#options = options;
    this.#now = now;
  }

  /** @throws DatabaseUnusableError */
  add({ type, row: given }: GameRecord): void {
    const found = row.parse(given);
    if (type === 'games') this.#addGame(found);
    else if (type === 'secrets') this.#addSecret(found);
    else if (type === 'players') this.#addPlayer(found);
    else if (type === 'streams') this.#addStream(found);
    else if (type === 'scores') this.#addScore(found);
    else if (type === 'request_nonces' || tables.some(({ table }) => table === type))
      this.#addRow(type, found);
    else throw new DatabaseUnusableError(`The file has a record of a type that is unknown here: ${type}`);
  }

  finish(): { gameId: string; secrets: number } {
    if (this.#secrets === 0)
      this.#insertSecret({ secret: this.#options.newSecret, createdAt: this.#now, expiresAt: null });
    return { gameId: this.#game, secrets: this.#secrets };
  }

  get #game(): string {
    if (this.#gameId === null)
      throw new DatabaseUnusableError('The file does not begin with the game itself');
    return this.#gameId;
  }

  #addGame(given: Row): void {
    if (this.#gameId !== null) throw new DatabaseUnusableError('The file has a second game in it');
    const game = gameColumns.parse(given);
    gamePolicies.parse(JSON.parse(game.policies));
    ruleList.parse(JSON.parse(game.rules));
    const slug = this.#options.slug ?? game.slug;
    const there = this.#db
      .prepare<[string, string], { id: string }>('SELECT id FROM games WHERE id = ? OR slug = ?')
      .get(game.id, slug);
    if (there) {
      throw new DatabaseUnusableError(
        there.id === game.id
          ? `The game ${game.id} is there already; nothing was changed.`
          : `Another game has the short name ${slug}: give this one another with --slug.`,
      );
    }
    this.#gameId = game.id;
    this.#insert('games', { ...game, slug });
  }

  #addSecret(given: Row): void {
    const secret: SecretRecord = z
      .strictObject({ secret: z.string().min(1), createdAt: z.int(), expiresAt: z.int().nullable() })
      .parse(given);
    this.#insertSecret(secret);
    this.#secrets++;
  }

  #insertSecret({ secret, createdAt, expiresAt }: SecretRecord): void {
    const { hash, sealedMd5, sealedSecret } = this.#options.seal(secret);
    this.#insert('game_secrets', {
      hash,
      game_id: this.#game,
      sealed_md5: sealedMd5,
      sealed_secret: sealedSecret,
      created_at: createdAt,
      expires_at: expiresAt,
    });
  }

  /** A player who is known here keeps the profile there is here. */
  #addPlayer(given: Row): void {
    const known = this.#db.prepare('SELECT 1 FROM players WHERE wallet = ?').get(given.wallet);
    if (known === undefined) this.#insert('players', given);
  }

  /** Streams count on from where they stood; their events stay where they were. */
  #addStream(given: Row): void {
    const { name, wallet, seq } = z
      .strictObject({ name: z.string(), wallet: z.string().nullable(), seq: z.int().min(0) })
      .parse(given);
    const isIts =
      name === `game:${this.#game}` ||
      name === `player:${this.#game}:${wallet}` ||
      (name.startsWith('channel:') && wallet === null);
    if (!isIts) throw new DatabaseUnusableError(`The stream ${name} is of no such game`);
    const { lastInsertRowid } = this.#db
      .prepare('INSERT INTO streams (name, wallet, seq, first_seq, trim_at) VALUES (?, ?, ?, ?, ?)')
      .run(name, wallet, seq, seq + 1, this.#now);
    this.#streams.set(name, Number(lastInsertRowid));
  }

  #addScore({ wallet, ...given }: Row): void {
    const stream = this.#streams.get(`player:${this.#game}:${wallet}`);
    if (stream === undefined)
      throw new DatabaseUnusableError(`A score is of a player without a stream: ${wallet}`);
    this.#insert('scores', { ...given, stream_id: stream }, ['key']);
  }

  #addRow(table: string, given: Row): void {
    if ('game_id' in given && given.game_id !== this.#game) {
      throw new DatabaseUnusableError(`A record of ${table} is of another game: ${given.game_id}`);
    }
    if (table === 'message_channels') this.#channels.add(String(given.id));
    if ('channel_id' in given && !this.#channels.has(String(given.channel_id))) {
      throw new DatabaseUnusableError(`A record of ${table} is of a channel that is not in the file`);
    }
    this.#insert(table, given);
  }

  /** @throws DatabaseUnusableError when the columns are not exactly those of the table, save `left` ones */
  #insert(table: string, given: Row, left: readonly string[] = []): void {
    let insert = this.#inserts.get(table);
    if (!insert) {
      const columns = this.#db
        .prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY name')
        .pluck()
        .all(table)
        .filter((column) => !left.includes(column));
      const places = columns.map((column) => `@${column}`).join(', ');
      const statement = this.#db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
      insert = { columns, run: (one) => void statement.run(one) };
      this.#inserts.set(table, insert);
    }
    if (Object.keys(given).sort().join() !== insert.columns.join()) {
      throw new DatabaseUnusableError(`A record of ${table} has not the fields it should have`);
    }
    insert.run(given);
  }
}
