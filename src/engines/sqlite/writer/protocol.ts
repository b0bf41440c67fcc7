import type { Retention } from '../../../core/events/retention.ts';
import type { StoredEvent } from '../../../core/events/stream.ts';
import type { WriteTrouble } from '../../../core/storage/database.ts';
import type { Failure } from '../../../runtime/failure.ts';

/** What the writer's thread is started with. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; left out, the time is the real one. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
}

/** A command to run, by its name, with its arguments. */
export type Call = [id: number, command: string, args: readonly unknown[]];

/** Stands for a command's name where the figures of the thread are asked for. */
export const statsCall = 'stats of this thread';

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
}
