import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const parent = '/dev/shm';
const gibibyte = 1024 ** 3;

/**
 * Keeps the tests' temporary files in memory where there is enough of it: flushing them to a disk, for databases that
 * live for one test, takes processor time and waiting. Tests of crashes kill processes and
 * lose writes on their own, and need no disk for it. `TMPDIR` set by the caller stays.
 */
export default function memoryFiles(): () => void {
  if (process.env.TMPDIR || !isLargeEnough()) return () => undefined;
  const directory = mkdtempSync(join(parent, 'gantry-'));
  chmodSync(directory, 0o1777); // PostgreSQL may run as another user
  if (!mayExecute(directory)) {
    rmSync(directory, { recursive: true });
    return () => undefined;
  }
  process.env.TMPDIR = directory;
  return () => {
    delete process.env.TMPDIR;
    rmSync(directory, { recursive: true, force: true });
  };
}

function isLargeEnough(): boolean {
  try {
    const { bavail, bsize } = statfsSync(parent);
    return Math.min(bavail * bsize, freemem()) > 6 * gibibyte;
  } catch {
    return false; // not on Linux
  }
}

/** Containers often mount it without the permission to execute files, which some tests create. */
function mayExecute(directory: string): boolean {
  const file = join(directory, 'executable');
  try {
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(file);
    return true;
  } catch {
    return false;
  }
}
