import { setImmediate } from 'node:timers/promises';
import { Zip, ZipDeflate } from 'fflate';
import type { Assets } from './assets.ts';

/** A fixed modification time, so that the same files always produce the same archive. */
const modified = new Date(2000, 0, 1);
const archive = /^sdk\/[a-z]+\.zip$/;

interface NamedFile {
  path: string;
  bytes: Uint8Array;
}

/** Adds an archive of each folder of `sdk/` to the assets, such as `sdk/csharp.zip`, created on demand. */
export class SdkArchives implements Assets {
  readonly #assets: Assets;
  readonly #archives = new Map<string, { files: readonly NamedFile[]; bytes: Promise<Uint8Array> }>();

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
    const known = this.#archives.get(name);
    const isSame =
      known?.files.length === files.length &&
      files.every(({ bytes }, at) => bytes === known.files[at]?.bytes);
    if (known && isSame) return known.bytes;
    const bytes = zipped(files);
    this.#archives.set(name, { files, bytes });
    return bytes;
  }

  /** The files of a folder (ending in `/`), with their paths relative to it. */
  async #filesIn(folder: string): Promise<NamedFile[]> {
    const names = this.#assets.names().filter((name) => name.startsWith(folder));
    const files = await Promise.all(
      names.map(async (name) => ({ path: name.slice(folder.length), bytes: await this.#assets.read(name) })),
    );
    return files.flatMap(({ path, bytes }) => (bytes ? [{ path, bytes }] : []));
  }
}

/** Compresses one file at a time and yields to the event loop in between. */
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
