import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './error-code.ts';

/**
 * Creates a directory and those above it, if missing, and returns the first one that it created. Node's `recursive` never
 * returns where the system refuses a directory with ENOENT, as below /proc.
 */
export function makeDirectory(path: string, mode = 0o777): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const made = dirname(path) === path ? undefined : makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error; // created by another process
  }
  return made ?? path;
}
