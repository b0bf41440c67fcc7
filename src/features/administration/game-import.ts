import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { type StreamRow, streams } from '../../core/events/tables.ts';
import { folded } from '../../core/schemas/folded.ts';
import { type ExclusiveTx, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { statement } from '../../core/storage/query.ts';
import type { AnyRow, AnyTable, Value } from '../../core/storage/table.ts';
import { importedEvent } from '../calendar/stored-event.ts';
import { type CalendarEventRow, calendarEvents } from '../calendar/tables.ts';
import { allowedOrigin } from '../games/allowed-origin.ts';
import {
  cleanedGameName,
  gameKind,
  gameListing,
  gameOrder,
  gamePolicies,
  gameSlug,
  gameUrl,
  type SpendingPolicy,
} from '../games/game.ts';
import { maxSecrets, type SealedSecret } from '../games/game-secret.ts';
import { gameSecrets, games, requestNonces } from '../games/tables.ts';
import { storedBytesOf } from '../messages/message-rows.ts';
import { messageReactions, messages } from '../messages/tables.ts';
import { playSessions } from '../play-sessions/tables.ts';
import { players } from '../players/tables.ts';
import { actions, grants, spending } from '../queue/tables.ts';
import { submittedRules } from '../rules/rule-bounds.ts';
import { rankGame } from '../scores/commands.ts';
import { LeaderboardImport } from '../scores/leaderboard-import.ts';
import { leaderboardRecords, leaderboardSeasons, leaderboards } from '../scores/leaderboard-tables.ts';
import { readState } from '../states/state.ts';
import { states } from '../states/tables.ts';
import {
  addLocked,
  addStorageUse,
  countedBytes,
  countedBytesIn,
  lockGameStorage,
  rowOverheadBytes,
  storedBytes,
} from '../storage-quota/game-storage.ts';
import { type GameRecord, transferredTables } from './game-export.ts';
import { ImportReferences } from './import-references.ts';
import { importedRowSchema, jsonText, storedId, storedWallet } from './imported-rows.ts';

/** Tables of named leaderboards: on import, seasons get new ids and derived data is rebuilt. */
const ofLeaderboards: readonly AnyTable[] = [
  leaderboards,
  leaderboardSeasons,
  leaderboardRecords,
] as readonly AnyTable[];

export interface ImportOptions {
  tables: readonly AnyTable[];
  /** Replaces the game's own slug. */
  slug: string | undefined;
  /** Accept a game of kind `launcher`. */
  allowLauncher: boolean;
  seal(secret: string): SealedSecret;
  /** The game's secret if the file contains none. */
  newSecret: string;
}

/** The outcome of an import. */
export interface ImportReport {
  gameId: string;
  /** Number of secrets in the file. */
  secrets: number;
  /** Actions not imported because they are not final; see `Import`. */
  actionsLeftOut: number;
  /** The spending policy on the exporting server, null if it allowed nothing; here the game may spend nothing. */
  spendingBefore: SpendingPolicy | null;
}

/** Rows buffered before each flush. */
const rowsPerFlush = 5_000;

/**
 * Imports a game atomically. Counts and rankings are recomputed from the imported rows.
 * @throws DatabaseUnusableError when the game already exists, or the records are not those of a single valid game
 */
export const importGame = exclusiveCommand(
  'importGame',
  function* (tx, records: () => Iterable<GameRecord>, options: ImportOptions): Steps<ImportReport> {
    const importing = new Import(tx, options);
    let added = 0;
    for (const { type, row } of records()) {
      try {
        yield* importing.add(type, row);
      } catch (thrown) {
        throw inLine(added + 2, toImportError(thrown, type)); // after the header
      }
      if (++added % rowsPerFlush === 0) yield* tx.flush();
    }
    yield* importing.countStorage();
    const { policies, ...report } = importing.finish();
    yield* rankGame(tx, report.gameId, policies.leaderboard);
    return report;
  },
);

const gameRow = z.strictObject({
  id: storedId,
  slug: gameSlug,
  name: cleanedGameName,
  kind: gameKind,
  url: z.union([gameUrl, z.literal('')]),
  allowedOrigins: jsonText(z.array(allowedOrigin).max(100)),
  policies: jsonText(gamePolicies),
  rules: jsonText(submittedRules),
  rulesVersion: z.int().min(0),
  createdAt: z.int().min(0),
  // Missing in files of earlier versions.
  listing: gameListing.default('listed'),
  image: z.union([gameUrl, z.literal('')]).default(''),
  sortOrder: gameOrder.default(0),
});

const secretRecord = z.strictObject({
  // The format of `newGameSecret`: a weaker one could be guessed.
  secret: z.string().regex(/^gsk_[A-Za-z0-9_-]{43}$/, 'must be a game secret'),
  createdAt: z.int().min(0),
  expiresAt: z.int().nullable(),
});

const streamRecord = z.strictObject({
  name: z.string(),
  wallet: storedWallet.nullable(),
  seq: z.int().min(1),
});

/**
 * Imports a game record by record. The file is untrusted: each record is validated against what callers may send, and
 * cannot touch another game's data. Neither pending work nor spending rights are imported: of the queue only confirmed
 * actions, because failed or cancelled ones could be retried with whatever call the file names; and the game may spend
 * nothing until an administrator of this server sets a spending policy.
 */
class Import {
  readonly #tx: ExclusiveTx;
  readonly #options: ImportOptions;
  readonly #tables: ReadonlyMap<string, AnyTable>;
  readonly #schemas = new Map<AnyTable, z.ZodType<AnyRow>>();
  readonly #references = new ImportReferences();
  readonly #actions = new Set<string>();
  readonly #leaderboards: LeaderboardImport;
  /** Stored bytes per player. */
  readonly #stored = new Map<string, number>();
  /** Bytes that count for the game only. */
  #storedInGame = 0;
  #game: {
    id: string;
    policies: z.infer<typeof gamePolicies>;
    spendingBefore: SpendingPolicy | null;
  } | null = null;
  #secrets = 0;
  #actionsLeftOut = 0;

  constructor(tx: ExclusiveTx, options: ImportOptions) {
    this.#tx = tx;
    this.#leaderboards = new LeaderboardImport(tx);
    this.#options = options;
    this.#tables = new Map(transferredTables(options.tables).map((table) => [table.name, table]));
  }

  *add(type: string, given: AnyRow): Steps<void> {
    if (type === 'games') yield* this.#addGame(given);
    else if (type === 'secrets') this.#addSecret(given);
    else if (type === 'request_nonces') yield* this.#addRow(requestNonces, given);
    else if (type === 'players') yield* this.#addPlayer(given);
    else if (type === 'streams') this.#addStream(given);
    else {
      const table = this.#tables.get(type);
      if (!table) throw new DatabaseUnusableError(`The file has a record of an unknown type: ${type}`);
      yield* this.#addRow(table, given);
    }
  }

  finish(): ImportReport & { policies: z.infer<typeof gamePolicies> } {
    const { id, policies, spendingBefore } = this.#importedGame;
    if (this.#secrets === 0) {
      this.#insertSecret({ secret: this.#options.newSecret, createdAt: this.#tx.now, expiresAt: null });
    }
    this.#references.requireConsistency();
    const actionsLeftOut = this.#actionsLeftOut;
    return { gameId: id, policies, spendingBefore, secrets: this.#secrets, actionsLeftOut };
  }

  /** Computed here, because files are untrusted. Players and games over the quota are imported, but cannot store more. */
  *countStorage(): Steps<void> {
    const gameId = this.#importedGame.id;
    // The game may have been deleted here, and be imported again.
    const created = yield* this.#tx.rows(createdPlayers, { gameId });
    for (const row of created) this.#storedInGame += row.bytes;
    for (const [wallet, bytes] of this.#stored) {
      yield* addStorageUse(this.#tx, { gameId, wallet }, bytes, Number.POSITIVE_INFINITY);
    }
    yield* addLocked(this.#tx, yield* lockGameStorage(this.#tx, gameId), this.#storedInGame, null);
  }

  #countBytes(table: AnyTable, row: AnyRow): void {
    this.#storedInGame += countedBytes(table, row);
    const add = (wallet: Value | undefined, bytes: number) =>
      this.#stored.set(String(wallet), (this.#stored.get(String(wallet)) ?? 0) + bytes);
    if (table === states) add(row.wallet, storedBytes(String(row.json)));
    if (table === playSessions) add(row.wallet, storedBytes(String(row.state)));
    if (table === messageReactions) add(row.wallet, rowOverheadBytes);
    if (table === messages) {
      add(row.sender, storedBytesOf({ content: String(row.content), eventSeqs: String(row.eventSeqs) }));
    }
  }

  get #importedGame() {
    if (!this.#game) throw new DatabaseUnusableError('The file does not begin with the game itself');
    return this.#game;
  }

  *#addGame(given: AnyRow): Steps<void> {
    if (this.#game) throw new DatabaseUnusableError('The file contains a second game');
    const row = gameRow.parse(given);
    const { id, kind } = row;
    const slug = this.#options.slug ?? row.slug;
    if (kind === 'launcher' && !this.#options.allowLauncher) {
      throw new DatabaseUnusableError(
        'The file holds a game of kind launcher. Its secret opens sessions of any wallet, which may open sessions in ' +
          'every game of this server. If you trust everyone who has the file and its secrets, import it with --allow-launcher.',
      );
    }
    const [same, named] = yield* this.#tx.all(this.#tx.get(games, id), this.#tx.get(games.bySlug, slug));
    if (same) throw new DatabaseUnusableError(`The game ${id} already exists; nothing was changed.`);
    if (named) {
      throw new DatabaseUnusableError(
        `Another game has the slug ${slug}: choose a different one with --slug.`,
      );
    }
    const { spending: before, ...others } = row.policies;
    // How much it may store here is for an administrator of this server to decide, too.
    const policies = gamePolicies.parse({ ...others, storageQuotaMegabytes: null });
    const isAllowedToSpend = before.transactionsPerDay > 0 || before.tokens.length > 0;
    this.#game = { id, policies, spendingBefore: isAllowedToSpend ? before : null };
    this.#tx.insert(games, {
      ...row,
      slug,
      allowedOrigins: JSON.stringify(row.allowedOrigins),
      policies: JSON.stringify(policies),
      rules: JSON.stringify(row.rules),
    });
  }

  #addSecret(given: AnyRow): void {
    this.#insertSecret(secretRecord.parse(given));
    if (++this.#secrets > maxSecrets) throw new DatabaseUnusableError('The file has too many secrets');
  }

  #insertSecret({ secret, createdAt, expiresAt }: z.infer<typeof secretRecord>): void {
    const gameId = this.#importedGame.id;
    this.#tx.insert(gameSecrets, { ...this.#options.seal(secret), gameId, createdAt, expiresAt });
  }

  /** A player already known here keeps the existing profile. */
  *#addPlayer(given: AnyRow): Steps<void> {
    const row = this.#parse(players, { ...given, createdBy: null, searchName: '' });
    const known = yield* this.#tx.get(players, String(row.wallet));
    const searchName = folded(String(row.username));
    if (!known) this.#tx.insert(players as never, { ...row, searchName } as never);
  }

  /**
   * Events are not imported. Streams continue with numbers that none has reached yet, by the time in milliseconds: the game
   * may have been deleted here after the export, and launchers would take new events for those that they had received.
   */
  #addStream(given: AnyRow): void {
    const stream = streamRecord.parse(given);
    this.#references.addStream(this.#importedGame.id, stream);
    const seq = Math.max(stream.seq, this.#tx.now);
    this.#tx.insert<StreamRow>(streams, { ...stream, seq, firstSeq: seq + 1, trimAt: 0 });
  }

  *#addRow(table: AnyTable, given: AnyRow): Steps<void> {
    const row = this.#parse(table, given);
    const { game } = table.of;
    if (game !== undefined && row[game] !== this.#importedGame.id) {
      throw new DatabaseUnusableError(`A record of ${table.name} is of another game: ${row[game]}`);
    }
    this.#references.add(this.#importedGame.id, table, row);
    if (ofLeaderboards.includes(table)) {
      this.#countBytes(table, row);
      return yield* this.#leaderboards.add(table, row);
    }
    const kept = this.#withoutOpenActions(table, row);
    if (!kept) return;
    this.#tx.insert(table as never, kept as never);
    this.#countBytes(table, kept);
  }

  /** Null when the record is skipped. */
  #withoutOpenActions(table: AnyTable, row: AnyRow): AnyRow | null {
    const isKnown = (id: unknown) => this.#actions.has(String(id));
    switch (table) {
      case states:
        return { ...row, ...readState(String(row.json)) };
      case calendarEvents:
        return importedEvent(row as CalendarEventRow, this.#tx.now);
      case actions:
        if (row.state !== 'confirmed' || row.kind === 'webhook') {
          this.#actionsLeftOut++;
          return null;
        }
        this.#actions.add(String(row.id));
        return { ...row, claimedBy: null, claimedUntil: 0, endedAt: row.endedAt ?? this.#tx.now };
      case spending:
        return isKnown(row.actionId) ? row : null;
      case grants:
        if (row.granted === 0) return null; // its action is not final
        return isKnown(row.actionId) ? row : { ...row, actionId: '' };
      default:
        return row;
    }
  }

  #parse(table: AnyTable, row: AnyRow): AnyRow {
    let schema = this.#schemas.get(table);
    if (!schema) {
      schema = importedRowSchema(table, this.#tx.now);
      this.#schemas.set(table, schema);
    }
    return schema.parse(row);
  }
}

const createdPlayers = statement<{ gameId: string }, { bytes: number }>(
  `SELECT ${countedBytesIn(players as AnyTable)} AS bytes FROM players WHERE created_by = @gameId`,
);

/** Says in which line the record is, unless it is the first, the game; returns unexpected errors unchanged. */
function inLine(line: number, error: unknown): unknown {
  if (line === 2 || !(error instanceof DatabaseUnusableError)) return error;
  return new DatabaseUnusableError(`Line ${line}: ${error.message}`);
}

/** Describes validation errors for the importing administrator; returns other errors unchanged. */
function toImportError(thrown: unknown, type: string): unknown {
  if (thrown instanceof GantryError) {
    return new DatabaseUnusableError(
      `A record of ${type} is invalid (${thrown.message}); nothing was changed.`,
    );
  }
  if (!(thrown instanceof z.ZodError) && !(thrown instanceof SyntaxError)) return thrown;
  const issue = thrown instanceof z.ZodError ? thrown.issues[0] : undefined;
  if (issue?.code === 'unrecognized_keys' || issue?.code === 'invalid_type') {
    return new DatabaseUnusableError(
      `A record of ${type} does not have the expected fields (${[...issue.path, issue.message].join(': ')}); nothing was changed.`,
    );
  }
  const why = issue ? ` (${[...issue.path, issue.message].join(': ')})` : '';
  return new DatabaseUnusableError(`A record of ${type} is invalid${why}; nothing was changed.`);
}
