import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DirectoryAssets } from '../pages/directory-assets.ts';

/** Writes every served file into a folder, as it is served. Returns their names. */
export async function collectPages(folder: string): Promise<readonly string[]> {
  const assets = new DirectoryAssets();
  const names = assets.names();
  for (const name of names) {
    const bytes = await assets.read(name);
    if (bytes === null) throw new Error(`/${name} is missing`);
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return names;
}
