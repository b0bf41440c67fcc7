import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { embeddedAsset } from '../../runtime/embedded-assets.ts';
import { codeOf } from '../../runtime/error-code.ts';

/**
 * Loads SQLite's native addon, which has to be a file, from the single executable that embeds it. The bundle replaces
 * better-sqlite3's `binding.js` with this module (see `src/tools/build/bundle.ts`).
 * @throws DatabaseUnusableError
 */
export function getBinding(): object {
  addon ??= load(unpack(embeddedAsset('better-sqlite3.node'), tmpdir()));
  return addon;
}

let addon: object | undefined;

/**
 * Extracts a library into a private directory of this user, and returns its path. An existing file is used only if it
 * is identical byte for byte. Safe to call from several processes concurrently.
 * @throws DatabaseUnusableError
 */
export function unpack(library: Uint8Array, parent: string): string {
  const directory = join(parent, `gantry-${ownUid()}`);
  const hash = createHash('sha256').update(library).digest('hex').slice(0, 16);
  const file = join(directory, `better-sqlite3-${hash}.node`);
  try {
    makePrivate(directory);
    if (isSame(file, library)) return file;
    // Written under a temporary name first, so that the file is always complete under its final name.
    const draft = join(directory, `${randomUUID()}.part`);
    try {
      writeFileSync(draft, library, { flag: 'wx', mode: 0o500 });
      renameSync(draft, file);
    } catch (error) {
      rmSync(draft, { force: true });
      // Windows cannot replace a library in use; in that case another process has written the complete file.
      if (!isSame(file, library)) throw error;
    }
    return file;
  } catch (error) {
    throw unusable(`cannot be extracted to ${directory}`, error);
  }
}

/** Anyone else who could write to the directory could execute code in this process. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const uid = ownUid();
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw new Error('it is not a directory');
  if (uid === -1) return; // Windows, where the directory for temporary files is the user's own
  if (found.uid !== uid) throw new Error('it belongs to another user');
  if ((found.mode & 0o077) !== 0) throw new Error('others may use it too: chmod 700, or remove it');
}

/** -1 on Windows. A container's user may have no name, for which `userInfo` fails. */
function ownUid(): number {
  return process.getuid?.() ?? -1;
}

function isSame(file: string, library: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(library);
  } catch {
    return false;
  }
}

function load(file: string): object {
  const module = { exports: {} };
  try {
    process.dlopen(module, file);
  } catch (error) {
    throw unusable(`cannot be loaded from ${file}`, error);
  }
  return module.exports;
}

function unusable(what: string, cause: unknown): DatabaseUnusableError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseUnusableError(
    `SQLite, which is embedded in this program, ${what} (${why}). Set TMPDIR to a directory that this ` +
      'user can write and that is not mounted noexec.',
    { cause },
  );
}
