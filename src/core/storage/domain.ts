import type { AnyCommand } from './command.ts';
import type { Reaction } from './steps.ts';
import type { AnyTable } from './table.ts';

/** Everything an engine needs to know about what it stores. */
export interface Domain {
  /** In the order of their references: referenced tables come first. */
  readonly tables: readonly AnyTable[];
  /** By name, for a thread that is sent the name of the command to run. */
  readonly commands: ReadonlyMap<string, AnyCommand>;
  /** Runs for every event, in the transaction that wrote it. */
  readonly react: Reaction | null;
}
