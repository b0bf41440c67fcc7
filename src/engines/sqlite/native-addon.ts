import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { embeddedAsset } from '../../runtime/embedded-assets.ts';
import { codeOf } from '../../runtime/error-code.ts';

/**
 * SQLite as the system loads it: from a file. The executable carries that file, and this stands in it for
 * better-sqlite3's `binding.js` (see `src/build/bundle.ts`), whose own is in its installed package.
 * @throws DatabaseUnusableError
 */
export function getBinding(): object {
  addon ??= load(unpack(embeddedAsset('better-sqlite3.node'), tmpdir()));
  return addon;
}

let addon: object | undefined;

/**
 * Puts a library into a directory of this user's alone, once, and says where it lies. A file that is there
 * already is used only when it is the same, byte for byte; another process may do this at the same time.
 * @throws DatabaseUnusableError
 */
export function unpack(library: Uint8Array, parent: string): string {
  const directory = join(parent, `gantry-${userInfo().uid}`);
  const hash = createHash('sha256').update(library).digest('hex').slice(0, 16);
  const file = join(directory, `better-sqlite3-${hash}.node`);
  try {
    makePrivate(directory);
    if (isSame(file, library)) return file;
    // Under a name of its own first: under the last one it is whole, for whoever finds it there.
    const written = join(directory, `${randomUUID()}.part`);
    try {
      writeFileSync(written, library, { flag: 'wx', mode: 0o500 });
      renameSync(written, file);
    } catch (error) {
      rmSync(written, { force: true });
      // Windows replaces no library that is in use; the one in use is then the other process's, and whole.
      if (!isSame(file, library)) throw error;
    }
    return file;
  } catch (error) {
    throw unusable(`cannot be put into ${directory}`, error);
  }
}

/** Whoever else could write there could have us run anything. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const { uid } = userInfo();
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw new Error('it is not a directory');
  if (uid === -1) return; // Windows, where the directory for temporary files is the user's own
  if (found.uid !== uid) throw new Error('it belongs to another user');
  if ((found.mode & 0o077) !== 0) throw new Error('others may use it too: chmod 700, or remove it');
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
    `SQLite, which this program carries inside itself, ${what} (${why}). Set TMPDIR to a directory that this ` +
      'user can write and that is not mounted noexec.',
    { cause },
  );
}
