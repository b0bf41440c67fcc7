import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { findPackageJSON, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Assets } from './assets.ts';
import { clientFiles, documentFiles, vendoredFiles } from './vendored-files.ts';

const publicDirectory = fileURLToPath(new URL('../../public', import.meta.url));
const sourceDirectory = fileURLToPath(new URL('..', import.meta.url));
const clientDirectory = join(sourceDirectory, 'client');

/** Segments that begin with a letter, a digit or an underscore: no way up, nothing hidden. */
const safeName = /^[\w][\w.-]*(\/[\w][\w.-]*)*$/;

interface Kept {
  modifiedMs: number;
  size: number;
  bytes: Uint8Array;
}

/** The assets as they lie in this repository and its installed packages; what is edited shows at the next request. */
export class DirectoryAssets implements Assets {
  readonly #kept = new Map<string, Kept>();

  async read(name: string): Promise<Uint8Array | null> {
    const source = sourceOf(name);
    if (source === null) return null;
    const now = await stat(source.file).catch(() => null);
    if (!now?.isFile()) return null;
    const kept = this.#kept.get(name);
    if (kept && kept.modifiedMs === now.mtimeMs && kept.size === now.size) return kept.bytes;
    const text = await readFile(source.file);
    const bytes = source.typescript ? Buffer.from(withoutTypes(text.toString())) : text;
    this.#kept.set(name, { modifiedMs: now.mtimeMs, size: now.size, bytes });
    return bytes;
  }
}

/** The name of every asset there is, for a build that puts them together. */
export function assetNames(): string[] {
  const lying = readdirSync(publicDirectory, { recursive: true, withFileTypes: true });
  const ours = lying
    .filter((entry) => entry.isFile())
    .map((file) => relative(publicDirectory, join(file.parentPath, file.name)).split(sep).join('/'));
  return [
    ...ours,
    ...vendoredFiles.map(({ path }) => `vendor/${path}`),
    ...clientFiles.map((path) => `client/${path}`),
    ...Object.keys(documentFiles),
  ];
}

/** Where an asset lies; null for a name that no asset can have. */
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

function packageFile(path: string): string | null {
  const vendored = vendoredFiles.find((one) => one.path === path);
  if (!vendored) return null;
  const from = vendored.broughtBy ? findPackageJSON(vendored.broughtBy, import.meta.url) : import.meta.url;
  const manifest = from === undefined ? undefined : findPackageJSON(vendored.package, from);
  return manifest === undefined ? null : join(dirname(manifest), vendored.file);
}

/**
 * As Node runs it: types become blanks, so that lines and columns stay. Node calls the function experimental
 * with every process's first use, which is nothing an operator could act on.
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
