import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { clientDeclarations } from './client-declarations.ts';

// `npm run build:client`: builds and packs gantry-client, the client as a separate package: dist/gantry-client-*.tgz.

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(repository, 'src/sdk/client');
const dist = join(repository, 'dist');
const output = join(dist, 'gantry-client');

const { version, license, dependencies } = JSON.parse(
  await readFile(join(repository, 'package.json'), 'utf8'),
) as { version: string; license: string; dependencies: Record<string, string> };

await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });
// One file per module, so that bundlers can drop what a game does not use.
const modules = (await readdir(source)).filter((name) => name !== 'operation-types.ts');
await bundle({
  entryPoints: modules.map((name) => join(source, name)),
  outdir: output,
  bundle: false,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
});
for (const name of modules) {
  const file = join(output, name.replace(/\.ts$/, '.js'));
  await writeFile(file, withJsImports(await readFile(file, 'utf8')));
}
for (const [name, text] of await clientDeclarations()) {
  await writeFile(join(output, `${name}.d.ts`), withJsImports(text));
}
await copyFile(join(repository, 'LICENSE'), join(output, 'LICENSE'));
await writeFile(
  join(output, 'README.md'),
  `# gantry-client

The TypeScript client of Gantry, a self-hosted backend for games that run inside a launcher: for browsers and Node 20+.

\`\`\`js
import { connect } from "gantry-client";

const client = await connect({ url: "http://127.0.0.1:3000", game: "YOUR_GAME" });
await client.api.setUserScore({ score: 1200 });
\`\`\`

Every Gantry server has its documentation at \`/docs/sdks\`.
`,
);
const manifest = {
  name: 'gantry-client',
  version,
  description: 'The TypeScript client of Gantry, a self-hosted backend for games',
  license,
  keywords: ['gantry', 'game', 'leaderboard', 'backend', 'client', 'socket.io'],
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20' },
  exports: { '.': { types: './client.d.ts', default: './client.js' }, './package.json': './package.json' },
  dependencies: { 'socket.io-client': dependencies['socket.io-client'] },
};
await writeFile(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
execFileSync('npm', ['pack', '--pack-destination', dist], {
  cwd: output,
  stdio: ['ignore', 'inherit', 'inherit'],
});

/** Rewrites imports of .ts modules to the .js files they are compiled to. */
function withJsImports(text: string): string {
  return text.replaceAll(/((?:from|import) ["']\.\/[\w-]+)\.ts(["'])/g, '$1.js$2');
}
