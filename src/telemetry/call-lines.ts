import type { Logger } from 'pino';
import { bindingsOf, streamOf } from '../runtime/internals/pino.ts';
import type { CallObservation } from './call-observer.ts';

/**
 * The log's lines of calls, as pino writes them, but put together here: for one a call, what pino does for any
 * object a line may hold took a tenth of the event loop. Every value is ours and of characters that JSON takes as
 * they are: a name, a number or a word of a closed set; all but the game's id, which may have been imported.
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

/** pino's number. */
const infoLevel = 30;
