import { createHash } from 'node:crypto';

/** The placeholder of the import map in a page, before its first module. */
export const importMapPlaceholder = '<script type="importmap"></script>';

/** A module of a library as it is served. */
export interface MappedModule {
  /** Its address, `/vendor/preact/preact.mjs`. */
  address: string;
  /** Changes when its contents do. */
  version: string;
  /** Its import specifier; omitted for a module that only its neighbours import, by its address. */
  specifier?: string;
}

/**
 * The import map of every page, as JSON: it maps each specifier, and each unversioned address (so that
 * neighbours share one instance), to the versioned address, which may be cached forever.
 */
export function importMapOf(modules: readonly MappedModule[]): string {
  const imports: Record<string, string> = {};
  for (const { address, version, specifier } of modules) {
    const versioned = `${address}?v=${version}`;
    imports[address] = versioned;
    if (specifier !== undefined) imports[specifier] = versioned;
  }
  // A less-than sign could end the script element.
  return JSON.stringify({ imports }).replaceAll('<', '\\u003c');
}

/** How a Content-Security-Policy names an inline script it lets run: CSP Level 3, "hash-source". */
export function cspHash(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}
