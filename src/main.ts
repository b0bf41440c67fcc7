import type { Command } from 'commander';
import { BackupError } from './backup/backup-error.ts';
import { bareProgram } from './cli/bare-program.ts';
import { RemoteError } from './cli/remote-server.ts';
import { serveCommand } from './cli/serve.ts';
import { ConfigError } from './config.ts';
import { DatabaseUnusableError } from './core/storage/database-unusable.ts';
import { GantryError } from './errors.ts';
import { codeOf } from './runtime/error-code.ts';
import { KeyFileError } from './runtime/key-file.ts';

// Whoever reads the output may stop reading, as `head` does.
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  await (await programFor(process.argv[2])).parseAsync();
} catch (error) {
  // What the user can mend is said in a sentence; only a defect of ours shows its stack.
  process.stderr.write(`${inWords(error) ?? (error instanceof Error ? error.stack : String(error))}\n`);
  process.exitCode = 1;
}

/** The service starts without the other commands: loading them takes a twentieth of its start. */
async function programFor(command: string | undefined): Promise<Command> {
  if (command === 'serve') return bareProgram().addCommand(serveCommand());
  const { createProgram } = await import('./cli/program.ts');
  return createProgram();
}

/** What went wrong, for someone who can mend it; null for what only we can. */
function inWords(error: unknown): string | null {
  if (
    error instanceof BackupError ||
    error instanceof ConfigError ||
    error instanceof GantryError ||
    error instanceof RemoteError ||
    error instanceof DatabaseUnusableError ||
    error instanceof KeyFileError
  ) {
    return error.message;
  }
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  return codeOf(error) === 'EADDRINUSE'
    ? `The address is taken (${error.message}): choose another PORT (or METRICS_PORT), or stop what listens there.`
    : `The system refused: ${error.message}. Is DATA_DIR a directory that can be written?`;
}
