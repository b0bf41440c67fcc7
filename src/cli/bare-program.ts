import { Command } from 'commander';
import { version } from '../core/version.ts';

/** The program without its commands. */
export function bareProgram(): Command {
  return new Command('gantry')
    .version(version, '--version', 'print the version')
    .description('A self-hosted backend for games that run inside a launcher')
    .addHelpText(
      'after',
      '\nTo begin: `gantry demo` (keeps nothing), `gantry serve` (a server on DATA_DIR), `gantry new` (a game from a template).' +
        '\n`gantry <command> --help` describes a command.' +
        '\nSettings are environment variables; `gantry config` lists them. DATA_DIR is the data directory, by default ./data.' +
        '\nExit codes: 0 success; 1 refused, failed, or a check did not pass (doctor, healthcheck, upgrade --check, migrate --check).',
    );
}
