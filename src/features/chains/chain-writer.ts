import { randomUUID } from 'node:crypto';
import type { Store } from '../../core/storage/store.ts';
import { QueueWorker } from '../queue/queue-worker.ts';
import type { ChainClients } from './chain-client.ts';
import { releaseLane } from './commands.ts';
import type { ChainHooks } from './lane.ts';
import type { LaneWriter } from './lane-writer.ts';
import { listBusyLanes } from './queries.ts';
import type { Signers } from './signers.ts';
import type { TransactionSettings } from './transaction-settings.ts';

export interface ChainWriterOptions {
  clients: ChainClients;
  signers: Signers;
  settings: TransactionSettings;
  /** Receives unhandled errors and failures of chains; the writer continues. */
  report(thrown: unknown): void;
  hooks?: ChainHooks | undefined;
}

/** Actions settled by this process since its start. */
export interface ChainCounts {
  confirmed: number;
  failed: number;
}

/**
 * Sends actions that rules have queued for chains: one `LaneWriter` per signer and chain, each active in only one
 * process per database at a time.
 */
export class ChainWriter {
  readonly #db: Store;
  readonly #options: ChainWriterOptions;
  readonly #node = randomUUID();
  readonly #writers = new Map<string, LaneWriter>();
  readonly #worker: QueueWorker<string>;
  readonly #counts: ChainCounts = { confirmed: 0, failed: 0 };

  constructor(db: Store, options: ChainWriterOptions) {
    this.#db = db;
    this.#options = options;
    this.#worker = new QueueWorker<string>(
      {
        find: () => this.#db.read(listBusyLanes),
        keyOf: (lane) => lane,
        run: async (lane) => (await (await this.#writerOf(lane))?.poll()) ?? false,
      },
      { report: options.report, pollMs: options.settings.pollMs, room: Infinity, batchDelayMs: 0 },
    );
  }

  start(): void {
    const hasSigners = Object.keys(this.#options.signers.addresses()).length > 0;
    if (hasSigners) this.#worker.start();
  }

  /** Polls every lane with open work. */
  wake(): void {
    this.#worker.wake();
  }

  counts(): Readonly<ChainCounts> {
    return this.#counts;
  }

  /** Starts nothing more, waits for running polls, and releases the leases. */
  async stop(): Promise<void> {
    await this.#worker.stop();
    await Promise.all([...this.#writers.keys()].map((lane) => this.#db.write(releaseLane, lane, this.#node)));
  }

  /** Null: this process does not have the signer. */
  async #writerOf(lane: string): Promise<LaneWriter | null> {
    const known = this.#writers.get(lane);
    if (known) return known;
    const [chain = '', address = ''] = lane.split(':');
    const { signers, clients, settings, hooks = {} } = this.#options;
    const account = signers.withAddress(address);
    if (!account) return null;
    const chainId = Number(chain);
    // It takes a tenth of a second to load, and most servers never need it.
    const { LaneWriter } = await import('./lane-writer.ts');
    const writer = new LaneWriter({
      lane,
      chainId,
      account,
      connect: () => clients.get(chainId),
      node: this.#node,
      db: this.#db,
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
