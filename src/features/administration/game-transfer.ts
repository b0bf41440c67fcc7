import { z } from 'zod';
import { GantryError } from '../../core/errors.ts';
import { playerStreamsOf, streamOf } from '../../core/events/stream.ts';
import { type StreamRow, streams } from '../../core/events/streams.ts';
import { type ExclusiveTx, exclusiveCommand, type Steps } from '../../core/storage/command.ts';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { query, type Read, type ReadSteps } from '../../core/storage/query.ts';
import { type Statement, statement } from '../../core/storage/statement.ts';
import { type AnyRow, type AnyTable, columnOf, type Value } from '../../core/storage/table.ts';
import {
  gameKind,
  gameListing,
  gameName,
  gameOrder,
  gamePolicies,
  gameSlug,
  gameUrl,
  origin,
  type SpendingPolicy,
} from '../games/game.ts';
import { maxSecrets, type SealedSecret } from '../games/game-secret.ts';
import { gameSecrets, games, requestNonces } from '../games/tables.ts';
import { maxParticipants } from '../messages/message-channel.ts';
import { participantsKeyOf } from '../messages/stored-channel.ts';
import { eventSeqsOf, reactionsOf, storedBytesOf } from '../messages/stored-message.ts';
import {
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../messages/tables.ts';
import { notifications } from '../notifications/tables.ts';
import { playSessions } from '../play-sessions/tables.ts';
import { players } from '../players/tables.ts';
import { actions, grants, spending } from '../queue/tables.ts';
import { submittedRules } from '../rules/rule-bounds.ts';
import { rankGame } from '../scores/commands.ts';
import { LeaderboardImport } from '../scores/leaderboard-import.ts';
import { leaderboardRecords, leaderboardSeasons, leaderboards } from '../scores/leaderboard-tables.ts';
import { scores } from '../scores/tables.ts';
import { readState } from '../states/state.ts';
import { states } from '../states/tables.ts';
import { addLocked, lockGameStorage } from '../storage-quota/game-storage.ts';
import { countedBytes, rowOverheadBytes, storedBytes } from '../storage-quota/row-bytes.ts';
import { addStorageUse } from '../storage-quota/storage-use.ts';
import { importedRowSchema, jsonText, storedId, storedWallet } from './imported-rows.ts';

/** One record of an exported game: its table, and its row under the declared column names. */
export interface GameRecord {
  type: string;
  row: AnyRow;
}

/** Tables transferred in a special form. */
const special: readonly AnyTable[] = [games, gameSecrets, requestNonces, players] as readonly AnyTable[];

/** Tables of named leaderboards: on import, seasons get new ids and derived data is rebuilt. */
const ofLeaderboards: readonly AnyTable[] = [
  leaderboards,
  leaderboardSeasons,
  leaderboardRecords,
] as readonly AnyTable[];

/** The tables whose rows are transferred unchanged with their game, in an order in which they can be inserted. */
export function transferredTables(tables: readonly AnyTable[]): readonly AnyTable[] {
  return tables.filter(
    (table) => !special.includes(table) && table.of.stays === undefined && whereOf(table) !== null,
  );
}

/**
 * Exports all data of a game from one consistent snapshot, the game itself first; with `openSecret`, its decrypted
 * secrets too. Sessions, sign-ins, events and pending actions are meaningful to this server only and are not exported.
 */
export const exportGame = query(
  'exportGame',
  function* (
    read: Read,
    tables: readonly AnyTable[],
    gameId: string,
    openSecret: ((sealed: string) => string) | null,
    onRecord: (record: GameRecord) => void,
  ): ReadSteps<void> {
    const values = valuesOf(gameId, read.now);
    const all = function* (type: string, source: Statement<GameValues, AnyRow>) {
      yield* read.each(source, values, (row) => onRecord({ type, row }));
    };
    yield* read.inOneView(function* () {
      yield* all('games', rowsOf(games, 't.id = @gameId'));
      if (openSecret) {
        yield* read.each(validSecrets, values, ({ sealedSecret, createdAt, expiresAt }) =>
          onRecord({ type: 'secrets', row: { secret: openSecret(sealedSecret), createdAt, expiresAt } }),
        );
        // Requests signed with these secrets must not be replayable on the importing server.
        yield* all('request_nonces', rowsOf(requestNonces, 't.game_id = @gameId'));
      }
      yield* all('players', rowsOf(players, `t.wallet IN (${walletsIn(tables)})`));
      yield* all('streams', streamsOfGame);
      for (const table of transferredTables(tables))
        yield* all(table.name, rowsOf(table, whereOf(table) ?? ''));
    });
  },
);

/** The approximate number of records in an export, and the number of pending actions, which are not exported. */
export const measureGame = query(
  'measureGame',
  function* (
    read: Read,
    tables: readonly AnyTable[],
    gameId: string,
  ): ReadSteps<{ records: number; waitingActions: number }> {
    const values = valuesOf(gameId, read.now);
    let records = 1;
    for (const table of transferredTables(tables)) {
      const found = yield* read.first(countOf(table, whereOf(table) ?? ''), values);
      records += found?.count ?? 0;
    }
    const waiting = yield* read.first(
      countOf(actions, `t.game_id = @gameId AND t.state IN ('queued', 'submitted')`),
      values,
    );
    return { records, waitingActions: waiting?.count ?? 0 };
  },
);

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
  function* (
    tx: ExclusiveTx,
    records: () => Iterable<GameRecord>,
    options: ImportOptions,
  ): Steps<ImportReport> {
    const importing = new Import(tx, options);
    let added = 0;
    for (const { type, row } of records()) {
      try {
        yield* importing.add(type, row);
      } catch (thrown) {
        throw toImportError(thrown, type);
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
  name: gameName,
  kind: gameKind,
  url: z.union([gameUrl, z.literal('')]),
  allowedOrigins: jsonText(z.array(origin).max(100)),
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
  readonly #channels = new Map<string, { row: AnyRow; wallets: string[] }>();
  readonly #players = new Set<string>();
  readonly #channelStreams: string[] = [];
  /** The seq of each stream of the file. */
  readonly #seqs = new Map<string, number>();
  /** The events that messages of the file name, each by its stream and seq. */
  readonly #namedEvents = new Set<string>();
  readonly #actions = new Set<string>();
  readonly #leaderboards: LeaderboardImport;
  /** Reactions counted by messages minus reaction rows imported, by message and reaction; zeros are removed. */
  readonly #reactions = new Map<string, number>();
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
    for (const channelId of this.#channelStreams) this.#requireChannel('streams', channelId);
    for (const { row, wallets } of this.#channels.values()) {
      const participantsKey = participantsKeyOf(wallets);
      // With a wrong key, starting a channel with some players would return other players' channel.
      if (row.participantsKey !== participantsKey)
        throw new DatabaseUnusableError(
          'A record of message_channels does not match the participants of its channel; nothing was changed.',
        );
    }
    if (this.#reactions.size > 0)
      throw new DatabaseUnusableError(
        'A record of messages has reaction counts that do not match its reactions; nothing was changed.',
      );
    const actionsLeftOut = this.#actionsLeftOut;
    return { gameId: id, policies, spendingBefore, secrets: this.#secrets, actionsLeftOut };
  }

  /** Computed here, because files are untrusted. Players and games over the quota are imported, but cannot store more. */
  *countStorage(): Steps<void> {
    const gameId = this.#importedGame.id;
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
    const row = this.#parse(players, given);
    const known = yield* this.#tx.get(players, String(row.wallet));
    if (!known) this.#tx.insert(players as never, row as never);
  }

  /** Streams continue at their exported seq; their events are not imported. */
  #addStream(given: AnyRow): void {
    const { name, wallet, seq } = streamRecord.parse(given);
    const { id } = this.#importedGame;
    const ofChannel = streamOf.channel('');
    if (wallet !== null && name === streamOf.player(id, wallet)) this.#players.add(name);
    else if (wallet === null && name.startsWith(ofChannel))
      this.#channelStreams.push(name.slice(ofChannel.length));
    else if (wallet !== null || name !== streamOf.game(id)) {
      throw new DatabaseUnusableError(`The stream ${JSON.stringify(name)} does not belong to this game`);
    }
    this.#seqs.set(name, seq);
    this.#tx.insert<StreamRow>(streams, { name, wallet, seq, firstSeq: seq + 1, trimAt: 0 });
  }

  *#addRow(table: AnyTable, given: AnyRow): Steps<void> {
    const row = this.#parse(table, given);
    const { game, stream, via } = table.of;
    if (game !== undefined && row[game] !== this.#importedGame.id) {
      throw new DatabaseUnusableError(`A record of ${table.name} is of another game: ${row[game]}`);
    }
    if (stream !== undefined && !this.#players.has(String(row[stream]))) {
      throw new DatabaseUnusableError(`A record of ${table.name} is of a stream that is not in the file`);
    }
    if (table === messageChannels) this.#channels.set(String(row.id), { row, wallets: [] });
    const channelId = via?.table === messageChannels ? row[via.column] : row.channelId;
    // Null for a report about a player rather than a message; empty for a mute in the whole game.
    if (channelId !== undefined && channelId !== null && channelId !== '') {
      const { wallets } = this.#requireChannel(table.name, String(channelId));
      if (table === participants && wallets.push(String(row.wallet)) > maxParticipants) {
        throw new DatabaseUnusableError('A message channel of the file has too many participants');
      }
    }
    this.#refuseForeignSeqs(table, row);
    if (ofLeaderboards.includes(table)) {
      this.#countBytes(table, row);
      return yield* this.#leaderboards.add(table, row);
    }
    this.#countReactions(table, row);
    const kept = this.#withoutOpenActions(table, row);
    if (!kept) return;
    this.#tx.insert(table as never, kept as never);
    this.#countBytes(table, kept);
  }

  /**
   * Numbers of events must be of events that the file's own streams have had: a later one would be an event that
   * another player is going to cause here, which unsending the message would erase.
   */
  #refuseForeignSeqs(table: AnyTable, row: AnyRow): void {
    const named = eventsNamedBy(this.#importedGame.id, table, row);
    for (const { stream, seq } of named?.seqs ?? []) {
      const isOwn = seq <= (this.#seqs.get(stream) ?? 0);
      const event = `${stream} ${seq}`;
      if (!isOwn || (named?.isExclusive && this.#namedEvents.has(event))) {
        throw new DatabaseUnusableError(
          `A record of ${table.name} names an event that is not its own: ${seq} of ${stream}; nothing was changed.`,
        );
      }
      if (named?.isExclusive) this.#namedEvents.add(event);
    }
  }

  #countReactions(table: AnyTable, row: AnyRow): void {
    const add = (messageId: Value | undefined, reaction: Value | undefined, by: number) => {
      const key = `${messageId} ${reaction}`;
      const count = (this.#reactions.get(key) ?? 0) + by;
      if (count === 0) this.#reactions.delete(key);
      else this.#reactions.set(key, count);
    };
    if (table === messageReactions) add(row.messageId, row.reaction, -1);
    if (table === messages && typeof row.reactions === 'string') {
      for (const [reaction, count] of reactionsOf({ reactions: row.reactions })) add(row.id, reaction, count);
    }
  }

  /** Null when the record is skipped. */
  #withoutOpenActions(table: AnyTable, row: AnyRow): AnyRow | null {
    const isKnown = (id: unknown) => this.#actions.has(String(id));
    switch (table) {
      case states:
        return { ...row, ...readState(String(row.json)) };
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

  #requireChannel(type: string, channelId: string) {
    const channel = this.#channels.get(channelId);
    if (channel) return channel;
    throw new DatabaseUnusableError(`A record of ${type} refers to a channel that is not in the file`);
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

/** The events that a row refers to, by stream and seq. `isExclusive`: no other row may refer to them. */
function eventsNamedBy(
  gameId: string,
  table: AnyTable,
  row: AnyRow,
): { seqs: readonly { stream: string; seq: number }[]; isExclusive?: boolean } | null {
  const inChannel = (...seqs: (Value | undefined)[]) =>
    seqs.map((seq) => ({ stream: streamOf.channel(String(row.channelId)), seq: Number(seq) }));
  switch (table) {
    case scores as AnyTable:
    case leaderboardRecords as AnyTable:
      return { seqs: [{ stream: String(row.stream), seq: Number(row.revision) }] };
    case notifications as AnyTable:
      return {
        seqs: [{ stream: streamOf.player(gameId, String(row.wallet)), seq: Number(row.eventSeq) }],
      };
    case participants as AnyTable:
      return { seqs: inChannel(row.joinedSeq) };
    case formerParticipants as AnyTable:
      return { seqs: inChannel(row.joinedSeq, row.leftSeq) };
    case readMarkers as AnyTable:
      return { seqs: inChannel(row.readSeq) };
    case messages as AnyTable:
      return { seqs: inChannel(...eventSeqsOf({ eventSeqs: String(row.eventSeqs) })), isExclusive: true };
    default:
      return null;
  }
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

// ---- statements built from the table declarations

/** The parameters of these statements. */
interface GameValues extends Record<string, string | number> {
  gameId: string;
  /** The game id, for text columns that may also hold other values. */
  gameText: string;
  now: number;
  /** The name of the game's own stream. */
  ownStream: string;
  /** The range of its players' stream names. */
  from: string;
  to: string;
}

function valuesOf(gameId: string, now: number): GameValues {
  return { gameId, gameText: gameId, now, ownStream: streamOf.game(gameId), ...playerStreamsOf(gameId) };
}

/** Condition for the rows of a table that belong to the game @gameId; null when none can. */
function whereOf(table: AnyTable): string | null {
  const { game, stream, via } = table.of;
  if (table === actions) {
    return `t.game_id = @gameId AND t.state NOT IN ('queued', 'submitted') AND t.kind <> 'webhook'`;
  }
  if (table === spending) {
    return `t.game_id = @gameId AND t.action_id IN (
      SELECT id FROM actions WHERE state NOT IN ('queued', 'submitted'))`;
  }
  if (game !== undefined) return `t.${columnOf(table, game).sqlName} = @gameId`;
  if (via?.table === messageChannels) {
    return `t.${columnOf(table, via.column).sqlName} IN (SELECT id FROM message_channels WHERE game_id = @gameId)`;
  }
  return stream === undefined ? null : ofPlayersOfGame('s.name');
}

function ofPlayersOfGame(name: string): string {
  return `${name} >= @from AND ${name} < @to`;
}

function walletsIn(tables: readonly AnyTable[]): string {
  const sources = tables.flatMap((table) => {
    const { player, game } = table.of;
    if (player === undefined || game === undefined) return [];
    const { sqlName: column, kind } = columnOf(table, game);
    const isGame = `${column} = ${kind === 'uuid' ? '@gameId' : '@gameText'}`;
    return [`SELECT ${columnOf(table, player).sqlName} FROM ${table.name} WHERE ${isGame}`];
  });
  return [`SELECT wallet FROM streams WHERE ${ofPlayersOfGame('name')}`, ...sources].join(' UNION ');
}

function rowsOf(table: AnyTable, where: string) {
  const { stream } = table.of;
  const columns = table.columns.map(({ name, sqlName: column, kind }) => {
    if (kind === 'board') return `(SELECT game_id FROM boards WHERE id = t.board_id) AS "${name}"`;
    return name === stream ? `s.name AS "${name}"` : `t.${column} AS "${name}"`;
  });
  return statement<GameValues, AnyRow>(
    `SELECT ${columns.join(', ')} FROM ${sourceOf(table)} WHERE ${where}${orderOf(table)}`,
  );
}

function orderOf(table: AnyTable): string {
  if (table === leaderboardRecords) return ' ORDER BY s.id, t.revision'; // the latest record wins
  return table.of.stream === undefined ? '' : ' ORDER BY s.id';
}

function countOf(table: AnyTable, where: string) {
  return statement<GameValues, { count: number }>(
    `SELECT count(*) AS count FROM ${sourceOf(table)} WHERE ${where}`,
  );
}

function sourceOf(table: AnyTable): string {
  const { stream } = table.of;
  return stream === undefined
    ? `${table.name} AS t`
    : `streams AS s JOIN ${table.name} AS t ON t.${columnOf(table, stream).sqlName}_id = s.id`;
}

const validSecrets = statement<
  GameValues,
  { sealedSecret: string; createdAt: number; expiresAt: number | null }
>(`SELECT sealed_secret AS "sealedSecret", created_at AS "createdAt", expires_at AS "expiresAt" FROM game_secrets
  WHERE game_id = @gameId AND (expires_at IS NULL OR expires_at > @now)`);

const streamsOfGame = statement<GameValues, AnyRow>(
  `SELECT name, wallet, seq FROM streams WHERE seq > 0 AND (name = @ownStream
    OR (${ofPlayersOfGame('name')})
    OR name IN (SELECT 'channel:' || id FROM message_channels WHERE game_id = @gameId))`,
);
