import { fileURLToPath } from 'node:url';
import { isExecutable } from '../carried.ts';
import type { Assets } from './assets.ts';
import { BuiltAssets } from './built-assets.ts';
import { DirectoryAssets } from './directory-assets.ts';

/** The assets of this program: carried by the executable, beside the compiled package, or, run as written, in the repository. */
export function openAssets(): Assets {
  if (isExecutable) return BuiltAssets.carried();
  const isCompiled = import.meta.url.endsWith('.js');
  return isCompiled
    ? BuiltAssets.in(fileURLToPath(new URL('./pages/', import.meta.url)))
    : new DirectoryAssets();
}
