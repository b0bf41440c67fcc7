import { type Logger, pino } from 'pino';

/**
 * What Gantry uses of pino beyond its methods: `pino.symbols`, which pino's API page gives to who implements
 * libraries. `test/runtime/internals.test.ts` fails when a version of it no longer has them.
 */
const { streamSym, chindingsSym } = pino.symbols;

/** Where a logger writes its lines. */
export function streamOf(logger: Logger): { write(line: string): void } {
  return Reflect.get(logger, streamSym);
}

/** What a logger gives every line, in JSON: `,"pid":1,"hostname":"…"`. */
export function bindingsOf(logger: Logger): string {
  return Reflect.get(logger, chindingsSym);
}
