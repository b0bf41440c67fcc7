import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** Run without vitest, which resolves imports itself: compares Node's answers with ours for each import in src. */
const comparison = `
  import { readFileSync } from 'node:fs';
  import { pathToFileURL } from 'node:url';
  const edges = process.argv.slice(1).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export|\\}) .*\\bfrom '([^']+)'|\\bimport\\('([^']+)'\\)/gm)]
      .map(([, specifier, dynamic]) => [pathToFileURL(file).href, specifier ?? dynamic]));
  const resolved = () => edges.map(([parent, specifier]) => import.meta.resolve(specifier, parent));
  const byNode = resolved();
  await import('./src/runtime/source-imports.ts');
  const byUs = resolved();
  const differing = edges.filter((_, index) => byNode[index] !== byUs[index]);
  console.log(JSON.stringify({ edges: edges.length, differing }));`;

test('imports of source files are resolved to the same files as by Node', () => {
  const files = globSync('**/*.ts', { cwd: source, exclude: ['client/**'] }).map(
    (file) => `${source}/${file}`,
  );
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--experimental-import-meta-resolve', '--input-type=module', '--eval', comparison, ...files],
    { encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url)), timeout: 120_000 },
  );
  const { edges, differing } = JSON.parse(stdout || `{ "differing": ${JSON.stringify(stderr)} }`);
  expect(differing).toEqual([]);
  expect(edges).toBeGreaterThan(3_000);
});
