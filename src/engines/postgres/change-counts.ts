/** What a commit changes of what cached query results depend on. */
export interface CommitChanges {
  /** Rows of tables that are cached. */
  readonly rows: boolean;
  /** Places on leaderboards. */
  readonly boards: boolean;
}

/** Shared memory of a node's threads: two 32-bit integers. */
export type ChangeMemory = SharedArrayBuffer;

export function changeMemory(): ChangeMemory {
  return new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Counts the commits of a node's own writer that change what cached query results depend on, twice each: before it is
 * sent, and once its outcome is known, before it is acknowledged. So a count is odd while the database may have the
 * change or not.
 */
export class ChangeCounts {
  readonly #counts: Int32Array;

  constructor(memory: ChangeMemory) {
    this.#counts = new Int32Array(memory);
  }

  /** The count of changes of either kind; null while one is being committed. */
  settled(kind: keyof CommitChanges): number | null {
    const count = Atomics.load(this.#counts, kind === 'rows' ? 0 : 1);
    return count % 2 === 0 ? count : null;
  }

  /** Call this before such a commit is sent. */
  begin({ rows, boards }: CommitChanges): void {
    if (rows) Atomics.add(this.#counts, 0, 1);
    if (boards) Atomics.add(this.#counts, 1, 1);
  }

  /** Call this once the outcome of the last commit is known. */
  end(): void {
    for (const at of this.#counts.keys())
      if (Atomics.load(this.#counts, at) % 2 !== 0) Atomics.add(this.#counts, at, 1);
  }
}
