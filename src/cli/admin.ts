import { Command, InvalidArgumentError } from 'commander';
import { operations } from '../catalogue/operations.ts';
import { kebabCase, Registry } from '../operations/registry.ts';
import type { Administrator } from './administrator.ts';

export function adminCommand(administrator: Administrator): Command {
  const registry = new Registry(operations);
  const offered = registry.operations.filter((one) => one.service === 'admin');
  const list = offered.map((one) => `  ${kebabCase(one.name).padEnd(20)} ${one.summary}`).join('\n');
  return new Command('admin')
    .description('run any /admin operation and print its result as JSON')
    .argument('<operation>', 'operation name, as in the path', (name: string) => {
      const operation = registry.adminPath(name);
      if (!operation) throw new InvalidArgumentError('unknown operation; see --help for the list');
      return operation;
    })
    .argument('[input]', 'input as JSON', (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        throw new InvalidArgumentError('must be JSON');
      }
    })
    .option('--json', 'no effect: the output is always JSON')
    .addHelpText('after', `\nOperations:\n${list}\n\nExample:\n  gantry admin ban-player '{"wallet":"0x…"}'`)
    .action(async (operation: (typeof offered)[number], input: unknown = {}) => {
      process.stdout.write(`${JSON.stringify(await administrator.executeNamed(operation, input))}\n`);
    });
}
