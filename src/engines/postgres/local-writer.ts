import { events } from '../../core/events/events.ts';
import type { StoredEvent } from '../../core/events/stream.ts';
import { streams } from '../../core/events/streams.ts';
import { newId } from '../../core/schemas/ids.ts';
import type { AnyCommand, Command } from '../../core/storage/command.ts';
import { CommitMeter } from '../../core/storage/commit-meter.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import type { Domain } from '../../core/storage/domain.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import type { Settle } from '../thread/protocol.ts';
import type { WritingSide } from '../thread/serve-writer.ts';
import { Connection } from './connection.ts';
import { DeclaredStatements } from './declared-statements.ts';
import { ExistingRows } from './existing-rows.ts';
import { renameHistory } from './history.ts';
import { LaneWriter, type WriteCounts } from './lane-writer.ts';
import { nodeClock } from './node-clock.ts';
import type { NodeWriter, NodeWriterOptions, WriterStats } from './node-writer.ts';
import { PhysicalTables } from './physical-table.ts';
import { RankCounts } from './rank-counts.ts';
import { ReadCache } from './read-cache.ts';
import { RowCache } from './row-cache.ts';
import { StreamIds } from './stream-ids.ts';
import { commandName, serverName } from './write-lane.ts';

/** Writes in the thread that created it. */
export class LocalWriter implements NodeWriter, WritingSide {
  readonly #url: string;
  readonly #lane: LaneWriter;
  readonly #meter = new CommitMeter();
  readonly #commitListeners: ((events: readonly StoredEvent[]) => void)[] = [];
  readonly #wakeListeners: ((workers: readonly string[]) => void)[] = [];
  readonly #troubleListeners: ((trouble: WriteTrouble | null) => void)[] = [];
  readonly #epochListeners: ((epoch: string) => void)[] = [];
  #epoch: string;

  /** `idMaker` replaces UUIDv7, for tests that compare ids. */
  constructor(
    { tables, react }: Domain,
    { url, isServer, retention, clock, epoch }: NodeWriterOptions,
    idMaker: () => string = newId,
  ) {
    this.#url = url;
    this.#epoch = epoch;
    this.#lane = new LaneWriter({
      url,
      name: isServer ? serverName : commandName,
      tables: physicalTables(tables),
      statements: new DeclaredStatements(),
      ranks: new RankCounts(),
      retention,
      react,
      existing: new ExistingRows(),
      readCache: new ReadCache(),
      rowCache: new RowCache(),
      lockOnRead: new Set(),
      clock: nodeClock(clock),
      newId: idMaker,
      epoch: () => this.#epoch,
      meter: this.#meter,
      committed: ({ events: written, wakes }) => {
        if (written.length > 0) for (const listener of this.#commitListeners) listener(written);
        if (wakes.length > 0) for (const listener of this.#wakeListeners) listener(wakes);
      },
      lostTail: () => this.#renameHistory(),
      troubled: (trouble) => {
        for (const listener of this.#troubleListeners) listener(trouble);
      },
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

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#commitListeners.push(listener);
  }

  onWake(listener: (workers: readonly string[]) => void): void {
    this.#wakeListeners.push(listener);
  }

  onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    this.#troubleListeners.push(listener);
  }

  onNewEpoch(listener: (epoch: string) => void): void {
    this.#epochListeners.push(listener);
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
    for (const listener of this.#epochListeners) listener(this.#epoch);
  }
}

/** The declared tables, and those that every engine has, as stored in PostgreSQL. */
export function physicalTables(tables: readonly AnyTable[]): PhysicalTables {
  return new PhysicalTables([streams as AnyTable, ...tables, events as AnyTable], new StreamIds());
}
