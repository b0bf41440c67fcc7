import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

// A backup ends with its SHA-256, because SQLite's integrity check does not notice a changed value. SQLite, and earlier
// versions of Gantry, ignore what follows the last page.

const mark = Buffer.from('Gantry: SHA-256 ');
export const checksumBytes = mark.length + 32;
const chunkBytes = 1024 * 1024;

/** Adds the checksum to a file that is complete, and waits for the disk. */
export function addChecksum(file: string): void {
  withFile(file, (descriptor, bytes) => {
    writeSync(descriptor, Buffer.concat([mark, digestOf(descriptor, bytes)]), 0, checksumBytes, bytes);
    fsyncSync(descriptor);
  });
}

/** Removes the checksum from a file; false if it does not match. A file without one is left as it is. */
export function removeChecksum(file: string): boolean {
  return withFile(file, (descriptor, bytes) => {
    const end = bytes - checksumBytes;
    const trailer = Buffer.alloc(checksumBytes);
    if (end < 0 || readSync(descriptor, trailer, 0, checksumBytes, end) !== checksumBytes) return true;
    if (!trailer.subarray(0, mark.length).equals(mark)) return true;
    if (!digestOf(descriptor, end).equals(trailer.subarray(mark.length))) return false;
    ftruncateSync(descriptor, end);
    return true;
  });
}

function withFile<Result>(file: string, use: (descriptor: number, bytes: number) => Result): Result {
  const descriptor = openSync(file, 'r+');
  try {
    return use(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** The SHA-256 of the first `bytes` of a file. */
function digestOf(descriptor: number, bytes: number): Buffer {
  const hash = createHash('sha256');
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes; ) {
    const read = readSync(descriptor, chunk, 0, Math.min(chunkBytes, bytes - at), at);
    if (read === 0) break;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest();
}
