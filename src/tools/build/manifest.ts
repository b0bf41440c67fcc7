import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';

// The tests' EVM node has to be an optional dependency, because it is not available for every platform, but then users
// who install Gantry's package would get it too. So npm packs a package.json without it, and without the dependencies
// that are bundled: `shorten` runs before packing, `restore` after. Nor with `private`, which keeps the repository itself
// from being published.

/** With a native addon, and what the client imports. */
const installed = ['better-sqlite3', 'socket.io-client'];

const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url));
const original = fileURLToPath(new URL('../../../dist/package.json', import.meta.url));
const shortened = fileURLToPath(new URL('../../../dist/package.short.json', import.meta.url));

const [action] = new Command('manifest')
  .addArgument(new Argument('<action>').choices(['shorten', 'restore']))
  .parse().args;

if (existsSync(original)) await rename(original, manifest); // also after an interrupted packing
if (action === 'shorten') {
  const text = await readFile(manifest, 'utf8');
  const {
    optionalDependencies: _optional,
    private: _private,
    dependencies,
    ...rest
  } = JSON.parse(text) as {
    optionalDependencies: object;
    private: boolean;
    dependencies: Record<string, string>;
  };
  const kept = Object.fromEntries(installed.map((name) => [name, dependencies[name]]));
  await writeFile(original, text);
  // Replaced atomically, because every Node process that starts here meanwhile reads it.
  await writeFile(shortened, `${JSON.stringify({ ...rest, dependencies: kept }, null, 2)}\n`);
  await rename(shortened, manifest);
}
