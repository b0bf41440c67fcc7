import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Tally } from '../../observability/tally.ts';
import type { CommitFigures, DiagnosticsStore, StoreSizes } from '../store.ts';
import { logBytesOf } from './write-ahead-log.ts';

const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** In seconds; with a fast disk a commit takes a fraction of a millisecond. */
const commitBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Counts what group commit does, in the thread that does it. */
export class CommitMeter {
  readonly #batchSizes = new Tally(batchBounds);
  readonly #seconds = new Tally(commitBounds);
  #failed = 0;

  committed(commands: number, milliseconds: number): void {
    this.#batchSizes.add(commands);
    this.#seconds.add(milliseconds / 1000);
  }

  failed(): void {
    this.#failed++;
  }

  read(): CommitFigures {
    return { batchSizes: this.#batchSizes.read(), seconds: this.#seconds.read(), failed: this.#failed };
  }
}

export class SqliteDiagnostics implements DiagnosticsStore {
  readonly #file: string;
  readonly #meter: CommitMeter;

  constructor(db: Database, meter: CommitMeter) {
    this.#file = db.name;
    this.#meter = meter;
  }

  async commits(): Promise<CommitFigures> {
    return this.#meter.read();
  }

  async sizes(): Promise<StoreSizes> {
    const databaseBytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    return { databaseBytes, logBytes: logBytesOf(this.#file) };
  }
}
