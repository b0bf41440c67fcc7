import { readdir, readFile } from 'node:fs/promises';
import { basename, join, posix, relative, sep } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gantry, repository } from '../support/gantry-process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

// The rules of the manual of Unity 2021.3 (cus-layout, cus-naming, upm-manifestPkg, cus-samples, AssetMetadata) for the
// folder that `gantry sdk csharp` writes. No Unity editor has opened it.

interface Manifest {
  name: string;
  version: string;
  displayName: string;
  description: string;
  unity: string;
  keywords: string[];
  documentationUrl: string;
  changelogUrl: string;
  licensesUrl: string;
  samples: { displayName: string; description: string; path: string }[];
}

let project: TemporaryDirectory;
let server: TestServer;
let place: string;
/** Files and folders, without `.meta` files; and the paths of those. */
let assets: string[];
let metas: string[];
let manifest: Manifest;

beforeAll(async () => {
  [server, project] = await Promise.all([startTestServer(), temporaryDirectory()]);
  place = join(project.path, 'Packages/com.gantry.client');
  expect(await gantry(['sdk', 'csharp', '--out', place])).toMatchObject({ code: 0, stderr: '' });
  const paths = (await readdir(place, { recursive: true, withFileTypes: true })).map((entry) =>
    relative(place, join(entry.parentPath, entry.name)).split(sep).join('/'),
  );
  assets = paths.filter((path) => !path.endsWith('.meta')).toSorted();
  metas = paths.filter((path) => path.endsWith('.meta')).toSorted();
  manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await server?.close();
});

test("the package's manifest has what the Package Manager requires and shows", async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ version, unity: '2021.3', displayName: 'Gantry' });
  expect(manifest.name).toMatch(/^com\.[a-z\d._-]{1,46}$/);
  expect(manifest.name).not.toContain('unity');
  expect(manifest.name).toBe(basename(place)); // as an embedded package's folder is called
  expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(manifest.description).not.toBe('');
  expect(manifest.keywords.length).toBeGreaterThan(0);
  expect(assets).toEqual(
    expect.arrayContaining(['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE.md', 'Runtime']),
  );
  expect(await readFile(join(place, 'LICENSE.md'), 'utf8')).toContain('MIT License');
  expect(await readFile(join(place, 'CHANGELOG.md'), 'utf8')).toContain(`## [${version}]`);
});

test("a server on the developer's machine serves its documentation, changelog and licence", async () => {
  for (const address of [manifest.documentationUrl, manifest.changelogUrl, manifest.licensesUrl]) {
    const url = new URL(address);
    expect(url.origin).toBe('http://127.0.0.1:3000');
    const response = await fetch(`${server.url}${url.pathname}`);
    expect([response.status, address]).toEqual([200, address]);
    if (url.hash !== '') expect(await response.text()).toContain(`id="${url.hash.slice(1)}"`);
  }
});

test('every sample of the manifest is a folder of Samples~, and every folder there is one', () => {
  const folders = assets.filter((path) => posix.dirname(path) === 'Samples~');
  expect(manifest.samples.map(({ path }) => path).toSorted()).toEqual(folders);
  for (const { path, displayName, description } of manifest.samples) {
    expect([displayName, description]).not.toContain('');
    expect(assets.some((one) => one.startsWith(`${path}/`) && one.endsWith('.cs'))).toBe(true);
  }
});

test('every file and folder has a .meta file with a GUID of its own, and no other has one', async () => {
  const imported = assets.filter((path) => path !== 'Samples~'); // of which Unity makes no asset
  expect(metas).toEqual(imported.map((path) => `${path}.meta`).toSorted());
  const guids = new Map<string, string>();
  for (const path of metas) {
    const text = await readFile(join(place, path), 'utf8');
    const [, guid = ''] = /^fileFormatVersion: 2\nguid: ([\da-f]{32})\n/.exec(text) ?? [];
    expect(guid, path).not.toBe('');
    expect(guids.get(guid), path).toBeUndefined();
    guids.set(guid, path);
    const isFolder = assets.some((one) => one.startsWith(`${path.slice(0, -'.meta'.length)}/`));
    expect(/^folderAsset: yes$/m.test(text), path).toBe(isFolder);
    expect(text, path).toMatch(/^\w+Importer:\n/m);
  }
  // Scenes and assembly definitions of games name these.
  expect(Object.fromEntries(guids)).toMatchObject({
    e2402631956046a380d1122d9688de5a: 'Runtime/Gantry.asmdef.meta',
    '3adf28b40905a42550e7bcd48af67da0': 'Runtime/Unity/GantryBehaviour.cs.meta',
    '41b218e859a32dc20463a5fd3149211d': 'Samples~/Leaderboard/LeaderboardSample.cs.meta',
  });
});

test('all scripts of the package are in its assembly, and the plugin is for WebGL only', async () => {
  const scripts = assets.filter((path) => path.endsWith('.cs') && !path.startsWith('Samples~/'));
  expect(scripts.filter((path) => !path.startsWith('Runtime/'))).toEqual([]);
  expect(assets.filter((path) => path.endsWith('.asmdef'))).toEqual(['Runtime/Gantry.asmdef']);
  expect(JSON.parse(await readFile(join(place, 'Runtime/Gantry.asmdef'), 'utf8'))).toMatchObject({
    name: 'Gantry',
    autoReferenced: true, // so that a game's own scripts see it
  });
  const plugin = await readFile(join(place, 'Runtime/Plugins/WebGL/GantrySocket.jslib.meta'), 'utf8');
  const enabled = [...plugin.matchAll(/first:\n {6}(\w+): .*\n {4}second:\n {6}enabled: 1/g)];
  expect(enabled.map(([, platform]) => platform)).toEqual(['WebGL']);
});
