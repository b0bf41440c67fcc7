import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, bundleProgram } from './bundle.ts';
import { clientDeclarations } from './client-declarations.ts';
import { collectPages } from './collect-pages.ts';

// Builds dist/package, the contents of the npm package: Node does not run TypeScript under node_modules.
// Dependencies are not bundled.

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(repository, 'src');
const output = join(repository, 'dist/package');
const client = join(output, 'client');

await rm(output, { recursive: true, force: true });
// One flat folder, so that relative paths are the same as in the source.
await bundleProgram(output, { packages: 'external' });
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

/** Rewrites imports of .ts modules to the .js files they are compiled to. */
function withJsImports(text: string): string {
  return text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
}
