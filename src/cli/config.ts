import { Command } from 'commander';
import { effectiveSettings } from '../config.ts';
import { print } from './output.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('print the effective settings and their sources; secrets are hidden')
    .option('--json', 'print JSON: [{name, value, source, file?, meaning}]')
    .addHelpText('after', '\nExample:\n  PORT=4000 gantry config')
    .action(({ json }: { json?: boolean }) => {
      const settings = effectiveSettings();
      const rows = settings.map(({ name, value, source, file }) => ({
        setting: name,
        value: value ?? '',
        source: file ?? source,
      }));
      print(json ? settings : rows, json);
    });
}
