import { Command, InvalidArgumentError } from 'commander';
import { operations } from '../operations/operations.ts';
import { kebabCase, Registry } from '../operations/registry.ts';
import { administerLocally } from './as-administrator.ts';

export function adminCommand(): Command {
  const registry = new Registry(operations);
  const offered = registry.operations.filter((one) => one.service === 'admin');
  const list = offered.map((one) => `  ${kebabCase(one.name).padEnd(20)} ${one.summary}`).join('\n');
  return new Command('admin')
    .description('carry out any operation of /admin on the data directory; the answer is JSON')
    .argument('<operation>', 'its name, as in the path', (name: string) => {
      const operation = registry.adminPath(name);
      if (!operation) throw new InvalidArgumentError('there is no such operation; --help lists them');
      return operation;
    })
    .argument('[input]', 'its input as JSON', (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        throw new InvalidArgumentError('must be JSON');
      }
    })
    .option('--json', 'accepted for symmetry: the answer always is')
    .addHelpText('after', `\nOperations:\n${list}\n\nExample:\n  gantry admin ban-player '{"wallet":"0x…"}'`)
    .action(async (operation: (typeof offered)[number], input: unknown = {}) => {
      process.stdout.write(`${JSON.stringify(await administerLocally(operation, input))}\n`);
    });
}
