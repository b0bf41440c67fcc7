import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };

/** The program without its commands. */
export function bareProgram(): Command {
  return new Command('gantry')
    .version(version, '--version', 'print the version')
    .description('A self-hosted backend for games that run inside a launcher')
    .addHelpText(
      'after',
      '\nSettings are environment variables; `gantry config` lists them. DATA_DIR is the data directory.' +
        '\nExit codes: 0 success; 1 refused, failed, or a check did not pass (doctor, healthcheck, migrate --check).',
    );
}

/** Gantry's version, as in package.json. */
export const { version } = manifest;
