import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { StoredEvent } from '../../core/events/stream.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { GantryError } from '../../errors.ts';
import { fromFailure } from '../../runtime/failure.ts';
import { startThread, type ThreadName } from '../../runtime/start-thread.ts';
import type { Call, FromWriter, ToWriter } from './protocol.ts';

interface Waiting {
  resolve(result: never): void;
  reject(error: Error): void;
}

export interface WriterListeners {
  /** Something was committed; nobody has been told yet. */
  committed(): void;
  /** The events of a commit, after the calls that caused them have been settled. */
  told(events: readonly StoredEvent[]): void;
  /** See `Database.onWake`. */
  woken(workers: readonly string[]): void;
  /** See `Database.onTrouble`. */
  troubled(trouble: WriteTrouble | null): void;
  /** The writer has given the history another name; what was written since belongs to that. */
  renamed(epoch: string): void;
}

/**
 * The writer's thread, seen from the one that asks. What is asked for in one turn of the event loop goes over
 * in one message. Should the thread ever die, what was under way rejects, and the next call starts another.
 */
export class Writer {
  readonly #thread: ThreadName;
  readonly #options: () => object;
  readonly #on: WriterListeners;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null;
  #calls: Call[] = [];
  #lastId = 0;
  #trouble: WriteTrouble | null = null;

  /** `options`: what the thread is started with, asked for again should another one be started. */
  constructor(thread: ThreadName, options: () => object, listeners: WriterListeners) {
    this.#thread = thread;
    this.#options = options;
    this.#on = listeners;
    this.#worker = this.#start();
  }

  /** Runs a command by its name, or what else the thread answers. */
  call<Result>(name: string, args: readonly unknown[]): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      // Only what is under way keeps the process alive, so that one which fails to start can end.
      if (this.#waiting.size === 1) this.#worker?.ref();
      if (this.#calls.length === 0) setImmediate(() => this.#send());
      this.#calls.push([id, name, args]);
    });
  }

  /** Waits for what is under way, then ends the thread. */
  async close(): Promise<void> {
    this.#send();
    const worker = this.#worker;
    if (!worker) return;
    const gone = once(worker, 'exit');
    worker.ref();
    this.#post(worker, { close: true });
    await gone;
  }

  #start(): Worker {
    const worker = startThread(this.#thread, this.#options());
    let death: unknown;
    worker.on('message', (message: FromWriter) => this.#receive(message));
    worker.once('error', (error) => {
      death = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      if (death !== undefined) this.#setTrouble(describeCrash(death));
      this.#failAll(death);
    });
    if (this.#waiting.size === 0) worker.unref(); // after listening to it, which holds it again
    return worker;
  }

  #send(): void {
    if (this.#calls.length === 0) return;
    this.#worker ??= this.#start();
    this.#post(this.#worker, { calls: this.#calls });
    this.#calls = [];
  }

  #post(worker: Worker, message: ToWriter): void {
    worker.postMessage(message);
  }

  #receive({ outcomes, events, wakes, trouble, newEpoch }: FromWriter): void {
    this.#setTrouble(trouble);
    if (newEpoch !== null) this.#on.renamed(newEpoch);
    this.#on.committed();
    for (const [id, result, failure] of outcomes) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (failure) waiting?.reject(fromFailure(failure));
      else waiting?.resolve(result as never);
    }
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (events.length > 0) this.#on.told(events);
    if (wakes.length > 0) this.#on.woken(wakes);
  }

  #setTrouble(trouble: WriteTrouble | null): void {
    // Each message of the thread brings a copy of its own.
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    this.#on.troubled(trouble);
  }

  #failAll(cause: unknown): void {
    const failure = new GantryError(
      'store_unavailable',
      'The database cannot take writes right now; try again later',
      {
        cause,
      },
    );
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}

function describeCrash(death: unknown): WriteTrouble {
  const why = death instanceof Error ? death.message : String(death);
  return {
    message: `The thread that writes to the database has ended (${why}); the next write starts another.`,
    isUnusable: false,
  };
}
