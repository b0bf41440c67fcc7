import type { StoredEvent } from '../../core/events/stream.ts';
import type { Failure } from '../../core/failure.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';

/** Runs a command or one of `WriterCalls`, by name. */
export type Call = [id: number, name: string, args: readonly unknown[]];

/** To the writer: the calls made in one turn of the event loop; or `close`, after which the thread ends. */
export type ToWriter = { calls: readonly Call[] } | { close: true };

/** The outcome of a call: its result or its error. */
export type CallOutcome = [id: number, result: unknown] | [id: number, result: undefined, failure: Failure];

/** From the writer, after a commit: the outcomes of calls, the written events in order, and the health of writes. */
export interface FromWriter {
  outcomes: readonly CallOutcome[];
  events: readonly StoredEvent[];
  /** See `Database.onWake`. */
  wakes: readonly string[];
  /** See `Database.onTrouble`. */
  trouble: WriteTrouble | null;
  /** The new epoch, if it has changed since the last message; see `Database.onNewEpoch`. */
  newEpoch: string | null;
}

/** Calls of a writer thread other than commands, by names that no command has. */
export type WriterCalls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

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
