import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Assets } from '../../src/pages/assets.ts';
import { BundledAssets } from '../../src/pages/bundled-assets.ts';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { type BundledPage, bundledPages, bundlePage } from '../../src/pages/page-bundle.ts';
import { repository } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const repositoryAssets = new DirectoryAssets();

const textOf = async (assets: Assets, name: string) => {
  const bytes = await assets.read(name);
  return bytes && Buffer.from(bytes).toString();
};

/** A copy of the pages, to edit. It is in the repository, so that the pages' libraries are found. */
async function copiedPages() {
  const copy = await temporaryDirectory(join(repository, 'dist'));
  await cp(join(repository, 'public'), copy.path, { recursive: true, preserveTimestamps: true });
  let builds = 0;
  const assets = new BundledAssets(repositoryAssets, (page) => {
    builds++;
    return bundlePage(page, copy.path);
  });
  return {
    assets,
    builds: () => builds,
    edit: (name: string, text: string) => writeFile(join(copy.path, name), text),
    [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose](),
  };
}

test('every page with modules is bundled, but for examples to read', async () => {
  const withModules: string[] = [];
  for (const name of repositoryAssets.names().filter((one) => one.endsWith('.html'))) {
    if ((await textOf(repositoryAssets, name))?.includes('<script type="module"')) withModules.push(name);
  }
  expect(
    [
      ...Object.values(bundledPages),
      'demo-game/index.html',
      'sdk/typescript/sample/index.html',
      'templates/browser/index.html',
    ].toSorted(),
  ).toEqual(withModules.toSorted());
});

describe.each(Object.keys(bundledPages) as BundledPage[])('the page %s', (page) => {
  test('loads one module and one style sheet, whose source maps name the sources by their addresses', async () => {
    const { files } = await bundlePage(page);
    const html = Buffer.from(files.get(bundledPages[page]) ?? []).toString();
    expect(html.match(/<script type="module"|<link rel="stylesheet"/g)).toHaveLength(2);
    for (const [, name] of html.matchAll(/"\/(bundles\/[^?"]+)\?v=\w{16}"/g)) {
      const text = Buffer.from(files.get(name ?? '') ?? []).toString();
      const [, map] = /[#] sourceMappingURL=([\w.]+)/.exec(text) ?? [];
      const { sources } = JSON.parse(Buffer.from(files.get(`bundles/${page}/${map}`) ?? []).toString()) as {
        sources: string[];
      };
      expect(sources.length).toBeGreaterThan(1);
      const own = sources
        .map((source) => new URL(source, `http://server/bundles/${page}/main.js`).pathname)
        .filter((path) => !/^\/(node_modules|src)\//.test(path));
      expect(own.length).toBeGreaterThan(0);
      for (const path of own) expect(await repositoryAssets.read(path.slice(1)), path).not.toBeNull();
    }
  });
});

test('lazily loaded modules are separate files, and what they share with the first is preloaded', async () => {
  const { files } = await bundlePage('console');
  const textIn = (name: string) => Buffer.from(files.get(name) ?? []).toString();
  const main = textIn('bundles/console/main.js');
  const editor = [...files.keys()].find((name) => /code-mirror-\w+\.js$/.test(name)) ?? '';
  expect(main).not.toContain('EditorView');
  expect(textIn(editor)).toContain('EditorView');
  const shared = [...main.matchAll(/from "\.\/(chunk-\w+\.js)"/g)].map(([, name]) => name);
  expect(shared.length).toBeGreaterThan(0);
  const preloaded = [...textIn('console/index.html').matchAll(/"modulepreload" href="([^"]+)"/g)];
  expect(preloaded.map(([, address]) => address)).toEqual(shared.map((name) => `/bundles/console/${name}`));
});

test('names are not minified', async () => {
  const { files } = await bundlePage('play');
  const code = Buffer.from(files.get('bundles/play/main.js') ?? []).toString();
  expect(code).toContain('function LauncherView(');
  expect(code).toContain('play/launcher-view.js\n');
});

test('a bundle is rebuilt once one of its files has changed, and is the same object until then', async () => {
  await using pages = await copiedPages();
  const first = await pages.assets.read('console/index.html');
  expect(await pages.assets.read('console/index.html')).toBe(first);
  const path = 'console/page-head.js';
  await pages.edit(path, `${await textOf(repositoryAssets, path)}\ndocument.title = 'edited';\n`);
  await until('the edit', async () => (await pages.assets.read('console/index.html')) !== first);
  expect(await textOf(pages.assets, 'bundles/console/main.js')).toContain('document.title = "edited"');
});

test('concurrent requests for a page share one build', async () => {
  await using pages = await copiedPages();
  const names = Object.values(bundledPages);
  const visits = Array.from({ length: 100 }, () => names).flat();
  const made = await Promise.all(visits.map((name) => pages.assets.read(name)));
  expect(new Set(made).size).toBe(names.length);
  expect(pages.builds()).toBe(names.length);
  for (const page of made) expect(Buffer.from(page ?? []).toString()).toContain('src="/bundles/');
});

test.each([
  ['a syntax error', 'export function ('],
  ['an import that does not exist', "import '/nowhere.js';"],
])('a page with %s is not served, and is bundled once the error is fixed', async (_what, broken) => {
  await using pages = await copiedPages();
  const path = 'console/page-head.js';
  await pages.edit(path, broken);
  for (const name of ['console/index.html', 'bundles/console/main.js']) {
    await expect(pages.assets.read(name), name).rejects.toThrow(path);
  }
  await pages.edit(path, (await textOf(repositoryAssets, path)) ?? '');
  expect(await textOf(pages.assets, 'console/index.html')).toContain('src="/bundles/');
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
