import { type Logger, pino } from 'pino';
import { LogStream } from './log-stream.ts';

/** pino's number for warnings. */
const warnings = 40;

/**
 * The log, as JSON on standard error, so that standard output stays for people. Lines wait for each other a
 * moment and are written beside the calls, so that one a call is cheap and a slow reader holds up nobody.
 * Warnings and errors are written at once, and with them what waits.
 */
export function createLogger(level: string): Logger {
  const stream = new LogStream(2);
  return pino(
    {
      level,
      // ioredis hangs the refused command on its errors, and that of a wrong password is the password.
      redact: ['err.command.args'],
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= warnings) stream.flushSync();
        },
      },
    },
    stream,
  );
}
