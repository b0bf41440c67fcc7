import { randomBytes } from 'node:crypto';
import type { Reason } from '../core/errors.ts';
import { HistogramBuckets } from '../core/histogram.ts';

/** How a call ended: `aborted` when the client disconnected before it was fully received. */
export type Outcome = 'ok' | 'aborted' | Reason;

export type Transport = 'http' | 'socket';

/** A call in flight, from its arrival to its answer. */
export interface ObservedCall {
  /** The id in the log and in the answer's `X-Request-Id`. */
  readonly id: string;
  operation: string | undefined;
  gameId: string | undefined;
  wallet: string | undefined;
  /** The caller is the game's own server, acting for the player of this wallet if there is one. */
  isServer: boolean;
  /** The client's address. */
  readonly address: string;
  /** The error message sent to the caller. */
  message: string | undefined;
  /** Call this exactly once. */
  end(outcome: Outcome): void;
}

/** A completed call. */
export interface CallObservation {
  id: string;
  /** Undefined when it named no known operation: arbitrary names from clients are not kept. */
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
  /** When it ended, in the time of `performance.now()`. */
  endedAt: number;
}

/** Observes every call on every transport once, for the metrics, the recent statistics and the log. */
export class CallObserver {
  readonly #sinks: readonly ((call: Readonly<CallObservation>) => void)[];
  readonly #prefix = randomBytes(4).toString('hex');
  #last = 0;

  constructor(...sinks: readonly ((call: Readonly<CallObservation>) => void)[]) {
    this.#sinks = sinks;
  }

  begin(transport: Transport, address: string): ObservedCall {
    const id = `${this.#prefix}-${(++this.#last).toString(36)}`;
    return new CallInFlight({ id, transport, address }, this.#sinks);
  }
}

class CallInFlight implements ObservedCall {
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
    for (const sink of this.#sinks) sink(call); // one object shared by all sinks, which may keep it
  }
}

/** In seconds: from a read in memory to a wait for a busy disk. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The label of calls that named no known operation: arbitrary names from clients must not become labels. */
const noOperation = 'none';

/** Counts and times calls since the start, for the metrics. */
export class CallCounts {
  /** By operation, transport and outcome. */
  readonly counts = new Map<string, { labels: Record<string, string>; count: number }>();
  /** By operation, in seconds. */
  readonly durations = new Map<string, HistogramBuckets>();

  add({ operation = noOperation, transport, outcome, durationMs }: CallObservation): void {
    const key = `${operation} ${transport} ${outcome}`;
    const counted = this.counts.get(key);
    if (counted) counted.count++;
    else this.counts.set(key, { labels: { operation, transport, outcome }, count: 1 });
    let buckets = this.durations.get(operation);
    if (!buckets) {
      buckets = new HistogramBuckets(durationBounds);
      this.durations.set(operation, buckets);
    }
    buckets.add(durationMs / 1000);
  }
}
