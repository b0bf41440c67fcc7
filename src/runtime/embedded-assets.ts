import * as sea from 'node:sea';

/**
 * Whether this is the single executable built by `src/tools/build/binary.ts`, which contains embedded assets. Otherwise
 * there are none, and files are read from the file system.
 */
export const isExecutable: boolean = sea.isSea();

/** Where each asset is in the pack: its offset and length in bytes. */
export type AssetIndex = Record<string, [offset: number, length: number]>;

/**
 * The two assets embedded in the executable: one file that contains all files of Gantry, and the index of it. Node reads
 * the beginning of each asset at start, and Linux then maps 64 KB of it: hundreds of assets would take megabytes of memory.
 */
export const [packAsset, indexAsset] = ['pack', 'index.json'];

const index: AssetIndex = isExecutable ? JSON.parse(sea.getAsset(indexAsset, 'utf8')) : {};

/** Weak, because V8 counts the whole pack as this thread's memory while it is referenced. */
let packReference: WeakRef<ArrayBuffer> | undefined;

/** Names of the embedded assets in a folder, relative to it: `embeddedAssetsIn('pages/')`. */
export function embeddedAssetsIn(folder: string): string[] {
  return Object.keys(index)
    .filter((name) => name.startsWith(folder))
    .map((name) => name.slice(folder.length));
}

/**
 * The bytes of an embedded asset, in the executable's own memory: they must not be written to.
 * @throws Error when there is no asset of this name
 */
export function embeddedAsset(name: string): Uint8Array {
  const place = index[name];
  if (!place) throw new Error(`there is no embedded asset ${name}`);
  let pack = packReference?.deref();
  if (!pack) {
    pack = sea.getRawAsset(packAsset) as ArrayBuffer;
    packReference = new WeakRef(pack);
  }
  return new Uint8Array(pack, ...place);
}
