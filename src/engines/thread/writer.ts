import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { fromFailure } from '../../core/failure.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { startThread, type ThreadName } from '../../runtime/start-thread.ts';
import type { Announcer } from '../announcer.ts';
import { unavailable } from '../unavailable.ts';
import type { Call, FromWriter, ToWriter } from './protocol.ts';

interface PendingCall {
  resolve(result: never): void;
  reject(error: Error): void;
}

/**
 * The client side of the writer thread. Calls made in one turn of the event loop are sent in one message. If the thread
 * crashes, calls in flight are rejected, and the next call starts a new thread.
 */
export class Writer {
  readonly #thread: ThreadName;
  readonly #options: () => object;
  readonly #announcer: Announcer;
  readonly #committed: () => void;
  readonly #pending = new Map<number, PendingCall>();
  #worker: Worker | null;
  #calls: Call[] = [];
  #lastId = 0;
  #trouble: WriteTrouble | null = null;

  /**
   * `options` returns the start data of the thread; it is called again when a new thread is started. `committed` is
   * called when something was committed, before any call is settled.
   */
  constructor(
    thread: ThreadName,
    options: () => object,
    announcer: Announcer,
    committed: () => void = () => {},
  ) {
    this.#thread = thread;
    this.#options = options;
    this.#announcer = announcer;
    this.#committed = committed;
    this.#worker = this.#start();
  }

  /** Runs a command or another call of the thread (`WriterCalls`) by name. */
  call<Result>(name: string, args: readonly unknown[]): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      // Only calls in flight keep the process alive, so that it can exit when startup fails.
      if (this.#pending.size === 1) this.#worker?.ref();
      if (this.#calls.length === 0) setImmediate(() => this.#send());
      this.#calls.push([id, name, args]);
    });
  }

  /** Waits for the calls in flight, then ends the thread. */
  async close(): Promise<void> {
    this.#send();
    const worker = this.#worker;
    if (!worker) return;
    const exited = once(worker, 'exit');
    worker.ref();
    this.#post(worker, { close: true });
    await exited;
  }

  #start(): Worker {
    const worker = startThread(this.#thread, this.#options());
    let crash: unknown;
    worker.on('message', (message: FromWriter) => this.#receive(message));
    worker.once('error', (error) => {
      crash = error;
    });
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
      if (crash !== undefined) this.#setTrouble(describeCrash(crash));
      this.#failAll(crash);
    });
    if (this.#pending.size === 0) worker.unref(); // after adding listeners, which refs it again
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
    if (newEpoch !== null) this.#announcer.announceEpoch(newEpoch);
    this.#committed();
    for (const [id, result, failure] of outcomes) {
      const call = this.#pending.get(id);
      this.#pending.delete(id);
      if (failure) call?.reject(fromFailure(failure));
      else call?.resolve(result as never);
    }
    if (this.#pending.size === 0) this.#worker?.unref();
    this.#announcer.announceCommit(events, wakes);
  }

  #setTrouble(trouble: WriteTrouble | null): void {
    // Each message of the thread contains a new copy, so compare by content.
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    this.#announcer.announceTrouble(trouble);
  }

  #failAll(cause: unknown): void {
    const failure = unavailable('take writes', cause);
    for (const { reject } of this.#pending.values()) reject(failure);
    this.#pending.clear();
  }
}

function describeCrash(crash: unknown): WriteTrouble {
  const why = crash instanceof Error ? crash.message : String(crash);
  return {
    message: `The database writer thread has crashed (${why}); the next write starts a new one.`,
    isUnusable: false,
  };
}
