import type { StoredEvent } from '../../../events/stream.ts';
import type { Failure } from '../../../threads/failure.ts';
import type { Retention } from '../../store.ts';
import type { Part } from './methods.ts';

/** What the writer's thread is started with. */
export interface WriterOptions {
  file: string;
  /** See `clockIn`; left out, the time is the real one. */
  clock: SharedArrayBuffer | undefined;
  /** See `steadyClock`. */
  time: SharedArrayBuffer;
  retention: Retention;
}

/** A method to run, with its arguments. */
export type Call = [id: number, part: Part, method: string, args: readonly unknown[]];

/** To the writer: what was asked for in one turn of the event loop; `close`, after which it ends. */
export type ToWriter = { calls: readonly Call[] } | { close: true };

/** How a call ended: its result, or what it was refused with. */
export type Outcome = [id: number, result: unknown] | [id: number, result: undefined, failure: Failure];

/** From the writer, after a commit: how its calls ended, the events it wrote, in their order, and how it fares. */
export interface FromWriter {
  outcomes: readonly Outcome[];
  events: readonly StoredEvent[];
  /** See `Store.onTrouble`. */
  trouble: string | null;
}
