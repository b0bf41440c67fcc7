import { setImmediate } from 'node:timers/promises';
import { Zip, ZipDeflate } from 'fflate';
import type { Assets } from './assets.ts';

/** When the files are said to be from, so that of the same files the same archive is made. */
const modified = new Date(2000, 0, 1);
const archive = /^sdk\/[a-z]+\.zip$/;

interface NamedFile {
  path: string;
  bytes: Uint8Array;
}

/** The assets, and beside each folder of `sdk/` all that is in it as one archive, `sdk/csharp.zip`, made when it is asked for. */
export class SdkArchives implements Assets {
  readonly #assets: Assets;
  readonly #made = new Map<string, { of: readonly NamedFile[]; bytes: Promise<Uint8Array> }>();

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  names(): readonly string[] {
    const names = this.#assets.names();
    const folders = new Set(names.flatMap((name) => /^sdk\/[a-z]+(?=\/)/.exec(name) ?? []));
    return [...names, ...[...folders].map((folder) => `${folder}.zip`)];
  }

  async read(name: string): Promise<Uint8Array | null> {
    if (!archive.test(name)) return this.#assets.read(name);
    const files = await this.#filesIn(name.replace(/\.zip$/, '/'));
    if (files.length === 0) return null;
    const made = this.#made.get(name);
    const isSame =
      made?.of.length === files.length && files.every(({ bytes }, at) => bytes === made.of[at]?.bytes);
    if (made && isSame) return made.bytes;
    const bytes = zipped(files);
    this.#made.set(name, { of: files, bytes });
    return bytes;
  }

  /** With their paths in the folder, which ends in `/`. */
  async #filesIn(folder: string): Promise<NamedFile[]> {
    const names = this.#assets.names().filter((name) => name.startsWith(folder));
    const files = await Promise.all(
      names.map(async (name) => ({ path: name.slice(folder.length), bytes: await this.#assets.read(name) })),
    );
    return files.flatMap(({ path, bytes }) => (bytes ? [{ path, bytes }] : []));
  }
}

/** A file at a time, with everybody else's work in between. */
async function zipped(files: readonly NamedFile[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  for (const { path, bytes } of files) {
    const file = new ZipDeflate(path, { level: 6 });
    file.mtime = modified;
    zip.add(file);
    file.push(bytes, true);
    await setImmediate();
  }
  zip.end();
  return Buffer.concat(parts);
}
