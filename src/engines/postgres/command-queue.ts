import type { AnyCommand } from '../../core/storage/command.ts';
import type { Settle } from '../writer-thread.ts';
import type { QueuedCommand } from './batch.ts';

/** The most commands per transaction. */
const maxBatch = 1_000;

/** A command that waits to be written, and what to call when its outcome is durable. */
export interface WaitingCommand extends QueuedCommand {
  /** By `performance.now()`. */
  readonly enqueuedAt: number;
  readonly settle: Settle;
}

/** The commands that wait to be written, in the order in which they were enqueued. */
export class CommandQueue {
  #waiting: WaitingCommand[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void {
    this.#waiting.push({ command, args, enqueuedAt: performance.now(), settle });
  }

  /** Removes and returns the next batch; an exclusive command is a batch by itself. */
  takeBatch(): WaitingCommand[] {
    const exclusiveAt = this.#waiting.findIndex(({ command }) => command.isExclusive);
    const length = exclusiveAt === -1 ? maxBatch : Math.min(maxBatch, Math.max(1, exclusiveAt));
    return this.#waiting.splice(0, length);
  }

  /** The next command, if it may be added to a batch of this size that is not exclusive. */
  firstAfter(size: number): WaitingCommand | null {
    const [first] = this.#waiting;
    return first && !first.command.isExclusive && size < maxBatch ? first : null;
  }

  /** Removes and returns the next command. */
  takeFirst(): WaitingCommand {
    const first = this.#waiting.shift();
    if (!first) throw new Error('no command is waiting');
    return first;
  }

  /** Removes and returns the commands that were enqueued before a time, by `performance.now()`. */
  takeOlderThan(time: number): WaitingCommand[] {
    const older = this.#waiting.filter(({ enqueuedAt }) => enqueuedAt < time);
    if (older.length > 0) this.#waiting = this.#waiting.filter(({ enqueuedAt }) => enqueuedAt >= time);
    return older;
  }
}
