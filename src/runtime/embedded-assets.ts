import * as sea from 'node:sea';

/**
 * What the single executable that `src/build/binary.ts` makes carries inside itself. Run in any other way, a
 * program carries nothing, and its files lie where they were put.
 */
export const isExecutable: boolean = sea.isSea();

/** names of embedded assets under a folder, less the folder: `embeddedAssetsIn('pages/')`. */
export function embeddedAssetsIn(folder: string): string[] {
  const keys = isExecutable ? sea.getAssetKeys() : [];
  return keys.filter((key) => key.startsWith(folder)).map((key) => key.slice(folder.length));
}

/**
 * The bytes of one file, where they lie in the executable: not to be written to.
 * @throws Error when there is none of this name
 */
export function embeddedAsset(name: string): Uint8Array {
  return new Uint8Array(sea.getRawAsset(name));
}
