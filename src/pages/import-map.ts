import { createHash } from 'node:crypto';

/** Where a page says it wants the import map; it stands before its first module. */
export const importMapPlace = '<script type="importmap"></script>';

/** A module of a library as it is served. */
export interface MappedModule {
  /** Its address, `/vendor/preact/preact.mjs`. */
  address: string;
  /** Changes when its contents do. */
  version: string;
  /** What it is imported by; left out where only its neighbours import it, by its address. */
  specifier?: string;
}

/**
 * The import map of every page, as JSON: it leads each specifier, and each bare address (so that neighbours
 * meet the same instance), to the address with the version in it, which may be cached for good.
 */
export function importMapOf(modules: readonly MappedModule[]): string {
  const imports: Record<string, string> = {};
  for (const { address, version, specifier } of modules) {
    const versioned = `${address}?v=${version}`;
    imports[address] = versioned;
    if (specifier !== undefined) imports[specifier] = versioned;
  }
  // In a script element a less-than sign could end it; none of these needs one.
  return JSON.stringify({ imports }).replaceAll('<', '\\u003c');
}

/** How a Content-Security-Policy names an inline script it lets run: CSP Level 3, "hash-source". */
export function cspHash(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}
