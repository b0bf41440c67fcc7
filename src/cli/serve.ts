import { Command } from 'commander';
import { readConfig } from '../config.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the server')
    .option('--json', 'print one line of JSON when ready, instead of the welcome message')
    .addHelpText('after', '\nExample:\n  PORT=4000 DATA_DIR=./data gantry serve')
    .action(async ({ json }: { json?: boolean }) => {
      const config = readConfig();
      // The server is not loaded for other commands.
      const { serve } = await import('./run-server.ts');
      await serve(config, { json });
    });
}
