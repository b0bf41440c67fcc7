import { posix } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Assets } from './assets.ts';
import { importMapPlaceholder } from './import-map.ts';
import { versionOf } from './served-file.ts';
import { mappedAssets } from './vendored-files.ts';

/** The pages that are bundled, by their HTML: every page that has an import map. */
export const bundledPages = {
  home: 'index.html',
  play: 'play/index.html',
  console: 'console/index.html',
  manual: 'docs/page.html',
  reference: 'docs/reference.html',
  'not-found': 'not-found.html',
} as const;
export type BundledPage = keyof typeof bundledPages;

/**
 * A page with its modules bundled into one file and its style sheets into another; dynamic imports are separate files.
 */
export interface PageBundle {
  /** The source files, by asset name; null for a missing one. */
  inputs: ReadonlyMap<string, Uint8Array | null>;
  /** By asset name: the page's HTML, and its files and their source maps below `bundles/<page>/`. */
  files: ReadonlyMap<string, Uint8Array>;
}

type Read = (name: string) => Promise<Uint8Array>;

const styleSheet = /[ \t]*<link rel="stylesheet" href="\/([^"]+)" \/>\n/g;
const moduleScript = /[ \t]*<script type="module" src="\/([^"]+)"><\/script>\n/g;

/**
 * Bundles a page with esbuild. It reads only assets, by the names under which browsers load them. The code is not
 * minified: with compression that would save only a fifth, and stack traces in players' reports would lose their names
 * and lines.
 *
 * `files` is empty when something cannot be bundled, or esbuild is not installed.
 */
export async function bundlePage(assets: Assets, page: BundledPage): Promise<PageBundle> {
  const inputs = new Map<string, Uint8Array | null>();
  const read: Read = async (name) => {
    const bytes = await assets.read(name);
    inputs.set(name, bytes);
    if (bytes === null) throw new Error(`/${name} is missing`);
    return bytes;
  };
  const files = await makeFiles(page, read).catch(() => new Map<string, Uint8Array>());
  return { inputs, files };
}

async function makeFiles(page: BundledPage, read: Read): Promise<Map<string, Uint8Array>> {
  const html = Buffer.from(await read(bundledPages[page])).toString();
  const folder = `bundles/${page}`;
  const files = new Map<string, Uint8Array>();
  for (const { path, contents } of await runEsbuild(html, read)) {
    const name = path.replaceAll('\\', '/').split('/').at(-1) ?? '';
    files.set(`${folder}/${name}`, name.endsWith('.map') ? withSourceAddresses(contents) : contents);
  }
  const versioned = (name: string) => {
    const bytes = files.get(`${folder}/${name}`);
    if (bytes === undefined) throw new Error(`${bundledPages[page]} has no ${name}`);
    return `/${folder}/${name}?v=${versionOf(bytes)}`;
  };
  const [style, script] = [versioned('main.css'), versioned('main.js')];
  const bundled = html
    .replaceAll(styleSheet, '')
    .replaceAll(moduleScript, '')
    .replace(
      importMapPlaceholder,
      `<link rel="stylesheet" href="${style}" />\n    <script type="module" src="${script}"></script>`,
    );
  files.set(bundledPages[page], Buffer.from(bundled));
  return files;
}

/** The number of builds in flight, which share one esbuild process. */
let builds = 0;

async function runEsbuild(html: string, read: Read): Promise<{ path: string; contents: Uint8Array }[]> {
  // A development dependency, like the pages' libraries: built packages contain the bundles.
  const { build, stop } = await import('esbuild');
  builds += 1;
  try {
    const { outputFiles } = await build({
      entryPoints: [
        { in: 'scripts', out: 'main' },
        { in: 'styles', out: 'main' },
      ],
      plugins: [pageAssets(html, read)],
      outdir: '/',
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      target: 'esnext',
      charset: 'utf8',
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'silent',
    });
    return outputFiles;
  } finally {
    builds -= 1;
    // The esbuild process would otherwise keep running.
    if (builds === 0) await stop();
  }
}

/**
 * Resolves modules as the import map does, and style sheets. Files that style sheets reference by `url()` stay
 * external.
 */
function pageAssets(html: string, read: Read): Plugin {
  const namesIn = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, name]) => name);
  const entries: Readonly<Record<string, string>> = {
    scripts: namesIn(moduleScript)
      .map((name) => `import '/${name}';`)
      .join('\n'),
    styles: namesIn(styleSheet)
      .map((name) => `@import '/${name}';`)
      .join('\n'),
  };
  const specifiers = new Map(
    mappedAssets.flatMap(({ name, specifier }) => (specifier === undefined ? [] : [[specifier, name]])),
  );
  return {
    name: 'page-assets',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^/ }, ({ path, kind, importer }) => {
        if (kind === 'entry-point') return { path, namespace: 'page' };
        if (kind === 'url-token') return { path, external: true };
        const name = specifiers.get(path) ?? posix.join('/', posix.dirname(importer), path).slice(1);
        return { path: path.startsWith('/') ? path.slice(1) : name, namespace: 'asset' };
      });
      onLoad({ filter: /^/, namespace: 'page' }, ({ path }) => ({
        contents: entries[path] ?? '',
        loader: path === 'styles' ? 'css' : 'js',
      }));
      onLoad({ filter: /^/, namespace: 'asset' }, async ({ path }) => ({
        contents: await read(path),
        loader: path.endsWith('.css') ? 'css' : 'js',
      }));
    },
  };
}

/** Rewrites the sources of a source map to the URLs under which they are served as modules. */
function withSourceAddresses(contents: Uint8Array): Uint8Array {
  const map = JSON.parse(Buffer.from(contents).toString()) as { sources: string[] };
  const sources = map.sources.map((source) => source.replace(/^.*asset:/, '/'));
  return Buffer.from(JSON.stringify({ ...map, sources }));
}
