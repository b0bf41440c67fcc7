import type { Command } from '../../core/storage/command.ts';
import { Announcer } from '../announcer.ts';
import { Writer } from '../writer-thread.ts';
import type { WriteCounts } from './lane-writer.ts';
import { type NodeWriter, type NodeWriterOptions, threadCalls, type WriterStats } from './node-writer.ts';

/** Writes in a separate thread, so that writing does not block the one that answers callers. */
export class ThreadedWriter extends Announcer implements NodeWriter {
  readonly #writer: Writer;
  #epoch: string;

  constructor(options: NodeWriterOptions) {
    super();
    this.#epoch = options.epoch;
    this.#writer = new Writer('postgres-writer-thread', () => ({ ...options, epoch: this.#epoch }), this);
    this.onNewEpoch((epoch) => {
      this.#epoch = epoch;
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
