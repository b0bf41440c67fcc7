import { GantryError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { ByteBudget, type ByteRate } from './byte-budget.ts';
import { HeldBytes } from './held-bytes.ts';

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

  release(): void {
    if (this.#bytes === 0) return;
    this.#held.release(this.#key, this.#bytes);
    this.#bytes = 0;
  }
}
