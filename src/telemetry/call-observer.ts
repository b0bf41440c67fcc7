import { randomBytes } from 'node:crypto';
import type { Reason } from '../errors.ts';

/** How a call ended: `aborted` when its caller was gone before it had arrived. */
export type Outcome = 'ok' | 'aborted' | Reason;

export type Transport = 'http' | 'socket';

/** A call on its way, from its arrival to its answer. */
export interface ObservedCall {
  /** Found in the log, and in the answer's `X-Request-Id`. */
  readonly id: string;
  operation: string | undefined;
  gameId: string | undefined;
  wallet: string | undefined;
  /** The game's own server calls, about the player of this wallet if there is one. */
  isServer: boolean;
  /** Where it comes from. */
  address: string;
  /** What its caller was told when it was refused. */
  message: string | undefined;
  /** To be called once. */
  end(outcome: Outcome): void;
}

/** A call that is over. What it holds is of closed sets (operations, outcomes), ids of the database, and where it came from. */
export interface CallObservation {
  id: string;
  /** Undefined when it named none there is: what callers make up is not kept. */
  operation: string | undefined;
  gameId: string | undefined;
  wallet: string | undefined;
  isServer: boolean;
  address: string;
  transport: Transport;
  outcome: Outcome;
  message: string | undefined;
  /** From its arrival to its answer. */
  durationMs: number;
  /** When it was over, as `performance.now()` counts. */
  endedAt: number;
}

/** Observes every call once, whatever it came by; the metrics, the recent stats and the log's line come of that. */
export class CallObserver {
  readonly #sinks: readonly ((call: Readonly<CallObservation>) => void)[];
  readonly #prefix = randomBytes(4).toString('hex');
  #last = 0;

  constructor(...sinks: readonly ((call: Readonly<CallObservation>) => void)[]) {
    this.#sinks = sinks;
  }

  begin(transport: Transport, address: string): ObservedCall {
    const startedAt = performance.now();
    const call: ObservedCall = {
      id: `${this.#prefix}-${(++this.#last).toString(36)}`,
      operation: undefined,
      gameId: undefined,
      wallet: undefined,
      isServer: false,
      address,
      message: undefined,
      end: (outcome) => {
        const { id, operation, gameId, wallet, isServer, message } = call;
        const endedAt = performance.now();
        const durationMs = endedAt - startedAt;
        // One for all, which may keep it.
        const caller = { gameId, wallet, isServer, address };
        const observed = { id, operation, ...caller, transport, outcome, message, durationMs, endedAt };
        for (const sink of this.#sinks) sink(observed);
      },
    };
    return call;
  }
}
