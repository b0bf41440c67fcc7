import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './error-code.ts';
import { fsyncDirectory } from './fsync-directory.ts';
import { giveToOwner } from './give-to-owner.ts';

/** A key file cannot be used; the message says why, and what to do. */
export class KeyFileError extends Error {}

/**
 * The content of a key file in the data directory, created on first use, readable by its owner only (0600). Creation is
 * atomic: when two processes start at the same time, one file wins and both read it.
 */
export function readOrCreateKeyFile(file: string, make: () => string): string {
  const existing = read(file);
  if (existing !== null) return existing;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, make(), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file); // unlike a rename, fails if another process was first
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  fsyncDirectory(dirname(file));
  return read(file) ?? '';
}

/** Replaces the content of a key file atomically. */
export function replaceKeyFile(file: string, content: string): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: true });
    giveToOwner(dirname(file), draft);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  fsyncDirectory(dirname(file));
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trimEnd(); // editors and `echo` end a file with a line break
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
