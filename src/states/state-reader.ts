import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { type CanonicalState, readState } from '../domain/state.ts';
import { type Failure, fromFailure } from '../threads/failure.ts';
import { startThread } from '../threads/start-thread.ts';

/** To a thread: a text to read. */
export interface StateText {
  id: number;
  text: string;
}

/** From a thread: what came of it. */
export type ReadState = { id: number; state: CanonicalState } | { id: number; failure: Failure };

/** A smaller text is read sooner than it is handed over: half a millisecond's work. */
const largeLength = 32 * 1024;
const maximumThreads = 2;

interface Reading {
  text: string;
  resolve(state: CanonicalState): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  readings: Map<number, Reading>;
}

/**
 * Reads states sent as text. A megabyte takes some 15 ms, in which nobody else would be answered, so large ones are
 * read by threads of their own, which begin with the first of them.
 */
export class StateReader {
  readonly #threads: Thread[] = [];
  readonly #mostThreads = Math.min(maximumThreads, Math.max(1, availableParallelism() - 1));
  readonly #startThread: () => Worker;
  #lastId = 0;

  constructor(start = () => startThread('state-thread')) {
    this.#startThread = start;
  }

  /** @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json` */
  async read(text: string): Promise<CanonicalState> {
    if (text.length < largeLength) return readState(text);
    return new Promise((resolve, reject) => {
      const { worker, readings } = this.#leastBusy();
      const id = ++this.#lastId;
      readings.set(id, { text, resolve, reject });
      worker.postMessage({ id, text } satisfies StateText);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Thread {
    const [first] = this.#threads.toSorted((one, other) => one.readings.size - other.readings.size);
    if (first && (first.readings.size === 0 || this.#threads.length >= this.#mostThreads)) return first;
    return this.#start();
  }

  #start(): Thread {
    const thread: Thread = { worker: this.#startThread(), readings: new Map() };
    const { worker, readings } = thread;
    worker.on('message', (read: ReadState) => {
      const reading = readings.get(read.id);
      readings.delete(read.id);
      if ('state' in read) reading?.resolve(read.state);
      else reading?.reject(fromFailure(read.failure));
    });
    worker.on('error', () => {}); // said by what follows: an exit
    worker.once('exit', () => {
      const index = this.#threads.indexOf(thread);
      if (index !== -1) this.#threads.splice(index, 1);
      for (const reading of readings.values()) readHere(reading);
    });
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }
}

/** The thread is gone, whatever the reason; callers need not know. */
function readHere({ text, resolve, reject }: Reading): void {
  try {
    resolve(readState(text));
  } catch (error) {
    reject(error);
  }
}
