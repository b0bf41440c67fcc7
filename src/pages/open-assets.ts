import { fileURLToPath } from 'node:url';
import { isExecutable } from '../runtime/embedded-assets.ts';
import type { Assets } from './assets.ts';
import { BuiltAssets } from './built-assets.ts';
import { BundledAssets } from './bundled-assets.ts';
import { DirectoryAssets } from './directory-assets.ts';

/**
 * The assets of this program: embedded in the executable, next to the compiled package, or, run from source, in the
 * repository.
 */
export function openAssets(): Assets {
  if (isExecutable) return BuiltAssets.embedded();
  const isCompiled = import.meta.url.endsWith('.js');
  return isCompiled
    ? BuiltAssets.in(fileURLToPath(new URL('./pages/', import.meta.url)))
    : new BundledAssets(new DirectoryAssets());
}
