import { setImmediate } from 'node:timers/promises';
import { Zip, ZipDeflate } from 'fflate';
import type { Assets } from './assets.ts';
import { Revalidated } from './revalidated.ts';

/** A fixed modification time, so that the same files always produce the same archive. */
const modified = new Date(2000, 0, 1);
const archive = /^sdk\/[a-z]+\.zip$/;

interface NamedFile {
  path: string;
  bytes: Uint8Array;
}

interface Archive {
  files: readonly NamedFile[];
  bytes: Uint8Array;
}

/** Adds an archive of each folder of `sdk/` to the assets, such as `sdk/csharp.zip`, created on demand. */
export class SdkArchives implements Assets {
  readonly #assets: Assets;
  /** Only of existing folders, so that it is bounded. */
  readonly #archives = new Map<string, Revalidated<Archive>>();

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
    const folder = name.replace(/\.zip$/, '/');
    if (!this.#assets.names().some((one) => one.startsWith(folder))) return null;
    const archived = this.#archives.get(name) ?? new Revalidated((last) => this.#refresh(folder, last));
    this.#archives.set(name, archived);
    return (await archived.current()).bytes;
  }

  async #refresh(folder: string, last: Archive | undefined): Promise<Archive> {
    const files = await this.#filesIn(folder);
    const isSame =
      last?.files.length === files.length && files.every(({ bytes }, at) => bytes === last.files[at]?.bytes);
    return last && isSame ? last : { files, bytes: await zipped(files) };
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
