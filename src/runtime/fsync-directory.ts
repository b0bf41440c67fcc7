import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Waits until the names of a directory's files are on disk. A file that was made, linked or renamed can be gone
 * after a power cut however well its content was synced (fsync(2)): its name is kept by the directory.
 */
export function syncNamesIn(directory: string): void {
  if (process.platform === 'win32') return; // where directories cannot be opened, and names need no syncing
  const opened = openSync(directory, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
