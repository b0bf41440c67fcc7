import { Command } from 'commander';
import { version } from '../core/version.ts';

/** The program without its commands. */
export function bareProgram(): Command {
  return new Command('gantry')
    .version(version, '--version', 'print the version')
    .description('A self-hosted backend for games that run inside a launcher')
    .addHelpText(
      'after',
      '\nSettings are environment variables; `gantry config` lists them. DATA_DIR is the data directory.' +
        '\nExit codes: 0 success; 1 refused, failed, or a check did not pass (doctor, healthcheck, upgrade --check, migrate --check).',
    );
}
