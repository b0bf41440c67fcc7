import type { Command } from '../core/storage/command.ts';
import type { Store } from '../core/storage/store.ts';

/** A write that waits for the batch's others. */
interface Waiting {
  command: string;
  args: readonly unknown[];
  settle: { resolve(result: unknown): void; reject(why: unknown): void };
}

/**
 * Makes several operations write in one transaction: each gets a store whose first write waits until all of them
 * have reached theirs. Then these are committed atomically, and each operation continues with its own result. Later
 * writes of an operation are committed separately.
 */
export class BatchedWrites {
  readonly #store: Store;
  readonly #writeAll: (calls: readonly { command: string; args: readonly unknown[] }[]) => Promise<unknown[]>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #count: number;
  /** Why nothing is written: an operation failed before its write, or the transaction failed. */
  #failure: { why: unknown } | null = null;
  #isWritten = false;

  constructor(
    store: Store,
    count: number,
    writeAll: (calls: readonly { command: string; args: readonly unknown[] }[]) => Promise<unknown[]>,
  ) {
    this.#store = store;
    this.#count = count;
    this.#writeAll = writeAll;
  }

  /** The store for the operation at this index. */
  storeFor(at: number): Store {
    const store = this.#store;
    return {
      write: <Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args) => {
        if (this.#isWritten) return store.write(command, ...args);
        return this.#enqueue<Result>(at, command.commandName, args);
      },
      read: (query, ...args) => store.read(query, ...args),
    };
  }

  /** Whether this is the error that failed the batch. */
  hasFailed(why: unknown): boolean {
    return this.#failure?.why === why;
  }

  /** Call this when an operation ends without a write: nothing is written for any of them. */
  refuse(why: unknown): void {
    if (this.#isWritten || this.#failure) return;
    this.#fail(why);
  }

  #enqueue<Result>(at: number, command: string, args: readonly unknown[]): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure.why);
    if (this.#waiting.has(at)) throw new Error('an operation of a batch has two writes in flight');
    const { promise, ...settle } = Promise.withResolvers<Result>();
    this.#waiting.set(at, { command, args, settle });
    if (this.#waiting.size === this.#count) void this.#write();
    return promise;
  }

  async #write(): Promise<void> {
    const inOrder = [...this.#waiting].toSorted(([one], [other]) => one - other).map(([, one]) => one);
    try {
      const results = await this.#writeAll(inOrder.map(({ command, args }) => ({ command, args })));
      this.#isWritten = true;
      for (const [at, { settle }] of inOrder.entries()) settle.resolve(results[at]);
    } catch (why) {
      this.#fail(why);
    }
  }

  #fail(why: unknown): void {
    this.#failure = { why };
    for (const { settle } of this.#waiting.values()) settle.reject(why);
  }
}
