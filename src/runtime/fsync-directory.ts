import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a directory, so that the names of its files are durable. A file that was created, linked or renamed can be lost
 * in a power failure even if its content was synced (fsync(2)), because its name is stored in the directory.
 */
export function fsyncDirectory(directory: string): void {
  if (process.platform === 'win32') return; // directories cannot be opened there, and need no sync
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
