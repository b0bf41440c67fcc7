import type { StoredEvent } from '../../core/events/stream.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import type { Failure } from '../../runtime/failure.ts';

/** A command to run, by its name, with its arguments; or what else the thread answers (`WriterCalls`). */
export type Call = [id: number, name: string, args: readonly unknown[]];

/** To the writer: what was asked for in one turn of the event loop; `close`, after which it ends. */
export type ToWriter = { calls: readonly Call[] } | { close: true };

/** How a call ended: its result, or what it was refused with. */
export type CallOutcome = [id: number, result: unknown] | [id: number, result: undefined, failure: Failure];

/** From the writer, after a commit: how its calls ended, the events it wrote, in their order, and what is wrong with writing. */
export interface FromWriter {
  outcomes: readonly CallOutcome[];
  events: readonly StoredEvent[];
  /** See `Database.onWake`. */
  wakes: readonly string[];
  /** See `Database.onTrouble`. */
  trouble: WriteTrouble | null;
  /** What the history is called, where the writer has given it another name since the last message; see `Database.onNewEpoch`. */
  newEpoch: string | null;
}

/** What a writer's thread answers beside commands, by a name that no command has. */
export type WriterCalls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Hears how a command ended, once that is durable. */
export interface Settle {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}
