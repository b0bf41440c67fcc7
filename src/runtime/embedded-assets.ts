import * as sea from 'node:sea';

/**
 * Whether this is the single executable built by `src/tools/build/binary.ts`, which contains embedded assets. Otherwise
 * there are none, and files are read from the file system.
 */
export const isExecutable: boolean = sea.isSea();

/** Names of the embedded assets in a folder, relative to it: `embeddedAssetsIn('pages/')`. */
export function embeddedAssetsIn(folder: string): string[] {
  const keys = isExecutable ? sea.getAssetKeys() : [];
  return keys.filter((key) => key.startsWith(folder)).map((key) => key.slice(folder.length));
}

/**
 * The bytes of an embedded asset, in the executable's own memory: they must not be written to.
 * @throws Error when there is no asset of this name
 */
export function embeddedAsset(name: string): Uint8Array {
  return new Uint8Array(sea.getRawAsset(name));
}
