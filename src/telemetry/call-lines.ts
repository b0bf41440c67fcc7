import type { Logger } from 'pino';
import { networkOf } from '../core/network-of.ts';
import { bindingsOf, streamOf } from '../runtime/internals/pino.ts';
import type { CallObservation } from './call-observer.ts';
import type { RefusalLog } from './refusal-log.ts';

/**
 * Writes the log lines of calls in pino's format: at `debug` of every call, at `info` of refused ones, as far as the
 * `RefusalLog` does not sum them up. Builds them by hand: pino's general serialization took a tenth of the event loop.
 * Every value comes from a closed set or is a number and needs no JSON escaping, except the game's id, which may have
 * been imported, and the caller's address.
 */
export class CallLines {
  readonly #logger: Logger;
  readonly #stream: { write(line: string): void };
  readonly #bindings: string;

  readonly #refusals: RefusalLog;

  constructor(logger: Logger, refusals: RefusalLog) {
    this.#logger = logger;
    this.#refusals = refusals;
    this.#stream = streamOf(logger);
    this.#bindings = bindingsOf(logger);
  }

  write(call: CallObservation): void {
    const { levelVal } = this.#logger;
    const isOk = call.outcome === 'ok';
    if (levelVal > (isOk ? debugLevel : infoLevel)) return;
    const { id, operation, gameId, isServer, transport, outcome, durationMs, address } = call;
    const isInFull = isOk || this.#refusals.count({ reason: outcome, at: 'call', address });
    if (!isInFull && levelVal > debugLevel) return;
    const named = operation === undefined ? '' : `,"operation":"${operation}"`;
    const game = gameId === undefined ? '' : `,"game":${JSON.stringify(gameId)}`;
    const by = isServer ? ',"by":"game-server"' : '';
    const from = isOk ? '' : `,"address":${JSON.stringify(networkOf(address))}`;
    this.#stream.write(
      `{"level":${isOk ? debugLevel : infoLevel},"time":${Date.now()}${this.#bindings},"id":"${id}"${named}${game}${by}${from},"transport":"${transport}","outcome":"${outcome}","ms":${Math.round(durationMs * 10) / 10},"msg":"call"}\n`,
    );
  }
}

/** pino's levels. */
const debugLevel = 20;
const infoLevel = 30;
