import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Assets } from '../../src/pages/assets.ts';
import { BundledAssets } from '../../src/pages/bundled-assets.ts';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { importMapPlaceholder } from '../../src/pages/import-map.ts';
import { type BundledPage, bundledPages, bundlePage } from '../../src/pages/page-bundle.ts';
import { until } from '../support/until.ts';

const repositoryAssets = new DirectoryAssets();

/** The repository's assets, some of which are edited. */
class EditedAssets implements Assets {
  readonly edited = new Map<string, Uint8Array>();

  names(): readonly string[] {
    return repositoryAssets.names();
  }

  async read(name: string): Promise<Uint8Array | null> {
    return this.edited.get(name) ?? repositoryAssets.read(name);
  }

  edit(name: string, text: string): void {
    this.edited.set(name, Buffer.from(text));
  }
}

const textOf = async (assets: Assets, name: string) => {
  const bytes = await assets.read(name);
  return bytes && Buffer.from(bytes).toString();
};
const isBundled = async (assets: Assets) =>
  !(await textOf(assets, 'console/index.html'))?.includes(importMapPlaceholder);

test('every page with an import map is bundled', async () => {
  const withImportMap: string[] = [];
  for (const name of repositoryAssets.names().filter((one) => one.endsWith('.html'))) {
    if ((await textOf(repositoryAssets, name))?.includes(importMapPlaceholder)) withImportMap.push(name);
  }
  expect(Object.values(bundledPages).toSorted()).toEqual(withImportMap.toSorted());
});

describe.each(Object.keys(bundledPages) as BundledPage[])('the page %s', (page) => {
  test('loads one module and one style sheet, whose source maps name the sources by their addresses', async () => {
    const { files } = await bundlePage(repositoryAssets, page);
    const html = Buffer.from(files.get(bundledPages[page]) ?? []).toString();
    expect(html.match(/<script type="module"|<link rel="stylesheet"/g)).toHaveLength(2);
    for (const [, name] of html.matchAll(/"\/(bundles\/[^?"]+)\?v=\w{16}"/g)) {
      const text = Buffer.from(files.get(name ?? '') ?? []).toString();
      const [, map] = /[#] sourceMappingURL=([\w.]+)/.exec(text) ?? [];
      const { sources } = JSON.parse(Buffer.from(files.get(`bundles/${page}/${map}`) ?? []).toString()) as {
        sources: string[];
      };
      expect(sources.length).toBeGreaterThan(1);
      for (const source of sources) {
        expect(await repositoryAssets.read(source.slice(1)), source).not.toBeNull();
      }
    }
  });
});

test('lazily loaded modules are separate files', async () => {
  const { files } = await bundlePage(repositoryAssets, 'console');
  const names = [...files.keys()].filter((name) => name.endsWith('.js'));
  expect(names).toEqual([
    'bundles/console/main.js',
    expect.stringMatching(/^bundles\/console\/code-mirror-\w+\.js$/),
  ]);
  const [main, editor] = names.map((name) => Buffer.from(files.get(name) ?? []).toString());
  expect(main).not.toContain('EditorView');
  expect(editor).toContain('EditorView');
});

test('names are not minified', async () => {
  const { files } = await bundlePage(repositoryAssets, 'play');
  const code = Buffer.from(files.get('bundles/play/main.js') ?? []).toString();
  expect(code).toContain('function LauncherView(');
  expect(code).toContain('play/launcher-view.js\n');
});

test('a bundle is rebuilt once one of its files has changed, and is the same object until then', async () => {
  const assets = new EditedAssets();
  const bundled = new BundledAssets(assets);
  const first = await bundled.read('console/index.html');
  expect(await bundled.read('console/index.html')).toBe(first);
  const path = 'console/page-head.js';
  assets.edit(path, `${await textOf(repositoryAssets, path)}\ndocument.title = 'edited';\n`);
  await until('the edit', async () => (await bundled.read('console/index.html')) !== first);
  expect(await textOf(bundled, 'bundles/console/main.js')).toContain('document.title = "edited"');
});

test('concurrent requests for a page share one build', async () => {
  const bundled = new BundledAssets(new EditedAssets());
  const names = Object.values(bundledPages);
  const made = await Promise.all([...names, ...names].map((name) => bundled.read(name)));
  expect(new Set(made).size).toBe(names.length);
  for (const page of made) expect(Buffer.from(page ?? []).toString()).not.toContain(importMapPlaceholder);
});

test('a page with a syntax error loads its modules individually, and is bundled again once the error is fixed', async () => {
  const assets = new EditedAssets();
  const bundled = new BundledAssets(assets);
  assets.edit('console/page-head.js', 'export function (');
  expect(await isBundled(bundled)).toBe(false);
  expect(await bundled.read('bundles/console/main.js')).toBeNull();
  assets.edit('console/page-head.js', "import '/nowhere.js';");
  expect(await isBundled(bundled)).toBe(false);
  assets.edited.clear();
  await until('the fixed page', () => isBundled(bundled));
});

test('no file of a bundle is available under another name', async () => {
  const bundled = new BundledAssets(repositoryAssets);
  for (const name of [
    'bundles/play/',
    'bundles/play/../../package.json',
    'bundles/play/nothing.js',
    'bundles',
  ]) {
    expect(await bundled.read(name), name).toBeNull();
  }
  expect(await bundled.read('play/main.js')).toEqual(await readFile('public/play/main.js'));
});
