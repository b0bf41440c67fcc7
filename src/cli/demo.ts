import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../config.ts';

export function demoCommand(): Command {
  return new Command('demo')
    .description('run the server with the demo game in a temporary directory, removed on exit')
    .option('--json', 'print one line of JSON when ready, instead of the welcome message')
    .addHelpText('after', '\nDATA_DIR is not used.\n\nExample:\n  PORT=4000 gantry demo')
    .action(async ({ json }: { json?: boolean }) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'gantry-demo-'));
      process.on('exit', () => rmSync(dataDirectory, { recursive: true, force: true }));
      const { serve } = await import('./run-server.ts');
      await serve({ ...readConfig(), dataDirectory, demo: true }, { json, withCalls: true });
    });
}
