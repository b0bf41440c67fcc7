import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/gantry-process.ts';
import type { DriverEntry } from './drivers.ts';

const sdk = join(repository, 'public/sdk/csharp');
const drivers = join(repository, 'test/sdk/drivers/csharp');

/** Why C# can neither be compiled nor run here; null when it can. */
export const monoMissing =
  spawnSync('mcs', ['--version']).status === 0 && spawnSync('mono', ['--version']).status === 0
    ? null
    : 'no Mono here: apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil';

/**
 * Compiles the whole SDK with a test file, with warnings as errors.
 * @throws Error with the compiler's output
 */
export function compile(out: string, source: string, ...options: readonly string[]): Promise<void> {
  return compileFolder(sdk, out, source, ...options);
}

/** The same with all C# files in `folder`. */
export async function compileFolder(
  folder: string,
  out: string,
  source: string,
  ...options: readonly string[]
): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cs'),
  );
  await promisify(execFile)('mcs', [
    '-langversion:7', // the default of mcs
    '-warn:4',
    '-warnaserror',
    `-out:${out}`,
    '-r:System.Net.Http.dll',
    ...options,
    ...files.map((name) => join(folder, name)),
    join(drivers, source),
  ]);
}

/** The compiled driver, which the rules of a file start several times. */
let compiled: Promise<Buffer> | undefined;

export const csharpDriver: DriverEntry = {
  name: 'C# on Mono',
  missing: monoMissing,
  async prepare(folder) {
    const program = join(folder, 'driver.exe');
    compiled ??= compile(program, 'Driver.cs').then(() => readFile(program));
    await writeFile(program, await compiled);
    return { command: 'mono', args: [program] };
  },
};
