import { type Logger, pino } from 'pino';

/**
 * Internals of pino that Gantry uses: `pino.symbols`, which its documentation provides for library authors.
 * `test/runtime/internals.test.ts` fails when a version no longer has them.
 */
const { streamSym, chindingsSym } = pino.symbols;

/** The destination stream of a logger. */
export function streamOf(logger: Logger): { write(line: string): void } {
  return Reflect.get(logger, streamSym);
}

/** The bindings that a logger adds to every line, as a JSON fragment: `,"pid":1,"hostname":"…"`. */
export function bindingsOf(logger: Logger): string {
  return Reflect.get(logger, chindingsSym);
}
