import type { Command } from './command.ts';
import type { Query } from './query.ts';

/** What handlers see of storage. What a call adds (a guest, an idempotency key, a batch) wraps it. */
export interface Store {
  /**
   * The time of writes and reads, in Unix milliseconds: on PostgreSQL the database's, so that nodes whose own clocks
   * differ agree about what has expired or is due.
   */
  now(): number;
  /**
   * Runs a command. Settles when its result and the events it emitted are durable; a rejected command has changed
   * nothing.
   * @throws GantryError of the command, or `store_unavailable` when the database currently accepts no writes
   */
  write<Args extends unknown[], Result>(command: Command<Args, Result>, ...args: Args): Promise<Result>;
  /** Runs a query, which sees every write that was acknowledged before. */
  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result>;
  /**
   * As `read`, in parts between which `pause` may let others run; each part sees the writes acknowledged before it.
   * Engines whose reads run elsewhere do not have it.
   */
  readInParts?<Args extends unknown[], Result>(
    pause: Pause,
    query: Query<Args, Result>,
    ...args: Args
  ): Promise<Result>;
}

/** Lets others run, between the parts of long work. */
export interface Pause {
  /** Whether the work has taken its time of this turn of the event loop. */
  readonly isDue: boolean;
  /** Resolves in a later turn if a pause is due; undefined if not. */
  pause(): Promise<void> | undefined;
}

/** Repeats a command, which does a bounded part of the work each time, until it returns false. */
export async function writeAll<Args extends unknown[]>(
  db: Store,
  command: Command<Args, boolean>,
  ...args: Args
): Promise<void> {
  while (await db.write(command, ...args));
}
