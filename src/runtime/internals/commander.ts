import type { Command } from 'commander';

/**
 * The default command, whose name commander stores in `_defaultCommandName`; undefined when there is none.
 * `test/runtime/internals.test.ts` fails when a version of commander no longer has this field.
 */
export function defaultCommandOf(command: Command): Command | undefined {
  const name: unknown = Reflect.get(command, '_defaultCommandName');
  return command.commands.find((one) => one.name() === name);
}
