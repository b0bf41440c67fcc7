import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** The SHA-256 of every file in a folder, by name. */
export async function checksumsOf(folder: string): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const name of (await readdir(folder)).toSorted()) sums[name] = await sha256(join(folder, name));
  return sums;
}

/** Writes SHA256SUMS of all other files in a folder, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines = Object.entries(await checksumsOf(folder)).map(([name, sum]) => `${sum}  ${name}\n`);
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''));
}
