import type { Logger } from 'pino';
import { bindingsOf, streamOf } from '../runtime/internals/pino.ts';
import type { CallObservation } from './call-observer.ts';

/**
 * Writes the log line of each call in pino's format, but builds it by hand: pino's general serialization took a tenth
 * of the event loop. Every value comes from a closed set or is a number and needs no JSON escaping, except the game's
 * id, which may have been imported.
 */
export class CallLines {
  readonly #logger: Logger;
  readonly #stream: { write(line: string): void };
  readonly #bindings: string;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#stream = streamOf(logger);
    this.#bindings = bindingsOf(logger);
  }

  write({ id, operation, gameId, isServer, transport, outcome, durationMs }: CallObservation): void {
    if (this.#logger.levelVal > infoLevel) return;
    const named = operation === undefined ? '' : `,"operation":"${operation}"`;
    const game = gameId === undefined ? '' : `,"game":${JSON.stringify(gameId)}`;
    const by = isServer ? ',"by":"game-server"' : '';
    this.#stream.write(
      `{"level":${infoLevel},"time":${Date.now()}${this.#bindings},"id":"${id}"${named}${game}${by},"transport":"${transport}","outcome":"${outcome}","ms":${Math.round(durationMs * 10) / 10},"msg":"call"}\n`,
    );
  }
}

/** pino's level of information. */
const infoLevel = 30;
