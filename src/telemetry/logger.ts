import { type Logger, pino } from 'pino';
import { LogStream } from './log-stream.ts';

/** pino's level of warnings. */
const warnLevel = 40;

/**
 * The log, as JSON on standard error; standard output is for people. Lines are buffered briefly and written
 * asynchronously, so that a line per call is cheap and a slow reader does not block. Warnings and errors flush the
 * buffer synchronously.
 */
export function createLogger(level: string): Logger {
  const stream = new LogStream(2);
  return pino(
    {
      level,
      // ioredis attaches the failed command to its errors: for a wrong password, the arguments contain the password.
      redact: ['err.command.args'],
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= warnLevel) stream.flushSync();
        },
      },
    },
    stream,
  );
}
