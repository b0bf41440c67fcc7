import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { StoredEvent } from '../core/events/stream.ts';
import { type Failure, fromFailure, toFailure } from '../core/failure.ts';
import type { AnyCommand } from '../core/storage/command.ts';
import type { WriteTrouble } from '../core/storage/database.ts';
import type { Domain } from '../core/storage/domain.ts';
import { collectAfterStart } from '../runtime/collect-after-start.ts';
import { startThread, type ThreadName } from '../runtime/start-thread.ts';
import type { Announcer } from './announcer.ts';
import { unavailable } from './unavailable.ts';

/** Runs a command or one of `WriterCalls`, by name. */
type Call = [id: number, name: string, args: readonly unknown[]];

/** To the writer: the calls made in one turn of the event loop; or `close`, after which the thread ends. */
type ToWriter = { calls: readonly Call[] } | { close: true };

/** The outcome of a call: its result or its error. */
type CallOutcome = [id: number, result: unknown] | [id: number, result: undefined, failure: Failure];

/** From the writer, after a commit: the outcomes of calls, the written events in order, and the health of writes. */
interface FromWriter {
  outcomes: readonly CallOutcome[];
  events: readonly StoredEvent[];
  /** See `Database.onWake`. */
  wakes: readonly string[];
  /** See `Database.onTrouble`. */
  trouble: WriteTrouble | null;
  /** The new epoch, if it has changed since the last message; see `Database.onNewEpoch`. */
  newEpoch: string | null;
  /** Why this program must not use the database any more; see `Database.onEnd`. */
  end: string | null;
}

/** Calls of a writer thread other than commands, by names that no command has. */
type WriterCalls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Receives the outcome of a command, once it is durable. */
export interface Settle {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A clock whose time, in Unix milliseconds, is a 64-bit float in shared memory. */
export function clockIn(memory: SharedArrayBuffer): () => number {
  const time = new Float64Array(memory);
  return () => time[0] ?? 0;
}

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

  #receive({ outcomes, events, wakes, trouble, newEpoch, end }: FromWriter): void {
    this.#setTrouble(trouble);
    if (newEpoch !== null) this.#announcer.announceEpoch(newEpoch);
    if (end !== null) this.#announcer.announceEnd(end);
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

/** The writer that runs in the thread. */
export interface WritingSide extends Announcer {
  /** Runs a command; `settle` is called before `onCommit`. */
  enqueue(command: AnyCommand, args: readonly unknown[], settle: Settle): void;
  close(): Promise<void>;
}

/**
 * Runs the writer thread, with a dedicated connection, so that neither commands nor commits block the thread that
 * serves callers. Calls that arrive together form one batch, and their outcomes are sent in one message.
 */
export function serveWriter(
  port: MessagePort,
  writing: WritingSide,
  commands: Domain['commands'],
  calls: WriterCalls,
): void {
  let outcomes: CallOutcome[] = [];
  let events: StoredEvent[] = [];
  let wakes: string[] = [];
  let trouble: WriteTrouble | null = null;
  let newEpoch: string | null = null;
  let end: string | null = null;
  let isScheduled = false;

  writing.onCommit((written) => {
    for (const event of written) events.push(event);
    scheduleMessage();
  });
  writing.onWake((workers) => {
    wakes.push(...workers);
    scheduleMessage();
  });
  writing.onTrouble((now) => {
    trouble = now;
    scheduleMessage();
  });
  writing.onNewEpoch((epoch) => {
    newEpoch = epoch;
    scheduleMessage();
  });
  writing.onEnd((why) => {
    end = why;
    scheduleMessage();
  });

  collectAfterStart();
  port.on('message', (message: ToWriter) => {
    if ('close' in message) {
      writing.close().then(() => setImmediate(() => port.close())); // after the last outcomes have been sent
      return;
    }
    for (const [id, name, args] of message.calls) {
      run(name, args, {
        resolve: (result) => pushOutcome([id, result]),
        reject: (thrown) => pushOutcome([id, undefined, toFailure(thrown)]),
      });
    }
  });

  /** Arguments are not checked: the sending side is typed. */
  function run(name: string, args: readonly unknown[], settle: Settle): void {
    const command = commands.get(name);
    const call = calls[name];
    if (command) writing.enqueue(command, args, settle);
    else if (call) call(...(args as never[])).then(settle.resolve, settle.reject);
    else settle.reject(new Error(`no file of server/declarations/commands.ts declares ${name}`));
  }

  function pushOutcome(outcome: CallOutcome): void {
    outcomes.push(outcome);
    scheduleMessage();
  }

  /** Sends a message after all promises of the commit have settled and before the next commit begins. */
  function scheduleMessage(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const message: FromWriter = { outcomes, events, wakes, trouble, newEpoch, end };
      outcomes = [];
      events = [];
      wakes = [];
      newEpoch = null;
      port.postMessage(message);
    });
  }
}
