import type { Command } from 'commander';

/**
 * The command that is run where none is named, which commander keeps under `_defaultCommandName`; undefined where there is
 * none. `test/runtime/internals.test.ts` fails when a version of commander no longer has it.
 */
export function defaultCommandOf(command: Command): Command | undefined {
  const name: unknown = Reflect.get(command, '_defaultCommandName');
  return command.commands.find((one) => one.name() === name);
}
