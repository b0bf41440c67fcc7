import type { Logger } from 'pino';
import { networkOf } from '../core/network-of.ts';
import type { Refusal } from './refusals.ts';

/** The interval for which refusals are summed up. */
const intervalMs = 60_000;
/** How many of an interval are logged one by one: of one address, and of all. */
const linesInFull = { ofAddress: 10, ofAll: 300 };
/** How many sums an interval has: of one address, and of all; the rest share one. */
const sums = { ofAddress: 20, ofAll: 500 };

/** Reasons that are warnings, with their messages. */
const disconnections: Readonly<Record<string, string>> = {
  flood: 'flooding client disconnected',
  'slow-reader': 'slow consumer disconnected',
};

/** What a refusal is summed by. */
export type Refused = Pick<Refusal, 'reason' | 'at' | 'address'>;

interface Sum {
  reason: string;
  at: string;
  address: string;
  count: number;
  /** How many were logged one by one. */
  logged: number;
  first: number;
  last: number;
}

/**
 * Bounds what callers can write to the log by being refused. The first refusals of an address in each minute are logged
 * one by one; at its end, those that were not are summed up in one line per address, reason and stage.
 */
export class RefusalLog {
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  readonly #sums = new Map<string, Sum>();
  /** Per address in this interval: lines and sums. */
  readonly #addresses = new Map<string, { lines: number; sums: number }>();
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Pick<Logger, 'info' | 'warn'>) {
    this.#logger = logger;
  }

  /** Counts a refusal. Returns whether to log it now; the others are part of a sum. */
  count(refused: Refused): boolean {
    this.#timer ??= setTimeout(() => this.flush(), intervalMs).unref();
    const address = networkOf(refused.address);
    const known = this.#addresses.get(address);
    const of = known ?? { lines: 0, sums: 0 };
    if (!known && this.#addresses.size < sums.ofAll) this.#addresses.set(address, of);
    const sum = this.#sumOf(refused, address, of);
    sum.count++;
    sum.last = Date.now();
    const isInFull = of.lines < linesInFull.ofAddress && this.#lines < linesInFull.ofAll;
    if (!isInFull) return false;
    of.lines++;
    this.#lines++;
    sum.logged++;
    return true;
  }

  /** Logs a refusal that is not the outcome of a call, or sums it up. */
  add({ reason, at, gameId, address, queuedBytes }: Refusal): void {
    if (!this.count({ reason, at, address })) return;
    const fields = { reason, at, address: networkOf(address), game: gameId, queuedBytes };
    this.#write(reason, fields, 'refused');
  }

  /** Writes the sums of the current interval and begins the next. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { logged, ...sum } of this.#sums.values()) {
      if (sum.count > logged) this.#write(sum.reason, { ...sum, logged }, 'refused (summary)');
    }
    this.#sums.clear();
    this.#addresses.clear();
    this.#lines = 0;
  }

  #write(reason: string, fields: object, message: string): void {
    const warning = disconnections[reason];
    if (warning === undefined) this.#logger.info(fields, message);
    else this.#logger.warn(fields, warning);
  }

  #sumOf({ reason, at }: Refused, address: string, of: { sums: number }): Sum {
    const key = `${address} ${at} ${reason}`;
    const known = this.#sums.get(key);
    if (known) return known;
    if (this.#sums.size >= sums.ofAll) return this.#made('others', 'any', 'any', 'other addresses');
    if (of.sums >= sums.ofAddress) return this.#made(`${address} others`, 'any', 'any', address);
    of.sums++;
    return this.#made(key, reason, at, address);
  }

  #made(key: string, reason: string, at: string, address: string): Sum {
    const known = this.#sums.get(key);
    if (known) return known;
    const now = Date.now();
    const sum = { reason, at, address, count: 0, logged: 0, first: now, last: now };
    this.#sums.set(key, sum);
    return sum;
  }
}
