import { readFile, stat } from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { publicDirectory, sourceDirectory, sourceOf } from './directory-assets.ts';
import { versionOf } from './served-file.ts';

/** The pages that are bundled, by their HTML: all but the demo game, which is example code to read. */
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
  /** Whether its source files are those it was made of, by their sizes and times. */
  isCurrent(): Promise<boolean>;
  /** By asset name: the page's HTML, and its files and their source maps below `bundles/<page>/`. */
  files: ReadonlyMap<string, Uint8Array>;
}

const styleSheet = /[ \t]*<link rel="stylesheet" href="(\/[^"]+)" \/>\n/g;
const moduleScript = /[ \t]*<script type="module" src="(\/[^"]+)"><\/script>\n/g;

/** The number of builds in flight, which share one esbuild process. */
let builds = 0;

/**
 * Bundles a page with esbuild. The code is not minified: with compression that would save only a fifth, and stack traces
 * in players' reports would lose their names and lines.
 * @throws Error when something cannot be bundled
 */
export async function bundlePage(page: BundledPage, directory = publicDirectory): Promise<PageBundle> {
  const startedAt = Date.now();
  const html = await readFile(join(directory, bundledPages[page]), 'utf8');
  const folder = `bundles/${page}`;
  // A development dependency, like the pages' libraries: built packages contain the bundles.
  const { build, stop } = await import('esbuild');
  builds += 1;
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [
        { in: 'scripts', out: 'main' },
        { in: 'styles', out: 'main' },
      ],
      plugins: [entriesOf(html, directory)],
      alias: {
        'gantry-client': join(sourceDirectory, 'sdk/client/client.ts'),
        'gantry-names': join(sourceDirectory, 'core/schemas/default-name.ts'),
        // Minified, a tenth of the launcher's bytes less than its modules.
        'socket.io-client': join(
          sourceDirectory,
          '../node_modules/socket.io-client/dist/socket.io.esm.min.js',
        ),
      },
      absWorkingDir: directory,
      // Browsers resolve the sources in source maps against the address of the bundle.
      outdir: join(directory, folder),
      bundle: true,
      splitting: true,
      write: false,
      metafile: true,
      format: 'esm',
      target: 'esnext',
      charset: 'utf8',
      sourcemap: 'linked',
      sourcesContent: false, // the pages' own sources are served
      logLevel: 'silent',
    });
    const files = new Map(outputFiles.map(({ path, contents }) => [`${folder}/${baseOf(path)}`, contents]));
    const addressOf = (name: string) => `/${name}?v=${versionOf(files.get(name) ?? Buffer.of())}`;
    // What main.js and the modules that are loaded later share: loaded with main.js, not after it.
    const shared = metafile.outputs[join(folder, 'main.js')]?.imports ?? [];
    const preloads = shared
      .filter(({ kind }) => kind === 'import-statement')
      .map(({ path }) => `    <link rel="modulepreload" href="/${path}" />\n`);
    const bundled = html
      .replaceAll(styleSheet, '')
      .replaceAll(moduleScript, '')
      .replace(
        '  </head>',
        `    <link rel="stylesheet" href="${addressOf(`${folder}/main.css`)}" />\n` +
          preloads.join('') +
          `    <script type="module" src="${addressOf(`${folder}/main.js`)}"></script>\n  </head>`,
      );
    const inputs = Object.keys(metafile.inputs).filter((name) => !name.startsWith(`${namespace}:`));
    const sources = [bundledPages[page], ...inputs].map((name) => resolve(directory, name));
    const known = await statesOf(sources, startedAt);
    return {
      isCurrent: async () => (await statesOf(sources)) === known,
      files: files.set(bundledPages[page], Buffer.from(bundled)),
    };
  } finally {
    builds -= 1;
    // The esbuild process would otherwise keep running.
    if (builds === 0) await stop();
  }
}

const namespace = 'page';

/** Resolves the entries, `scripts` and `styles`, to what the page loads, and addresses of browsers to files. */
function entriesOf(html: string, directory: string): Plugin {
  const importing = (pattern: RegExp, keyword: string) =>
    [...html.matchAll(pattern)].map(([, address]) => `${keyword} '${address}';`).join('\n');
  return {
    name: 'page',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(scripts|styles)$/ }, ({ path, kind }) =>
        kind === 'entry-point' ? { path, namespace } : null,
      );
      onResolve({ filter: /^\// }, ({ path, kind }) => {
        // Files that style sheets reference by `url()` are not bundled. Bundles are two folders below the root, which is
        // not always that of a server (see `staticManual`).
        if (kind === 'url-token') return { path: `../..${path}`, external: true };
        return { path: sourceOf(path.slice(1), directory) ?? path };
      });
      onLoad({ filter: /^/, namespace }, ({ path }) =>
        path === 'styles'
          ? { contents: importing(styleSheet, '@import'), loader: 'css' }
          : { contents: importing(moduleScript, 'import'), loader: 'js' },
      );
    },
  };
}

/** The sizes and times of files. One that has changed since `startedAt` may have been read before: it differs. */
async function statesOf(files: readonly string[], startedAt = Number.POSITIVE_INFINITY): Promise<string> {
  const states = await Promise.all(
    files.map(async (file) => {
      const { mtimeMs, size } = await stat(file).catch(() => ({ mtimeMs: 0, size: -1 }));
      return mtimeMs > startedAt - clockToleranceMs && mtimeMs <= Date.now() ? 'changed' : [mtimeMs, size];
    }),
  );
  return states.join();
}

/** File systems read a clock that advances every few milliseconds. */
const clockToleranceMs = 20;

function baseOf(path: string): string {
  return posix.basename(path.replaceAll('\\', '/'));
}
