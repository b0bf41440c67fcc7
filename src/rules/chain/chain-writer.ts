import { randomUUID } from 'node:crypto';
import type { TransactionSettings } from '../../config.ts';
import type { Store } from '../../store/store.ts';
import type { ChainClients } from './chain-client.ts';
import { type ChainHooks, LaneWriter } from './lane-writer.ts';
import type { Signers } from './signers.ts';

export interface ChainWriterOptions {
  clients: ChainClients;
  signers: Signers;
  settings: TransactionSettings;
  /** Told when a chain cannot be reached, and of defects; the writer goes on. */
  report(thrown: unknown): void;
  hooks?: ChainHooks | undefined;
}

/** What was settled in this process since its start. */
export interface ChainCounts {
  confirmed: number;
  failed: number;
}

/**
 * Sends what rules have queued for chains: one `LaneWriter` a signer and chain, and of all processes on one
 * store only one at a time works on each. Looks when woken and every `pollMs`.
 */
export class ChainWriter {
  readonly #store: Store;
  readonly #options: ChainWriterOptions;
  readonly #node = randomUUID();
  readonly #writers = new Map<string, LaneWriter>();
  readonly #looking = new Map<string, Promise<void>>();
  readonly #counts: ChainCounts = { confirmed: 0, failed: 0 };
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #isAsking = false;

  constructor(store: Store, options: ChainWriterOptions) {
    this.#store = store;
    this.#options = options;
  }

  start(): void {
    const hasSigners = Object.keys(this.#options.signers.addresses()).length > 0;
    if (!hasSigners) return;
    this.#timer = setInterval(() => this.wake(), this.#options.settings.pollMs).unref();
    this.wake();
  }

  /** Looks now at every lane that has something to do. */
  wake(): void {
    if (this.#stopped || this.#timer === undefined || this.#isAsking) return;
    this.#isAsking = true;
    this.#store.chainLanes
      .busyLanes()
      .then((lanes) => {
        for (const lane of lanes) this.#look(lane);
      })
      .catch(this.#options.report)
      .finally(() => {
        this.#isAsking = false;
      });
  }

  counts(): Readonly<ChainCounts> {
    return this.#counts;
  }

  /** Starts nothing more, waits for the looks under way, and gives the leases back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#looking.values());
    await Promise.all(
      [...this.#writers.keys()].map((lane) => this.#store.chainLanes.release(lane, this.#node)),
    );
  }

  #look(lane: string): void {
    if (this.#stopped || this.#looking.has(lane)) return;
    const look = this.#writerOf(lane)
      .then((writer) => writer?.look() ?? false)
      .catch((thrown: unknown) => {
        this.#options.report(thrown);
        return false; // the timer looks again
      })
      .then((hasMoved) => {
        this.#looking.delete(lane);
        if (hasMoved) this.#look(lane);
      });
    this.#looking.set(lane, look);
  }

  /** Null: the signer is not of this process. */
  async #writerOf(lane: string): Promise<LaneWriter | null> {
    const known = this.#writers.get(lane);
    if (known) return known;
    const [chain = '', address = ''] = lane.split(':');
    const { signers, clients, settings, hooks = {} } = this.#options;
    const account = signers.withAddress(address);
    if (!account) return null;
    const chainId = Number(chain);
    const writer = new LaneWriter({
      lane,
      chainId,
      account,
      client: await clients.get(chainId),
      node: this.#node,
      store: this.#store.chainLanes,
      settings,
      hooks,
      onSettled: (outcome) => {
        this.#counts[outcome]++;
      },
    });
    this.#writers.set(lane, writer);
    return writer;
  }
}
