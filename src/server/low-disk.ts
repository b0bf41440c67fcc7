import { statfsSync } from 'node:fs';

const mebibyte = 1024 * 1024;
/** With less free, a write may fail at any moment: the write-ahead log grows by as much before it is truncated. */
export const minFreeBytes = 64 * mebibyte;

/** A sentence for the operator when the disk with the data directory is nearly full; null when it is not. */
export function describeLowDisk(dataDirectory: string): string | null {
  const free = freeBytesAt(dataDirectory);
  return free === null || free >= minFreeBytes
    ? null
    : `The disk with the data directory has ${Math.floor(free / mebibyte)} MiB left. Make room on it: writes are rejected when it is full.`;
}

/** The free space of the directory's disk, in bytes; null when the directory is gone, which is reported otherwise. */
export function freeBytesAt(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}
