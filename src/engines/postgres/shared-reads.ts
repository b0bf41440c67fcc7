import type { AnyRow, Value } from '../../core/storage/table.ts';
import { type ArrayColumn, columnArrays } from './array-columns.ts';
import type { Connection } from './connection.ts';

/** The most reads per statement: their rows may be large, and another connection can work on the rest. */
const maxShared = 16;

/** Reads that share a statement; the result is by read. */
interface SharedRead {
  readonly searches: (readonly Value[])[];
  readonly rows: Promise<AnyRow[][]>;
}

/**
 * Reads rows with one statement for all reads of an event loop turn that search in the same way. A statement costs
 * several times as much as the look-ups in it, and concurrent calls, having waited for the same version check, read in
 * the same turn.
 */
export class SharedReads {
  readonly #run: Connection['run'];
  #pending = new Map<string, SharedRead>();
  /** Resolves at the end of this turn; null: nothing is pending. */
  #turn: Promise<void> | null = null;

  constructor(run: Connection['run']) {
    this.#run = run;
  }

  /**
   * The rows that a statement finds for these values. Its parameters are arrays with the values of each search; its
   * rows have the number of their search, from 1, as `i`.
   */
  async rows(
    text: string,
    columns: readonly ArrayColumn<readonly Value[]>[],
    search: readonly Value[],
  ): Promise<readonly AnyRow[]> {
    let shared = this.#pending.get(text);
    if (!shared || shared.searches.length === maxShared) {
      shared = this.#begin(text, columns);
      this.#pending.set(text, shared);
    }
    const at = shared.searches.push(search) - 1;
    return (await shared.rows)[at] ?? [];
  }

  #begin(text: string, columns: readonly ArrayColumn<readonly Value[]>[]): SharedRead {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#pending.clear();
        this.#turn = null;
        resolve();
      });
    });
    const searches: (readonly Value[])[] = [];
    const rows = this.#turn.then(async () => {
      const found = await this.#run<AnyRow>(text, columnArrays(searches, columns));
      const bySearch: AnyRow[][] = searches.map(() => []);
      for (const row of found.rows) bySearch[Number(row.i) - 1]?.push(row);
      return bySearch;
    });
    return { searches, rows };
  }
}
