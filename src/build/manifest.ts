import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';

// The tests' EVM node has to be an optional dependency, because it is not available for every platform, and users
// who install Gantry's package would get it too. So npm packs a package.json without it: `shorten` before,
// `restore` after.

const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
const kept = fileURLToPath(new URL('../../dist/package.json', import.meta.url));
const short = fileURLToPath(new URL('../../dist/package.short.json', import.meta.url));

const [what] = new Command('manifest')
  .addArgument(new Argument('<what>').choices(['shorten', 'restore']))
  .parse().args;

if (existsSync(kept)) await rename(kept, manifest); // also when packing was interrupted
if (what === 'shorten') {
  const whole = await readFile(manifest, 'utf8');
  const { optionalDependencies: _, ...rest } = JSON.parse(whole) as Record<string, unknown>;
  await writeFile(kept, whole);
  // Never half written: every Node that starts here meanwhile reads it.
  await writeFile(short, `${JSON.stringify(rest, null, 2)}\n`);
  await rename(short, manifest);
}
