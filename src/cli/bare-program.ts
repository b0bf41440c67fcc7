import { Command } from 'commander';

/** The program without any of its commands. */
export function bareProgram(): Command {
  return new Command('gantry')
    .description('A self-hosted backend for games that run inside a launcher')
    .addHelpText(
      'after',
      '\nSettings are environment variables; `gantry config` lists them. DATA_DIR is where the data is kept.' +
        '\nExit codes: 0 it was done; 1 it was refused, failed, or was found wanting (doctor, healthcheck, migrate --check).',
    );
}
