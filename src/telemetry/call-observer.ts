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
  readonly address: string;
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
    const id = `${this.#prefix}-${(++this.#last).toString(36)}`;
    return new CallUnderWay({ id, transport, address }, this.#sinks);
  }
}

class CallUnderWay implements ObservedCall {
  readonly id: string;
  readonly address: string;
  operation: string | undefined = undefined;
  gameId: string | undefined = undefined;
  wallet: string | undefined = undefined;
  isServer = false;
  message: string | undefined = undefined;
  readonly #transport: Transport;
  readonly #startedAt = performance.now();
  readonly #sinks: readonly ((call: CallObservation) => void)[];

  constructor(
    { id, transport, address }: Pick<CallObservation, 'id' | 'transport' | 'address'>,
    sinks: readonly ((call: CallObservation) => void)[],
  ) {
    this.id = id;
    this.address = address;
    this.#transport = transport;
    this.#sinks = sinks;
  }

  end(outcome: Outcome): void {
    const { id, operation, gameId, wallet, isServer, address, message } = this;
    const endedAt = performance.now();
    const durationMs = endedAt - this.#startedAt;
    const caller = { gameId, wallet, isServer, address };
    const call = {
      id,
      operation,
      ...caller,
      transport: this.#transport,
      outcome,
      message,
      durationMs,
      endedAt,
    };
    for (const sink of this.#sinks) sink(call); // one for all, which may keep it
  }
}
