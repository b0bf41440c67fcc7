import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Assets } from './assets.ts';
import { documentFiles, vendoredFiles } from './vendored-files.ts';

export const publicDirectory = fileURLToPath(new URL('../../public', import.meta.url));
export const sourceDirectory = fileURLToPath(new URL('..', import.meta.url));

/**
 * Segments that begin with a letter, a digit or an underscore: no parent directories, no hidden files. A folder may end
 * in `~`, as the samples of a Unity package do.
 */
const safeName = /^([\w][\w.-]*~?\/)*[\w][\w.-]*$/;

interface CachedFile {
  modifiedMs: number;
  size: number;
  bytes: Uint8Array;
}

/** The names of files are read again at most this often, in milliseconds: it takes a walk through all folders. */
const namesIntervalMs = 1_000;

/** The assets of this repository and its installed packages; edits take effect at the next request. */
export class DirectoryAssets implements Assets {
  /** Only existing files, so that it is bounded. */
  readonly #cache = new Map<string, CachedFile>();
  readonly #reading = new Map<string, Promise<Uint8Array | null>>();
  #names: { found: readonly string[]; at: number } | undefined;

  names(): readonly string[] {
    const at = performance.now();
    if (!this.#names || at - this.#names.at >= namesIntervalMs) this.#names = { found: findNames(), at };
    return this.#names.found;
  }

  /** Concurrent callers share one look at the file. */
  read(name: string): Promise<Uint8Array | null> {
    const reading = this.#reading.get(name) ?? this.#read(name).finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  async #read(name: string): Promise<Uint8Array | null> {
    const file = sourceOf(name);
    if (file === null) return null;
    const now = await stat(file).catch(() => null);
    if (!now?.isFile()) {
      this.#cache.delete(name);
      return null;
    }
    const cached = this.#cache.get(name);
    if (cached && cached.modifiedMs === now.mtimeMs && cached.size === now.size) return cached.bytes;
    const bytes = await readFile(file);
    this.#cache.set(name, { modifiedMs: now.mtimeMs, size: now.size, bytes });
    return bytes;
  }
}

function findNames(): readonly string[] {
  const entries = readdirSync(publicDirectory, { recursive: true, withFileTypes: true });
  // `__pycache__` is created by running the Python SDK.
  const ours = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((file) => relative(publicDirectory, join(file.parentPath, file.name)).split(sep).join('/'));
  return [...ours, ...vendoredFiles.map(({ path }) => `vendor/${path}`), ...Object.keys(documentFiles)];
}

/** The source file of an asset; null for an invalid name. */
export function sourceOf(name: string, directory = publicDirectory): string | null {
  if (!safeName.test(name)) return null;
  if (name.startsWith('vendor/')) return packageFile(name.slice('vendor/'.length));
  const document = Object.hasOwn(documentFiles, name) ? documentFiles[name] : undefined;
  return document === undefined ? join(directory, name) : join(sourceDirectory, document);
}

/** By path below `/vendor/`; finding an installed package takes several looks at the disk. */
const packageFiles = new Map<string, string>();

function packageFile(path: string): string | null {
  const known = packageFiles.get(path);
  if (known !== undefined) return known;
  const vendored = vendoredFiles.find((one) => one.path === path);
  if (!vendored) return null;
  const manifest = findPackageJSON(vendored.package, import.meta.url);
  if (manifest === undefined) return null;
  const file = join(dirname(manifest), vendored.file);
  packageFiles.set(path, file);
  return file;
}
