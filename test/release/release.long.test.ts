import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { type ReleaseFiles, releaseFiles } from './release-files.ts';
import { serve, uses } from './use-files.ts';

const run = promisify(execFile);
let release: ReleaseFiles;
let place: TemporaryDirectory;
let server: Awaited<ReturnType<typeof serve>>;
let gameSecret: string;

beforeAll(async () => {
  [release, place] = await Promise.all([releaseFiles(), temporaryDirectory()]);
  server = await serve(release.executable, place.path, '');
  ({ gameSecret } = await server.gantry('game', 'create', '--name', 'Release', '--slug', 'release'));
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

const readJson = async (name: string) =>
  JSON.parse(await readFile(join(release.folder, `gantry-${release.version}.${name}.json`), 'utf8'));

test('the copy that is built has the packages, and no caches of tools that run beside it', async () => {
  const names = await readdir(join(release.source, 'node_modules'));
  expect(names).toEqual(expect.arrayContaining(['esbuild', 'zod']));
  expect(names.filter((name) => name.startsWith('.'))).toEqual(['.bin', '.package-lock.json']);
});

test('SHA256SUMS, the notes and the provenance name every file', async () => {
  const names = (await readdir(release.folder)).toSorted();
  const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release.folder });
  expect(stdout.match(/.+(?=: OK)/g)).toEqual(names.filter((name) => name !== 'SHA256SUMS'));
  const built = names.filter((name) => !/SUMS|NOTES|provenance/.test(name));
  const { subject, predicate } = await readJson('provenance');
  expect(subject.map(({ name }: { name: string }) => name)).toEqual(built);
  const inputs = predicate.buildDefinition.resolvedDependencies.map(({ name }: { name: string }) => name);
  expect(inputs.slice(0, 3)).toEqual([
    'the commit before the release',
    'the tree of the release',
    'package-lock.json',
  ]);
  expect(inputs.slice(3)).toEqual([`node ${process.versions.node} ${process.platform}-${process.arch}`]);
  const notes = await readFile(join(release.folder, 'RELEASE_NOTES.md'), 'utf8');
  for (const name of built) expect(notes).toContain(`| \`${name}\` |`);
});

test('the SBOM has what the program and its pages consist of, and no development tools', async () => {
  const { bomFormat, metadata, components, dependencies } = await readJson('cdx');
  expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual([
    'CycloneDX',
    'gantry',
    release.version,
  ]);
  const names: string[] = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['express', 'zod', 'preact', 'uplot', 'better-sqlite3', 'node', 'sqlite']),
  );
  expect(components.at(-1)).toMatchObject({
    name: 'sqlite',
    version: expect.stringMatching(/^3\.\d+\.\d+$/),
  });
  expect(names.filter((name) => /^(vitest|typescript|esbuild|playwright-core|solc)$/.test(name))).toEqual([]);
  expect(names.filter((name) => name === 'engine.io-client')).toHaveLength(1); // tests have an earlier one too
  const refs = new Set(['gantry', ...components].map((one) => one['bom-ref'] ?? `gantry@${release.version}`));
  for (const { ref, dependsOn } of dependencies) expect(refs, ref).toEqual(refs.union(new Set(dependsOn)));
});

test('the executable serves the version of the release', () => {
  expect(server.version).toBe(release.version);
});

test.for(uses)(
  'the file $name, installed in an empty folder, works',
  async ({ name, missing, use }, { skip }) => {
    skip(missing !== null, missing ?? '');
    const file = (await readdir(release.folder)).find((one) => name.test(one)) ?? '';
    const folder = join(place.path, file);
    await mkdir(folder);
    const seen = await use({ file: join(release.folder, file), folder, url: server.url, gameSecret });
    expect(seen).toBe(String(name).includes('d.') ? release.version : '12');
  },
);
