import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Assets } from '../pages/assets.ts';
import { makeDirectory } from '../runtime/make-directory.ts';

/**
 * Writes the assets whose names begin with `prefix` into a directory, each under its name with `place` instead of
 * `prefix`; existing files are overwritten. Returns the names. `edit` changes the text of a file, and
 * `isWritten` leaves files out, by their names in the directory.
 */
export async function writeAssets(
  assets: Assets,
  directory: string,
  prefix: string,
  place = '',
  edit?: (text: string) => string,
  isWritten?: (name: string) => boolean,
): Promise<string[]> {
  const written: string[] = [];
  for (const name of assets.names().filter((one) => one.startsWith(prefix))) {
    const bytes = await assets.read(name);
    if (bytes === null) continue;
    // Assets have no hidden files.
    const target = `${place}${name.slice(prefix.length)}`.replace(/(?<=^|\/)gitignore$/, '.gitignore');
    if (isWritten?.(target) === false) continue;
    const file = join(directory, target);
    makeDirectory(dirname(file));
    await writeFile(file, edit ? edit(Buffer.from(bytes).toString()) : bytes);
    written.push(target);
  }
  return written;
}
