import type { Command } from 'commander';
import { ConfigError } from '../core/config-error.ts';
import { GantryError } from '../core/errors.ts';
import { DatabaseUnusableError } from '../core/storage/database-unusable.ts';
import { codeOf } from '../runtime/error-code.ts';
import { KeyFileError } from '../runtime/key-file.ts';
import { BackupError } from '../server/backup/backup-error.ts';
import { bareProgram } from './bare-program.ts';
import { RemoteError } from './remote-server.ts';
import { serveCommand } from './serve.ts';

// The reader of the output may close the pipe early, as `head` does.
process.stdout.on('error', (error) => {
  if (codeOf(error) !== 'EPIPE') throw error;
  process.exit(0);
});

/** Runs the command of the command line. */
export async function runCommand(): Promise<void> {
  try {
    await (await programFor(process.argv[2])).parseAsync();
  } catch (error) {
    // Errors that the user can fix are described in a sentence; only internal errors show a stack.
    process.stderr.write(
      `${describeError(error) ?? (error instanceof Error ? error.stack : String(error))}\n`,
    );
    process.exitCode = 1;
  }
}

/** `serve` starts without loading the other commands, which saves 5 % of the startup time. */
async function programFor(command: string | undefined): Promise<Command> {
  if (command === 'serve') return bareProgram().addCommand(serveCommand());
  const { createProgram } = await import('./program.ts');
  return createProgram();
}

/** A description of an error that the user can fix; null for internal errors. */
function describeError(error: unknown): string | null {
  // A caller learns only that the database is unavailable; who runs a command on it learns why.
  if (error instanceof GantryError && error.reason === 'store_unavailable' && error.cause instanceof Error)
    return `${error.message} (${error.cause.message})`;
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
  if (error.syscall === 'getaddrinfo') {
    return `Cannot listen there (${error.message}): set HOST (or METRICS_HOST) to an address of this machine, or 0.0.0.0.`;
  }
  if (error.syscall !== 'listen') return `System error: ${error.message}. ${remedyFor(codeOf(error))}`;
  const why = `(${error.message}): choose another PORT (or METRICS_PORT)`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `The address is already in use ${why}, or stop what listens there.`;
    case 'EACCES':
      return `No permission to listen there ${why}: one above 1023.`;
    default:
      return `Cannot listen there ${why}, or HOST.`;
  }
}

/** What to do about an error of the file system, whose message has the path. */
function remedyFor(code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free space on that disk, or choose another one.';
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return 'Give the user of this process access to that path, or choose another one.';
    default:
      return 'Check that path, and whether it can be written to.';
  }
}
