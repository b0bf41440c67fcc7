import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { embeddedAsset, embeddedAssetsIn } from '../runtime/embedded-assets.ts';
import type { Assets } from './assets.ts';

/** Assets collected by a build, which do not change. */
export class BuiltAssets implements Assets {
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #load: (name: string) => Promise<Uint8Array>;
  readonly #loaded = new Map<string, Promise<Uint8Array>>();

  constructor(names: Iterable<string>, load: (name: string) => Promise<Uint8Array>) {
    this.#names = [...names];
    this.#known = new Set(this.#names);
    this.#load = load;
  }

  /** From the executable's embedded assets. */
  static embedded(): BuiltAssets {
    return new BuiltAssets(embeddedAssetsIn('pages/'), async (name) => embeddedAsset(`pages/${name}`));
  }

  /** From a folder, with a file per asset. */
  static in(folder: string): BuiltAssets {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const names = files.map((file) =>
      relative(folder, join(file.parentPath, file.name)).split(sep).join('/'),
    );
    return new BuiltAssets(names, (name) => readFile(join(folder, name)));
  }

  names(): readonly string[] {
    return this.#names;
  }

  async read(name: string): Promise<Uint8Array | null> {
    if (!this.#known.has(name)) return null;
    const bytes = this.#loaded.get(name) ?? this.#load(name);
    this.#loaded.set(name, bytes);
    return bytes;
  }
}
