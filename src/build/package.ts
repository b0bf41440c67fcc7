import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadFiles } from '../runtime/start-thread.ts';
import { bundle } from './bundle.ts';
import { clientTypes } from './client-types.ts';
import { collectPages } from './collect-pages.ts';

// Builds dist/package, the contents of the npm package: Node runs no TypeScript under node_modules. The
// libraries are not bundled; they are dependencies.

const repository = fileURLToPath(new URL('../..', import.meta.url));
const source = join(repository, 'src');
const output = join(repository, 'dist/package');
const client = join(output, 'client');

await rm(output, { recursive: true, force: true });
// All in one folder, so that relative paths are the same as in the source.
await bundle({
  entryPoints: [
    join(source, 'gantry.js'),
    ...Object.values(threadFiles).map((file) => join(source, 'runtime', file)),
  ],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: output,
  format: 'esm',
  splitting: true,
  packages: 'external',
});
await collectPages(join(output, 'pages'));
await bundle({
  entryPoints: [join(source, 'client/client.ts')],
  outdir: client,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  packages: 'external',
});
await declareClient();

/** The client's declarations, with the inputs and outputs of operations written out. */
async function declareClient(): Promise<void> {
  const declared = join(repository, 'dist/declarations');
  const settings = join(repository, 'dist/declarations.json');
  await rm(declared, { recursive: true, force: true });
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: source,
    outDir: declared,
  };
  const files = [join(source, 'client/client.ts')];
  await writeFile(
    settings,
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: [], files }),
  );
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', settings], { stdio: 'inherit' });
  for (const file of await readdir(join(declared, 'client'))) {
    const written =
      file === 'operation-types.d.ts'
        ? await clientTypes()
        : await readFile(join(declared, 'client', file), 'utf8');
    await writeFile(join(client, file), written.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}
