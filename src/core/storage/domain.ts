import type { AnyCommand, Reaction } from './command.ts';
import type { AnyTable } from './table.ts';

/** All that an engine is told of what it stores. */
export interface Domain {
  /** In the order they can be filled in: what is referred to first. */
  readonly tables: readonly AnyTable[];
  /** By name, for a thread that is told the name of the command to run. */
  readonly commands: ReadonlyMap<string, AnyCommand>;
  /** What follows from every event, in the transaction that wrote it. */
  readonly react: Reaction | null;
}
