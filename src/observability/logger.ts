import { destination, type Logger, pino } from 'pino';

/** Lines are written together when there are so many bytes of them, or after a moment. */
const togetherBytes = 4_000;
const togetherMs = 100;
/** A pipe takes so many bytes whole (POSIX's PIPE_BUF), so that no two writes run into each other. */
const wholeBytes = 4_096;
/** So much waits for a reader that does not keep up; what comes then is lost, rather than the server's memory. */
const waitingBytes = 8 * 1024 * 1024;
/** pino's number for warnings. */
const warnings = 40;

/**
 * The log, as JSON on standard error, so that standard output stays for people. Lines wait for each other a
 * moment and are written beside the calls, so that one a call is cheap and a slow reader holds up nobody.
 * Warnings and errors are written at once, and with them what waits.
 */
export function createLogger(level: string): Logger {
  const stream = destination({
    dest: 2,
    sync: false,
    minLength: togetherBytes,
    maxWrite: wholeBytes,
    maxLength: waitingBytes,
  });
  setInterval(() => stream.flush(), togetherMs).unref();
  process.on('exit', () => stream.flushSync());
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
