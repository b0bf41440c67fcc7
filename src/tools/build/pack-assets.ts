import { readFileSync, writeFileSync } from 'node:fs';
import type { AssetIndex } from '../../runtime/embedded-assets.ts';

/** V8 copies a code cache that begins elsewhere. */
const alignment = 8;

/** Writes files one after another to the file `pack`, and where each is to `index`, by its name as an asset. */
export function packAssets(files: Readonly<Record<string, string>>, pack: string, index: string): void {
  const places: AssetIndex = {};
  const contents: Buffer[] = [];
  let size = 0;
  for (const [name, file] of Object.entries(files)) {
    const content = readFileSync(file);
    places[name] = [size, content.length];
    const padding = Buffer.alloc(-content.length & (alignment - 1));
    contents.push(content, padding);
    size += content.length + padding.length;
  }
  writeFileSync(pack, Buffer.concat(contents));
  writeFileSync(index, JSON.stringify(places));
}
