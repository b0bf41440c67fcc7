import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleProgram } from './bundle.ts';
import { clientDeclarations } from './client-declarations.ts';
import { collectPages } from './collect-pages.ts';

// Builds dist/package, the contents of the npm package: Node does not run TypeScript under node_modules.
// Dependencies are bundled with the program, as loading them one by one takes two fifths of the time of a start; those
// that the client imports and the one with a native addon are installed (manifest.ts).

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(repository, 'src');
const output = join(repository, 'dist/package');
const client = join(output, 'client');

await rm(output, { recursive: true, force: true });
// One flat folder, so that relative paths are the same as in the source.
await bundleProgram(output, ['better-sqlite3'], []);
await writeFile(join(output, 'LICENSES.txt'), await licenses());
await collectPages(join(output, 'pages'));
await bundle({
  entryPoints: [join(source, 'sdk/client/client.ts')],
  outdir: client,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  packages: 'external',
});
for (const [name, text] of await clientDeclarations()) {
  await writeFile(join(client, `${name}.d.ts`), withJsImports(text));
}

/** The licenses of the bundled packages, which must be distributed with them. */
async function licenses(): Promise<string> {
  const lock = await readFile(join(repository, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as {
    packages: Record<string, { version: string; dev?: boolean; optional?: boolean }>;
  };
  const texts: string[] = [];
  for (const [path, { version, dev, optional }] of Object.entries(packages)) {
    if (dev || optional) continue;
    const files = await readdir(join(repository, path));
    const file = files.find((name) => /^licen[cs]e/i.test(name));
    const text = file === undefined ? '' : await readFile(join(repository, path, file), 'utf8');
    texts.push(`${path.replace(/^.*node_modules\//, '')} ${version}\n\n${text}`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n`);
}

/** Rewrites imports of .ts modules to the .js files they are compiled to. */
function withJsImports(text: string): string {
  return text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
}
