import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DirectoryAssets } from '../../pages/directory-assets.ts';
import { type BundledPage, bundledPages, bundlePage } from '../../pages/page-bundle.ts';

/** Writes every static file into a folder as the server delivers it, with the pages bundled. Returns the file names. */
export async function collectPages(folder: string): Promise<readonly string[]> {
  const assets = new DirectoryAssets();
  const files = new Map<string, Uint8Array>();
  for (const name of assets.names()) {
    const bytes = await assets.read(name);
    if (bytes === null) throw new Error(`/${name} is missing`);
    files.set(name, bytes);
  }
  for (const page of Object.keys(bundledPages) as BundledPage[]) {
    for (const [name, bytes] of (await bundlePage(page)).files) files.set(name, bytes);
  }
  for (const [name, bytes] of files) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return [...files.keys()];
}
