import { events, streams } from '../../core/events/tables.ts';
import { newId } from '../../core/schemas/ids.ts';
import type { AnyCommand, Command } from '../../core/storage/command.ts';
import { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { Announcer } from '../announcer.ts';
import type { Settle, WritingSide } from '../writer-thread.ts';
import { ChangeCounts } from './change-counts.ts';
import { Connection } from './connection.ts';
import { DeclaredStatements } from './declared-statements.ts';
import { ExistingRows } from './existing-rows.ts';
import { renameHistory } from './history.ts';
import { LaneWriter, type WriteCounts } from './lane-writer.ts';
import { RowCache } from './loaded-rows.ts';
import { nodeClock } from './node-clock.ts';
import type { NodeWriter, NodeWriterOptions, WriterStats } from './node-writer.ts';
import { PhysicalTables } from './physical-table.ts';
import { RankCounts } from './rank-counts.ts';
import { ReadCache } from './read-cache.ts';
import { StreamIds } from './stream-ids.ts';
import { commandName, serverName } from './write-lane.ts';

/** Writes in the thread that created it. */
export class LocalWriter extends Announcer implements NodeWriter, WritingSide {
  readonly #url: string;
  readonly #lane: LaneWriter;
  readonly #meter = new CommitMeter();
  #epoch: string;

  /** `idMaker` replaces UUIDv7, for tests that compare ids. */
  constructor(
    { tables, react }: Domain,
    { url, isServer, retention, gameStorageQuota, clock, node, changes, epoch }: NodeWriterOptions,
    idMaker?: () => string,
  ) {
    super();
    const now = nodeClock(clock);
    this.#url = url;
    this.#epoch = epoch;
    this.#lane = new LaneWriter({
      url,
      name: isServer ? serverName : commandName,
      node,
      changes: new ChangeCounts(changes),
      tables: physicalTables(tables),
      statements: new DeclaredStatements(),
      ranks: new RankCounts(tables),
      retention,
      gameStorageQuota,
      react,
      existing: new ExistingRows(),
      readCache: new ReadCache(),
      rowCache: new RowCache(),
      lockOnRead: new Set(),
      clock: now,
      newId: idMaker ?? (() => newId(now())),
      epoch: () => this.#epoch,
      meter: this.#meter,
      committed: ({ events: written, wakes }) => this.announceCommit(written, wakes),
      lostCommits: () => this.#renameHistory(),
      troubled: (trouble) => this.announceTrouble(trouble),
    });
  }

  write<Args extends unknown[], Result>(
    command: Command<Args, Result>,
    args: readonly unknown[],
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.enqueue(command as unknown as AnyCommand, args, { resolve: resolve as Settle['resolve'], reject });
    });
  }

  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    this.#lane.enqueue(command, args, settle);
  }

  begin(): Promise<number> {
    return this.#lane.begin();
  }

  revive(): Promise<void> {
    return this.#lane.revive();
  }

  cutOff(): void {
    this.#lane.cutOff();
  }

  setEpoch(epoch: string): void {
    this.#epoch = epoch;
  }

  async counts(): Promise<WriteCounts> {
    return { ...this.#lane.counts };
  }

  async stats(): Promise<WriterStats> {
    return this.#meter.read();
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  async #renameHistory(): Promise<void> {
    const connection = await Connection.open(this.#url, commandName);
    try {
      this.#epoch = await renameHistory(connection, this.#epoch);
    } finally {
      await connection.close();
    }
    this.announceEpoch(this.#epoch);
  }
}

/** The declared tables, and those that every engine has, as stored in PostgreSQL. */
export function physicalTables(tables: readonly AnyTable[]): PhysicalTables {
  return new PhysicalTables([streams, ...tables, events], new StreamIds());
}
