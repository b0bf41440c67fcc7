/** Shared memory in which a node's writer announces the version to its other threads: a 64-bit integer. */
export type SoleWriterMemory = SharedArrayBuffer;

export function soleWriterMemory(): SoleWriterMemory {
  const memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  new SoleWriterVersion(memory).set(null);
  return memory;
}

/**
 * The database's version (`DatabaseVersion.version`) while this node is the sole writer, so that only its own batches
 * change it; null otherwise. Another node may have joined unnoticed: only a batch that commits proves the version.
 */
export class SoleWriterVersion {
  readonly #memory: BigInt64Array;

  constructor(memory: SoleWriterMemory) {
    this.#memory = new BigInt64Array(memory);
  }

  get(): number | null {
    const version = Atomics.load(this.#memory, 0);
    return version < 0n ? null : Number(version);
  }

  set(version: number | null): void {
    Atomics.store(this.#memory, 0, BigInt(version ?? -1));
  }
}
