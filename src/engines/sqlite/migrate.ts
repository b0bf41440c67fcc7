import type { Database } from 'better-sqlite3';
import { type SealedColumn, sealedSampleText } from '../../core/storage/database-file.ts';
import { DatabaseUnusableError, SchemaTooNewError } from '../../core/storage/database-unusable.ts';
import {
  contract,
  endedBySchema,
  expand,
  isAdmitted,
  type Migration,
  oldestCompatible,
  type SchemaState,
} from '../../core/storage/migrations.ts';
import { initial } from './migrations/0001-initial.ts';
import { leanScores } from './migrations/0002-lean-scores.ts';
import { countedRanks } from './migrations/0003-counted-ranks.ts';
import { announcedPresent } from './migrations/0004-announced-present.ts';
import { actions } from './migrations/0005-actions.ts';
import { feedByType } from './migrations/0006-feed-by-type.ts';
import { webhooks } from './migrations/0007-webhooks.ts';
import { sweeps } from './migrations/0008-sweeps.ts';
import { commands } from './migrations/0009-commands.ts';
import { channelAdders } from './migrations/0010-channel-adders.ts';
import { laneBudget } from './migrations/0011-lane-budget.ts';
import { serverKeys } from './migrations/0012-server-keys.ts';
import { storageUse } from './migrations/0013-storage-use.ts';
import { basementClients } from './migrations/0014-basement-clients.ts';
import { stateVersions } from './migrations/0015-state-versions.ts';
import { idempotencyKeys } from './migrations/0016-idempotency-keys.ts';
import { administrators } from './migrations/0017-administrators.ts';
import { gameListing } from './migrations/0018-game-listing.ts';
import { guests } from './migrations/0019-guests.ts';
import { leaderboards } from './migrations/0020-leaderboards.ts';
import { conversations } from './migrations/0021-conversations.ts';
import { notificationInbox } from './migrations/0022-notification-inbox.ts';
import { playerBlocks } from './migrations/0023-player-blocks.ts';
import { playerReports } from './migrations/0024-player-reports.ts';
import { playerMutes } from './migrations/0025-player-mutes.ts';
import { middleMarks } from './migrations/0026-middle-marks.ts';
import { prizeRuns } from './migrations/0027-prize-runs.ts';
import { sessionOrigins } from './migrations/0028-session-origins.ts';
import { gameStorage } from './migrations/0029-game-storage.ts';
import { storedSessions } from './migrations/0030-stored-sessions.ts';
import { plainNames } from './migrations/0031-plain-names.ts';
import { scoreMetadata } from './migrations/0032-score-metadata.ts';
import { searchNames } from './migrations/0033-search-names.ts';
import { erasures } from './migrations/0034-erasures.ts';
import { blocksEverywhere } from './migrations/0035-blocks-everywhere.ts';
import { friends } from './migrations/0036-friends.ts';
import { playtime } from './migrations/0037-playtime.ts';
import { library } from './migrations/0038-library.ts';
import { news } from './migrations/0039-news.ts';
import { gameConfig } from './migrations/0040-game-config.ts';
import { calendar } from './migrations/0041-calendar.ts';
import { schemaCompatibility } from './migrations/0042-schema-compatibility.ts';
import { openedGames } from './migrations/0043-opened-games.ts';
import { mutedGames } from './migrations/0044-muted-games.ts';
import { gameErasures } from './migrations/0045-game-erasures.ts';
import { prepare } from './prepare.ts';

/** SQL, or what computes values that SQL cannot. */
export type SqliteMigration = Migration<string | ((db: Database) => void)>;

/** Programs that know less do not read what the database records of its compatibility. */
const firstCompatible = 42;

/** In order; the schema's version (`PRAGMA user_version`) is how many of them have run. Only ever append. */
export const migrations: readonly SqliteMigration[] = [
  ...contract<SqliteMigration['run']>(firstCompatible, {
    initial,
    leanScores,
    countedRanks,
    announcedPresent,
    actions,
    feedByType,
    webhooks,
    sweeps,
    commands,
    channelAdders,
    laneBudget,
    serverKeys,
    storageUse,
    basementClients,
    stateVersions,
    idempotencyKeys,
    administrators,
    gameListing,
    guests,
    leaderboards,
    conversations,
    notificationInbox,
    playerBlocks,
    playerReports,
    playerMutes,
    middleMarks,
    prizeRuns,
    sessionOrigins,
    gameStorage,
    storedSessions,
    plainNames,
    scoreMetadata,
    searchNames,
    erasures,
    blocksEverywhere,
    friends,
    news,
    playtime,
    gameConfig,
    library,
    calendar,
    schemaCompatibility,
  }),
  ...expand<SqliteMigration['run']>({ openedGames, mutedGames, gameErasures }),
];

/** The schema version after all migrations. */
export const latestSchema = migrations.length;

/**
 * Migrates the schema to the latest version in one transaction, so that an interrupted migration leaves no trace. The
 * version is read again inside it, because another process may have migrated in the meantime.
 * @throws SchemaTooNewError
 */
export function migrate(db: Database): void {
  if (versionOf(db) === migrations.length) return;
  db.transaction(() => {
    refuseNewer(db);
    const version = versionOf(db);
    if (version >= migrations.length) return;
    for (const migration of migrations.slice(version)) apply(db, migration);
    prepare(db, 'UPDATE remembered SET version = version + 1').run(); // a running server reads its cached rows again
    prepare(db, 'UPDATE history SET oldest_compatible = ?').run(oldestCompatible(migrations));
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

export function apply(db: Database, { run }: SqliteMigration): void {
  if (typeof run === 'string') db.exec(run);
  else run(db);
}

/** Refuses a schema that programs of this version cannot use. @throws SchemaTooNewError */
export function refuseNewer(db: Database): void {
  const state = schemaOf(db);
  if (!isAdmitted(state, migrations.length)) throw new SchemaTooNewError(state.version, migrations.length);
}

/** Why this program must not write to its open database any more; null when its schema still admits it. */
export function whyEnded(db: Database): string | null {
  const oldest = prepare<[], number>(db, 'SELECT oldest_compatible FROM history').pluck().get() ?? 0;
  return oldest > migrations.length ? endedBySchema(oldest, migrations.length) : null;
}

/**
 * Refuses the database of another program, in which Gantry's tables would otherwise be created.
 * @throws DatabaseUnusableError
 */
export function refuseForeign(db: Database): void {
  const [tables, ours] = prepare<[], [number, number]>(
    db,
    "SELECT count(*), total(name = 'history') FROM sqlite_schema",
  )
    .raw()
    .get() ?? [0, 0];
  if (tables === 0 ? versionOf(db) === 0 : ours > 0) return;
  throw new DatabaseUnusableError(
    `${db.name} is not a database of Gantry's, or is incomplete. It was not modified: ` +
      'put the right one in its place, or set DATA_DIR to another directory.',
  );
}

export function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** A value of the column; null when there is none. */
export function sealedSample(db: Database, sealed: SealedColumn): string | null {
  const isThere = prepare(db, 'SELECT 1 FROM sqlite_schema WHERE name = ?').get(sealed.table.name);
  return isThere ? (prepare<[], string>(db, sealedSampleText(sealed)).pluck().get() ?? null) : null;
}

export function schemaOf(db: Database): SchemaState {
  const version = versionOf(db);
  const columns = prepare<[], string>(db, "SELECT name FROM pragma_table_info('history')").pluck().all();
  const recorded = columns.includes('oldest_compatible')
    ? prepare<[], number>(db, 'SELECT oldest_compatible FROM history').pluck().get()
    : undefined;
  return { version, oldestCompatible: recorded ?? version };
}
