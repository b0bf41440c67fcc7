import type { AnyCommand, Steps, Tx } from './command.ts';

/** Looks up a command by its name. */
export type FindCommand = (name: string) => AnyCommand | undefined;

/** Runs a command by name inside another one, in its transaction. */
export function runNested(find: FindCommand, tx: Tx, name: string, args: readonly unknown[]): Steps<unknown> {
  const named = find(name);
  if (!named || named.isExclusive) throw new Error(`${name} cannot run inside another command`);
  return named.run(tx, args);
}
