import type { StoredEvent } from '../../core/events/stream.ts';
import type { Command } from '../../core/storage/command.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { Writer } from '../thread/writer.ts';
import type { WriteCounts } from './lane-writer.ts';
import { type NodeWriter, type NodeWriterOptions, threadCalls, type WriterStats } from './node-writer.ts';

/** Writes in a separate thread, so that writing does not block the one that answers callers. */
export class ThreadedWriter implements NodeWriter {
  readonly #writer: Writer;
  readonly #commitListeners: ((events: readonly StoredEvent[]) => void)[] = [];
  readonly #wakeListeners: ((workers: readonly string[]) => void)[] = [];
  readonly #troubleListeners: ((trouble: WriteTrouble | null) => void)[] = [];
  readonly #epochListeners: ((epoch: string) => void)[] = [];
  #epoch: string;

  constructor(options: NodeWriterOptions) {
    this.#epoch = options.epoch;
    this.#writer = new Writer('postgres-writer-thread', () => ({ ...options, epoch: this.#epoch }), {
      committed: () => {}, // each read checks the database's version by itself
      onEvents: (events) => {
        for (const listener of this.#commitListeners) listener(events);
      },
      woken: (workers) => {
        for (const listener of this.#wakeListeners) listener(workers);
      },
      troubled: (trouble) => {
        for (const listener of this.#troubleListeners) listener(trouble);
      },
      renamed: (epoch) => {
        this.#epoch = epoch;
        for (const listener of this.#epochListeners) listener(epoch);
      },
    });
  }

  write<Args extends unknown[], Result>(
    { commandName }: Command<Args, Result>,
    args: readonly unknown[],
  ): Promise<Result> {
    return this.#writer.call(commandName, args);
  }

  begin(): Promise<number> {
    return this.#writer.call(threadCalls.begin, []);
  }

  revive(): Promise<void> {
    return this.#writer.call(threadCalls.revive, []);
  }

  cutOff(): void {
    this.#writer.call(threadCalls.cutOff, []).catch(() => {}); // an ended thread has no connection
  }

  setEpoch(epoch: string): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#writer.call(threadCalls.setEpoch, [epoch]).catch(() => {}); // a replacement thread starts with it
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

  counts(): Promise<WriteCounts> {
    return this.#writer.call(threadCalls.counts, []);
  }

  stats(): Promise<WriterStats> {
    return this.#writer.call(threadCalls.stats, []);
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}
