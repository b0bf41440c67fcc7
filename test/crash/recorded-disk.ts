import { basename } from 'node:path';
import type { Operation } from './system-calls.ts';

/** The unit of a file that a power cut keeps or loses: the part of a write that a disk writes atomically. */
const sectorBytes = 512;

type Change = { bytes: Buffer; offset: number } | { size: number };

interface File {
  /** What is certainly on disk. */
  synced: Buffer;
  /** Later writes, in order; any part of them may be on disk. */
  unsynced: Change[];
  /** The end as the process sees it. */
  size: number;
  /** How many unsynced changes there were when the sync in progress began. */
  syncing: number;
}

type Naming = (names: Map<string, File>) => void;

/** A number in [0, 1). */
export type Random = () => number;

/**
 * A directory of files as a disk stores them: what was synced is there, and any part of the rest. A file's writes
 * reach the disk completely, partly (by sector) or not at all, in any order; directory entries (created, linked,
 * renamed, removed) in their order up to some point, unless the directory was synced.
 */
export class RecordedDisk {
  readonly #directory: string;
  /** As the process sees them. */
  readonly #names = new Map<string, File>();
  readonly #syncedNames = new Map<string, File>();
  #unsyncedNames: Naming[] = [];
  #syncingNames = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  apply(operation: Operation): void {
    switch (operation.kind) {
      case 'create': {
        const { path } = operation;
        if (this.#names.has(path)) return;
        const file: File = { synced: Buffer.alloc(0), unsynced: [], size: 0, syncing: 0 };
        this.#name((names) => names.set(path, file));
        return;
      }
      case 'write': {
        const file = this.#file(operation.path);
        const offset = operation.offset === 'end' ? file.size : operation.offset;
        file.unsynced.push({ bytes: operation.bytes, offset });
        file.size = Math.max(file.size, offset + operation.bytes.length);
        return;
      }
      case 'truncate': {
        const file = this.#file(operation.path);
        file.unsynced.push({ size: operation.size });
        file.size = operation.size;
        return;
      }
      case 'link':
      case 'rename': {
        const { path, to, kind } = operation;
        const file = this.#file(path);
        this.#name((names) => {
          names.set(to, file);
          if (kind === 'rename') names.delete(path);
        });
        return;
      }
      case 'remove': {
        const { path } = operation;
        this.#name((names) => names.delete(path));
        return;
      }
      case 'sync':
        this.#sync(operation.path, operation.is);
    }
  }

  /** A possible state after a power cut at this moment: the files' content by name. */
  afterPowerCut(random: Random): Map<string, Buffer> {
    const names = new Map(this.#syncedNames);
    for (const name of this.#unsyncedNames.slice(0, upTo(random, this.#unsyncedNames.length))) name(names);
    const kept = keptParts(random);
    return new Map([...names].map(([path, file]) => [basename(path), withParts(file, kept, random)]));
  }

  #name(naming: Naming): void {
    naming(this.#names);
    this.#unsyncedNames.push(naming);
  }

  #file(path: string): File {
    const file = this.#names.get(path);
    if (!file) throw new Error(`${path} was written to, but never created`);
    return file;
  }

  #sync(path: string, is: 'began' | 'done'): void {
    if (path === this.#directory) {
      if (is === 'began') {
        this.#syncingNames = this.#unsyncedNames.length;
        return;
      }
      for (const name of this.#unsyncedNames.splice(0, this.#syncingNames)) name(this.#syncedNames);
      return;
    }
    const file = this.#file(path);
    if (is === 'began') {
      file.syncing = file.unsynced.length;
      return;
    }
    file.synced = content(file.synced, file.unsynced.splice(0, file.syncing), () => 'whole');
  }
}

/** Which part of a write is on disk. */
type Kept = 'whole' | 'torn' | 'nothing';

/** Some power cuts lose everything, others nothing, others a part. */
function keptParts(random: Random): () => Kept {
  const kind = random();
  if (kind < 0.25) return () => 'nothing';
  if (kind < 0.35) return () => 'whole';
  if (kind < 0.65) return () => (random() < 0.5 ? 'whole' : 'nothing');
  const torn = random();
  return () => (random() < torn ? 'torn' : random() < 0.5 ? 'whole' : 'nothing');
}

function withParts(file: File, kept: () => Kept, random: Random): Buffer {
  // Where a file grew without being written yet, a disk returns zeros, or its previous content.
  const filling = random() < 0.5 ? 0 : 1 + upTo(random, 254);
  return content(file.synced, file.unsynced, kept, random, filling);
}

function content(
  before: Buffer,
  changes: readonly Change[],
  kept: () => Kept,
  random: Random = Math.random,
  filling = 0,
): Buffer {
  const ends = changes.map((change) =>
    'size' in change ? change.size : change.offset + change.bytes.length,
  );
  const after = Buffer.alloc(Math.max(before.length, ...ends), filling);
  before.copy(after);
  let size = before.length;
  for (const change of changes) {
    const part = kept();
    if (part === 'nothing') continue;
    if ('size' in change) {
      if (change.size < size) after.fill(filling, change.size, size);
      size = change.size;
      continue;
    }
    const { bytes, offset } = change;
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(bytes.length - at, sectorBytes - ((offset + at) % sectorBytes));
      if (part === 'whole' || random() < 0.5) {
        bytes.copy(after, offset + at, at, at + length);
        size = Math.max(size, offset + at + length);
      }
      at += length;
    }
  }
  return after.subarray(0, size);
}

/** An integer from 0 to `maximum`, inclusive. */
function upTo(random: Random, maximum: number): number {
  return Math.floor(random() * (maximum + 1));
}
