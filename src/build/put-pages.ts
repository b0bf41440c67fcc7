import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assetNames, DirectoryAssets } from '../pages/directory-assets.ts';

/** Puts every file that browsers may have into a folder, as they are to get it. Returns their names. */
export async function putPages(folder: string): Promise<string[]> {
  const assets = new DirectoryAssets();
  const names = assetNames();
  for (const name of names) {
    const bytes = await assets.read(name);
    if (bytes === null) throw new Error(`/${name} is not installed`);
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return names;
}
