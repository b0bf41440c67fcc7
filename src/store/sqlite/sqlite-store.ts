import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { makeIdsAfter } from '../../domain/ids.ts';
import type { StoredEvent } from '../../events/stream.ts';
import type { Retention, Store } from '../store.ts';
import { SqliteActions } from './actions.ts';
import { SqliteActivities } from './activities.ts';
import { SqliteAudit } from './audit.ts';
import { SqliteChainLanes } from './chain-lanes.ts';
import { SqliteChannelMembers } from './channel-members.ts';
import { SqliteChannelSessions } from './channel-sessions.ts';
import { Checkpoints, type LogCopier } from './checkpoints.ts';
import { CommitMeter, SqliteDiagnostics } from './diagnostics.ts';
import { EventLog } from './event-log.ts';
import { SqliteEvents } from './events.ts';
import { SqliteGameTransfer } from './game-transfer.ts';
import { SqliteGames } from './games.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteMessageChannels } from './message-channels.ts';
import { SqliteMessages } from './messages.ts';
import { SqliteNotifications } from './notifications.ts';
import { openDatabase } from './open-database.ts';
import { SqlitePlaySessions } from './play-sessions.ts';
import { PlayerEraser } from './player-eraser.ts';
import { SqlitePlayers } from './players.ts';
import { SqliteRules } from './rules.ts';
import { SqliteScores } from './scores.ts';
import { SqliteStates } from './states.ts';
import { steadyClock, timeMemory } from './steady-clock.ts';
import { DataVersion } from './version-cache.ts';
import { SqliteWebhooks } from './webhooks.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** How long events are kept when nothing else is asked for. */
export const defaultRetention: Retention = { maximumAgeMs: 7 * dayMs, maximumCount: 10_000 };

export interface SqliteStoreOptions {
  /** Unix milliseconds; another one stands in for it in tests of expiry. */
  clock?: () => number;
  /** Where threads on the same file share how far time has come; see `steadyClock`. */
  time?: SharedArrayBuffer;
  retention?: Retention;
  /** For a store that writes for long; left out, a commit copies the log itself when it has grown long. */
  copier?: LogCopier;
}

/** The store on one SQLite file, which several processes of one machine may share. */
export class SqliteStore implements Store {
  readonly games: SqliteGames;
  readonly players: SqlitePlayers;
  readonly sessions: SqliteChannelSessions;
  readonly scores: SqliteScores;
  readonly states: SqliteStates;
  readonly playSessions: SqlitePlaySessions;
  readonly activities: SqliteActivities;
  readonly notifications: SqliteNotifications;
  readonly messageChannels: SqliteMessageChannels;
  readonly messages: SqliteMessages;
  readonly channelMembers: SqliteChannelMembers;
  readonly rules: SqliteRules;
  readonly actions: SqliteActions;
  readonly chainLanes: SqliteChainLanes;
  readonly webhooks: SqliteWebhooks;
  readonly events: SqliteEvents;
  readonly audit: SqliteAudit;
  readonly diagnostics: SqliteDiagnostics;
  /** For the command line only: no server moves games. */
  readonly transfer: SqliteGameTransfer;
  readonly #db: Database;
  readonly #group: GroupCommit;
  readonly #version: DataVersion;

  /** @throws SchemaTooNewError */
  constructor(
    file: string,
    {
      clock: machineClock = Date.now,
      time = timeMemory(),
      retention = defaultRetention,
      copier,
    }: SqliteStoreOptions = {},
  ) {
    const db = openDatabase(file);
    const clock = steadyClock(machineClock, time, lastWrittenAt(db));
    for (const id of lastIds(db)) makeIdsAfter(id);
    const version = new DataVersion(db);
    const log = new EventLog(db, version, retention);
    const meter = new CommitMeter();
    const checkpoints = new Checkpoints(db, copier);
    const group = new GroupCommit(db, { events: log, version, clock, meter, checkpoints });
    this.#db = db;
    this.#group = group;
    this.#version = version;
    this.games = new SqliteGames(db, version, group, clock, (before, after) => {
      if (!isDeepStrictEqual(before.policies.leaderboard, after.policies.leaderboard))
        this.scores.rankGame(after.id);
    });
    this.players = new SqlitePlayers(db, group, {
      changed: () => version.changed(),
      endSessions: (tx, wallet, gameId, reason) => this.sessions.endAllWithin(tx, wallet, gameId, reason),
      erase: (tx, wallet) => eraser.eraseWithin(tx, wallet),
    });
    this.sessions = new SqliteChannelSessions(db, version, group, this.games, this.players, clock);
    this.scores = new SqliteScores(db, version, group, log, this.games);
    this.states = new SqliteStates(db, group);
    this.playSessions = new SqlitePlaySessions(db, group);
    this.activities = new SqliteActivities(db, version, group);
    this.notifications = new SqliteNotifications(db, group, log);
    this.messageChannels = new SqliteMessageChannels(db, version, group, log);
    this.messages = new SqliteMessages(db, group, this.messageChannels, log);
    this.channelMembers = new SqliteChannelMembers(db, this.messageChannels, this.sessions);
    this.audit = new SqliteAudit(db, group);
    this.diagnostics = new SqliteDiagnostics(db, meter);
    this.transfer = new SqliteGameTransfer(db, group, version, (gameId) => this.scores.rankGame(gameId));
    const eraser = new PlayerEraser(db, {
      sessions: this.sessions,
      channels: this.messageChannels,
      messages: this.messages,
      scores: this.scores,
    });
    this.actions = new SqliteActions(db, group, this);
    this.chainLanes = new SqliteChainLanes(db, group, this.actions, clock);
    this.webhooks = new SqliteWebhooks(db, version, group, this, clock);
    this.rules = new SqliteRules(db, group, this, clock);
    this.events = new SqliteEvents(db, group, log);
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#group.onCommit(listener);
  }

  onTrouble(listener: (trouble: string | null) => void): void {
    this.#group.onTrouble(listener);
  }

  /** To be called when another thread of this process has committed, before anyone is told. */
  lookAgain(): void {
    this.#version.lookAgain();
  }

  async close(): Promise<void> {
    await this.#group.drained();
    await this.#group.finish();
    this.#db.close();
  }

  /** What this connection promises of its writes; `synchronous` is 2 (FULL) when they survive a power cut. */
  durability(): { journalMode: unknown; synchronous: unknown } {
    return {
      journalMode: this.#db.pragma('journal_mode', { simple: true }),
      synchronous: this.#db.pragma('synchronous', { simple: true }),
    };
  }
}

/** When the last event was written, in Unix milliseconds; 0 when there is none. */
function lastWrittenAt(db: Database): number {
  return db.prepare<[], number>('SELECT at FROM events ORDER BY position DESC LIMIT 1').pluck().get() ?? 0;
}

/** The last record of each list that ids order within a millisecond. */
function lastIds(db: Database): string[] {
  const lastOf = (table: string, order: string) =>
    db.prepare<[], string>(`SELECT id FROM ${table} ORDER BY ${order} DESC LIMIT 1`).pluck().all();
  return [
    ...['messages', 'activities', 'notifications', 'scores'].flatMap((table) => lastOf(table, 'rowid')),
    ...lastOf('message_channels', 'id'),
  ];
}
