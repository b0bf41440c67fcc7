import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { findPackageJSON, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Assets } from './assets.ts';
import { clientFiles, documentFiles, vendoredFiles } from './vendored-files.ts';

const publicDirectory = fileURLToPath(new URL('../../public', import.meta.url));
const sourceDirectory = fileURLToPath(new URL('..', import.meta.url));
const clientDirectory = join(sourceDirectory, 'sdk/client');

/** Segments that begin with a letter, a digit or an underscore: no parent directories, no hidden files. */
const safeName = /^[\w][\w.-]*(\/[\w][\w.-]*)*$/;

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
    const source = sourceOf(name);
    if (source === null) return null;
    const now = await stat(source.file).catch(() => null);
    if (!now?.isFile()) {
      this.#cache.delete(name);
      return null;
    }
    const cached = this.#cache.get(name);
    if (cached && cached.modifiedMs === now.mtimeMs && cached.size === now.size) return cached.bytes;
    const text = await readFile(source.file);
    const bytes = source.typescript ? Buffer.from(withoutTypes(text.toString())) : text;
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
  return [
    ...ours,
    ...vendoredFiles.map(({ path }) => `vendor/${path}`),
    ...clientFiles.map((path) => `client/${path}`),
    ...Object.keys(documentFiles),
  ];
}

/** The source file of an asset; null for an invalid name. */
function sourceOf(name: string): { file: string; typescript: boolean } | null {
  if (!safeName.test(name)) return null;
  const [folder, path] = [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)];
  if (folder === 'vendor') {
    const file = packageFile(path);
    return file === null ? null : { file, typescript: false };
  }
  if (folder === 'client') {
    return clientFiles.includes(path) ? { file: join(clientDirectory, path), typescript: true } : null;
  }
  const document = Object.hasOwn(documentFiles, name) ? documentFiles[name] : undefined;
  const file = document === undefined ? join(publicDirectory, name) : join(sourceDirectory, document);
  return { file, typescript: false };
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

/**
 * As Node runs it: types become blanks, so that lines and columns are unchanged. Node warns that the function is
 * experimental at its first use, which is not actionable for an operator.
 */
function withoutTypes(code: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}
