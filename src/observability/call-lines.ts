import { type Logger, pino } from 'pino';

const { streamSym, chindingsSym } = pino.symbols;

/**
 * The log's lines of calls, as pino writes them, but put together here: for one a call, what pino does for any
 * object a line may hold took a tenth of the event loop. Every value is ours and of characters that JSON takes as
 * they are: a name, a number or a word of a closed set; all but the game's id, which may have been imported.
 */
export class CallLines {
  readonly #logger: Logger;
  readonly #stream: { write(line: string): void };
  /** What pino gives every line: `,"pid":1,"hostname":"…"`. */
  readonly #bindings: string;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#stream = Reflect.get(logger, streamSym);
    this.#bindings = Reflect.get(logger, chindingsSym);
  }

  write(
    id: string,
    operation: string | undefined,
    gameId: string | undefined,
    transport: string,
    outcome: string,
    ms: number,
  ): void {
    if (this.#logger.levelVal > infoLevel) return;
    const named = operation === undefined ? '' : `,"operation":"${operation}"`;
    const game = gameId === undefined ? '' : `,"game":${JSON.stringify(gameId)}`;
    this.#stream.write(
      `{"level":${infoLevel},"time":${Date.now()}${this.#bindings},"id":"${id}"${named}${game},"transport":"${transport}","outcome":"${outcome}","ms":${Math.round(ms * 10) / 10},"msg":"call"}\n`,
    );
  }
}

/** pino's number. */
const infoLevel = 30;
