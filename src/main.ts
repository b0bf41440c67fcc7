import { Command } from 'commander';
import { KeyFileError } from './auth/key-file.ts';
import { BackupError } from './backup/backup.ts';
import { actionsCommand } from './cli/actions.ts';
import { adminCommand } from './cli/admin.ts';
import { backupCommand } from './cli/backup.ts';
import { doctorCommand } from './cli/doctor.ts';
import { exportCommand } from './cli/export.ts';
import { gameCommand } from './cli/game.ts';
import { importCommand } from './cli/import.ts';
import { keyCommand } from './cli/key.ts';
import { restoreCommand } from './cli/restore.ts';
import { rulesCommand } from './cli/rules.ts';
import { serveCommand } from './cli/serve.ts';
import { tokenCommand } from './cli/token.ts';
import { ConfigError } from './config.ts';
import { GantryError } from './errors.ts';
import { DatabaseUnusableError } from './store/database-unusable.ts';

const program = new Command('gantry')
  .description('A self-hosted backend for games that run inside a launcher')
  .addHelpText(
    'after',
    '\nSettings are environment variables; README.md lists them. DATA_DIR is where the data is kept.',
  )
  .addCommand(serveCommand())
  .addCommand(gameCommand())
  .addCommand(tokenCommand())
  .addCommand(rulesCommand())
  .addCommand(actionsCommand())
  .addCommand(keyCommand())
  .addCommand(adminCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(exportCommand())
  .addCommand(importCommand())
  .addCommand(doctorCommand());

try {
  await program.parseAsync();
} catch (error) {
  // What the user can mend is said in a sentence; only a defect of ours shows its stack.
  process.stderr.write(`${inWords(error) ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}

/** What went wrong, for someone who can mend it; null for what only we can. */
function inWords(error: unknown): string | null {
  if (
    error instanceof BackupError ||
    error instanceof ConfigError ||
    error instanceof GantryError ||
    error instanceof DatabaseUnusableError ||
    error instanceof KeyFileError
  ) {
    return error.message;
  }
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return error.code === 'EADDRINUSE'
    ? `The address is taken (${error.message}): choose another PORT (or METRICS_PORT), or stop what listens there.`
    : `The system refused: ${error.message}. Is DATA_DIR a directory that can be written?`;
}
