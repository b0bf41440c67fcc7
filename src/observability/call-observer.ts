import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Reason } from '../errors.ts';
import { CallLines } from './call-lines.ts';
import { Tally } from './tally.ts';

/** How a call ended: `aborted` when its caller was gone before it had arrived. */
export type Outcome = 'ok' | 'aborted' | Reason;

export type Transport = 'http' | 'socket';

/** In seconds: from a read in memory to a wait for a disk that is busy. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Stands for the operation of a call that named none we know: what callers make up becomes no label. */
const noOperation = 'none';

/** A call on its way, from its arrival to its answer. */
export interface ObservedCall {
  /** Found in the log, and in the answer's `X-Request-Id`. */
  readonly id: string;
  operation: string | undefined;
  gameId: string | undefined;
  /** To be called once. */
  end(outcome: Outcome): void;
}

/**
 * Writes a line of the log for every call, and counts and times them for the metrics. What it keeps is of
 * closed sets (operations, outcomes), whatever callers send; the log's `game` is an id of the database.
 */
export class CallObserver {
  readonly #lines: CallLines;
  readonly #prefix = randomBytes(4).toString('hex');
  #last = 0;
  /** By operation, transport and outcome. */
  readonly counts = new Map<string, { labels: Record<string, string>; count: number }>();
  /** By operation, in seconds. */
  readonly durations = new Map<string, Tally>();

  constructor(logger: Logger) {
    this.#lines = new CallLines(logger);
  }

  begin(transport: Transport): ObservedCall {
    const startedAt = performance.now();
    const call: ObservedCall = {
      id: `${this.#prefix}-${(++this.#last).toString(36)}`,
      operation: undefined,
      gameId: undefined,
      end: (outcome) => this.#end(call, transport, outcome, performance.now() - startedAt),
    };
    return call;
  }

  #end({ id, operation, gameId }: ObservedCall, transport: Transport, outcome: Outcome, ms: number): void {
    const name = operation ?? noOperation;
    const key = `${name} ${transport} ${outcome}`;
    const counted = this.counts.get(key);
    if (counted) counted.count++;
    else this.counts.set(key, { labels: { operation: name, transport, outcome }, count: 1 });
    let tally = this.durations.get(name);
    if (!tally) {
      tally = new Tally(durationBounds);
      this.durations.set(name, tally);
    }
    tally.add(ms / 1000);
    this.#lines.write(id, operation, gameId, transport, outcome, ms);
  }
}
