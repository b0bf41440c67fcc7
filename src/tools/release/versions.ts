import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReleaseRefused } from './refused.ts';

/** Every file that carries the version, and where; package.json is the one that programs read. */
export const versionedFiles: Readonly<Record<string, RegExp>> = {
  'package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'package-lock.json': /(?<="name": "gantry",\n +"version": ")[^"]+/g,
  'public/docs/first-unity-game.md': /(?<=\/public\/sdk\/csharp#v)\d+\.\d+\.\d+/g,
  'public/sdk/csharp/README.md': /(?<=\/public\/sdk\/csharp#v)\d+\.\d+\.\d+/g,
  'public/sdk/csharp/package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  'public/sdk/gdscript/addons/gantry/plugin.cfg': /(?<=^version=")[^"]+/gm,
  'public/sdk/python/gantry/names.py': /(?<=^VERSION = ")[^"]+/gm,
  'public/sdk/typescript/package.json': /(?<=^ {2}"version": ")[^"]+/gm,
  // Of a server, in the example of its summary.
  'src/transports/openapi/examples.json': /(?<="version": ")[^"]+(?=",\n +"runtime")/g,
};

/** The version in package.json. */
export async function currentVersion(repository: string): Promise<string> {
  return (JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string })
    .version;
}

/**
 * Writes the version into all files that carry it.
 * @throws Error when one of them carries none
 */
export async function setVersion(repository: string, version: string): Promise<void> {
  for (const [path, place] of Object.entries(versionedFiles)) {
    const file = join(repository, path);
    const text = await readFile(file, 'utf8');
    if (text.search(place) < 0) throw new Error(`${path} carries no version: see ${import.meta.filename}`);
    await writeFile(file, text.replaceAll(place, version));
  }
}

/**
 * Compares two versions of three numbers: negative when `one` is the earlier one.
 * @throws ReleaseRefused for anything else
 */
export function compareVersions(one: string, other: string): number {
  const numbers = numbersOf(other);
  return numbersOf(one).reduce((order, number, at) => order || number - (numbers[at] ?? 0), 0);
}

function numbersOf(version: string): readonly number[] {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) {
    throw new ReleaseRefused(`${version} is not a version of three numbers, such as 1.2.0`);
  }
  return version.split('.').map(Number);
}
