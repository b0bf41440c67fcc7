import type { StoredEvent } from '../../core/events/stream.ts';
import type { Command } from '../../core/storage/command.ts';
import type {
  Database,
  DatabaseStats,
  OptimisticDatabase,
  WriteTrouble,
} from '../../core/storage/database.ts';
import type { Query } from '../../core/storage/query.ts';
import { GantryError } from '../../errors.ts';

/** Reads and writes at the version that the database had when the call began. */
export interface AtVersion {
  /** Returns a result cached at this version, else a current one. */
  read<Args extends unknown[], Result>(query: Query<Args, Result>, args: Args): Promise<Result>;
  /** Runs a command; rejected with another error than a `GantryError` when the database has another version. */
  write<Args extends unknown[], Result>(command: Command<Args, Result>, args: Args): Promise<Result>;
}

/** The database for a call of a node that is the sole writer: its batch proves that the version is unchanged. */
export class OptimisticCall implements OptimisticDatabase {
  readonly #db: Database;
  readonly #at: AtVersion;
  #isConfirmed = false;

  constructor(db: Database, at: AtVersion) {
    this.#db = db;
    this.#at = at;
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  async write<Args extends unknown[], Result>(
    command: Command<Args, Result>,
    ...args: Args
  ): Promise<Result> {
    if (this.#isConfirmed) return this.#db.write(command, ...args);
    try {
      const result = await this.#at.write(command, args);
      this.#isConfirmed = true;
      return result;
    } catch (error) {
      this.#isConfirmed = error instanceof GantryError;
      throw error;
    }
  }

  read<Args extends unknown[], Result>(query: Query<Args, Result>, ...args: Args): Promise<Result> {
    return this.#isConfirmed ? this.#db.read(query, ...args) : this.#at.read(query, args);
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#db.onCommit(listener);
  }

  onWake(listener: (workers: readonly string[]) => void): void {
    this.#db.onWake(listener);
  }

  onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    this.#db.onTrouble(listener);
  }

  onNewEpoch(listener: () => void): void {
    this.#db.onNewEpoch(listener);
  }

  stats(): Promise<DatabaseStats> {
    return this.#db.stats();
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
