import { LRUCache } from 'lru-cache';
import { GantryError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';

const mebibyte = 1024 * 1024;

/**
 * Byte rates of bodies (decompressed) and answers together, for the caller's address, wallet and game; and of pages and
 * files, so that downloads do not cost an address its calls.
 */
export const byteRates = {
  address: { burst: 256 * mebibyte, perSecond: 32 * mebibyte },
  wallet: { burst: 16 * mebibyte, perSecond: 2 * mebibyte },
  game: { burst: 1024 * mebibyte, perSecond: 128 * mebibyte },
  files: { burst: 256 * mebibyte, perSecond: 32 * mebibyte },
} as const satisfies Record<string, ByteRate>;

/** The maximum in memory for one address, in bytes: incoming bodies, and answers it has not read yet. */
export const heldPerAddress = 64 * mebibyte;

/** A hundred calls a second of this size stay below every budget. */
const uncountedBytes = 4 * 1024;

/** Whose bytes are counted; omitted fields are not known yet. */
export interface TrafficOf {
  address: string;
  wallet?: string | undefined;
  gameId?: string | undefined;
}

/** What was refused, for metrics. */
export type Refused = keyof typeof byteRates | 'held-address' | 'held';

/**
 * Limits what callers send and receive, in bytes. A call is admitted or refused before its body is read and before any
 * lookup, by the earlier traffic of its address, player and game and by the bytes currently held in memory. Counted per
 * process.
 */
export class Traffic {
  readonly #budgets: Record<keyof typeof byteRates, ByteBudget>;
  readonly #held: HeldBytes;
  readonly #onRefused: (what: Refused) => void;

  /**
   * `factor` multiplies the budgets (`RATE_LIMIT_FACTOR`); `heldBytes` is the maximum in memory for all callers
   * together.
   */
  constructor(
    { factor, heldBytes }: { factor: number; heldBytes: number },
    onRefused: (what: Refused) => void = () => undefined,
  ) {
    const budget = ({ burst, perSecond }: ByteRate) =>
      new ByteBudget({ burst: burst * factor, perSecond: perSecond * factor });
    this.#budgets = {
      address: budget(byteRates.address),
      wallet: budget(byteRates.wallet),
      game: budget(byteRates.game),
      files: budget(byteRates.files),
    };
    this.#held = new HeldBytes({ perKey: heldPerAddress * Math.max(1, factor), inAll: heldBytes });
    this.#onRefused = onRefused;
  }

  get heldBytes(): number {
    return this.#held.all;
  }

  /** @throws GantryError `rate_limited` when the address, the player or the game is over its budget */
  admit({ address, wallet, gameId }: Partial<TrafficOf>): void {
    if (address !== undefined) this.#admit('address', networkOf(address));
    if (wallet !== undefined) this.#admit('wallet', wallet);
    if (gameId !== undefined) this.#admit('game', gameId);
  }

  #admit(what: keyof typeof byteRates, key: string): void {
    const seconds = this.#budgets[what].secondsToWait(key);
    if (seconds === 0) return;
    this.#onRefused(what);
    throw new GantryError(
      'rate_limited',
      `Too many bytes sent and received by this ${what === 'files' ? 'address' : what}; try again in ${seconds} s`,
      { retryAfterSeconds: seconds },
    );
  }

  /** As `admit`, for a page or a file. @throws GantryError `rate_limited` when the address is over that budget */
  admitFile(address: string): void {
    this.#admit('files', networkOf(address));
  }

  /** Counts the bytes of a page or a file. */
  spendFile(address: string, bytes: number): void {
    this.#budgets.files.spend(networkOf(address), bytes);
  }

  /** Counts bytes sent or received, unless there are so few that the call limits bound them. */
  spend({ address, wallet, gameId }: Partial<TrafficOf>, bytes: number): void {
    if (bytes <= uncountedBytes) return;
    if (address !== undefined) this.#budgets.address.spend(networkOf(address), bytes);
    if (wallet !== undefined) this.#budgets.wallet.spend(wallet, bytes);
    if (gameId !== undefined) this.#budgets.game.spend(gameId, bytes);
  }

  /**
   * Accounts for this caller's bytes in memory until the returned `Holding` is released. `onHeld` is called when it
   * first holds any: most calls never do.
   */
  hold(address: string, onHeld: (holding: Holding) => void = () => undefined): Holding {
    return new Holding(this.#held, networkOf(address), this.#onRefused, onHeld);
  }
}

/** The bytes held in memory for one call. */
export class Holding {
  readonly #held: HeldBytes;
  readonly #key: string;
  readonly #onRefused: (what: Refused) => void;
  readonly #onHeld: (holding: Holding) => void;
  #bytes = 0;

  constructor(
    held: HeldBytes,
    key: string,
    onRefused: (what: Refused) => void,
    onHeld: (holding: Holding) => void,
  ) {
    this.#held = held;
    this.#key = key;
    this.#onRefused = onRefused;
    this.#onHeld = onHeld;
  }

  /** @throws GantryError `rate_limited` when the caller, `server_busy` when all callers together exceed the limit */
  admit(more = 0): void {
    const full = this.#held.exceededLimit(this.#key, more);
    if (full === null) return;
    this.#onRefused(full === 'key' ? 'held-address' : 'held');
    if (full === 'all') {
      throw new GantryError(
        'server_busy',
        "The server's memory for requests and responses is exhausted; try again in 1 s",
        {
          retryAfterSeconds: 1,
        },
      );
    }
    throw new GantryError(
      'rate_limited',
      'Too many bytes are in flight for this address: read the pending responses, and try again in 1 s',
      { retryAfterSeconds: 1 },
    );
  }

  take(bytes: number): void {
    if (bytes <= 0) return;
    const isFirst = this.#bytes === 0;
    this.#bytes += bytes;
    this.#held.take(this.#key, bytes);
    if (isFirst) this.#onHeld(this);
  }

  /** Holds this many bytes from now on; few count as none: the number of connections bounds them. @throws as `admit` */
  resize(bytes: number): void {
    const more = (bytes <= uncountedBytes ? 0 : bytes) - this.#bytes;
    if (more > 0) {
      this.admit(more);
      this.take(more);
    } else if (more < 0) {
      this.#held.release(this.#key, -more);
      this.#bytes += more;
    }
  }

  release(): void {
    this.resize(0);
  }
}

/**
 * The bytes in memory on behalf of callers, per key and in total: incoming bodies, and answers that have not been read
 * yet. Bytes that are taken must be released.
 */
export class HeldBytes {
  readonly #perKey: number;
  readonly #inAll: number;
  readonly #byKey = new Map<string, number>();
  #all = 0;

  constructor({ perKey, inAll }: { perKey: number; inAll: number }) {
    this.#perKey = perKey;
    this.#inAll = inAll;
  }

  get all(): number {
    return this.#all;
  }

  /** Which limit `more` bytes would exceed: the key's, that of all callers together, or none (null). */
  exceededLimit(key: string, more = 0): 'key' | 'all' | null {
    if ((this.#byKey.get(key) ?? 0) + more > this.#perKey) return 'key';
    return this.#all + more > this.#inAll ? 'all' : null;
  }

  take(key: string, bytes: number): void {
    this.#all += bytes;
    this.#byKey.set(key, (this.#byKey.get(key) ?? 0) + bytes);
  }

  release(key: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}

/** A token bucket's capacity and refill rate, in bytes. */
export interface ByteRate {
  burst: number;
  perSecond: number;
}

/** The number of callers tracked; an evicted caller has its full budget again. */
const maxRemembered = 100_000;

/**
 * A token bucket per caller, in bytes. A caller is admitted while its bucket is not empty; the call's cost is
 * subtracted afterwards and may make the level negative, so that the debt is repaid before the next call. In memory,
 * per process.
 */
export class ByteBudget {
  readonly #rate: ByteRate;
  readonly #clock: () => number;
  /** Bounded by `maxSize` rather than `max`, which would allocate space for all callers up front. */
  readonly #left = new LRUCache<string, { bytes: number; at: number }>({
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
  });

  /** `clock` in milliseconds, with any origin. */
  constructor(rate: ByteRate, clock: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** The seconds until the caller may call, at most an hour; 0 when it may call now. */
  secondsToWait(key: string): number {
    const left = this.#leftOf(key);
    return left > 0 ? 0 : Math.min(3600, Math.max(1, Math.ceil(-left / this.#rate.perSecond)));
  }

  spend(key: string, bytes: number): void {
    if (bytes > 0) this.#left.set(key, { bytes: this.#leftOf(key) - bytes, at: this.#clock() });
  }

  #leftOf(key: string): number {
    const known = this.#left.get(key);
    if (!known) return this.#rate.burst;
    const seconds = (this.#clock() - known.at) / 1000;
    return Math.min(this.#rate.burst, known.bytes + seconds * this.#rate.perSecond);
  }
}
