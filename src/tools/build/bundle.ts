import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { threadFiles } from '../../runtime/start-thread.ts';

const source = fileURLToPath(new URL('../..', import.meta.url));

/** Targets the oldest supported Node version. */
const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
};

/** Leaves out zod's messages in other languages, half of it, which every thread would keep in memory. */
const zodInEnglish: Plugin = {
  name: 'zod-in-english',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Bundles programs or modules with esbuild; `options` extend or override the common ones. */
export async function bundle(options: BuildOptions): Promise<void> {
  await build({ ...common, ...options, plugins: [zodInEnglish, ...(options.plugins ?? [])] });
}

/**
 * Bundles the program with its dependencies into a folder of ES modules: `gantry.js`, a file for each thread, and what
 * they load later. Code that several of these need is repeated in each: shared, it would be in three times as many
 * files, and loading these takes a tenth of the time of a start. Stack traces name the source.
 */
export async function bundleProgram(outdir: string, external: string[], plugins: Plugin[]): Promise<void> {
  await bundleModules(outdir, { gantry: '../gantry.js', ...threadFiles }, external, {
    banner: { js: requireInModules },
    inject: [join(source, 'runtime/source-positions.ts')],
    plugins,
    sourcemap: true,
    sourcesContent: false,
  });
}

/** Bundles each entry file, relative to `runtime/`, into ES modules of a folder. */
export async function bundleModules(
  outdir: string,
  files: Readonly<Record<string, string>>,
  external: string[],
  options: BuildOptions,
): Promise<void> {
  await Promise.all(
    Object.entries(files).map(([name, file]) =>
      bundle({
        entryPoints: { [name]: join(source, 'runtime', file) },
        outdir,
        format: 'esm',
        splitting: true,
        external: ['esbuild', ...external], // esbuild is used only when running from a repository
        minifyWhitespace: true, // V8 keeps a file in twice the memory for one dash in a comment
        legalComments: 'none',
        ...options,
      }),
    ),
  );
}

/** CommonJS packages load Node's modules with `require`, which an ES module does not have. */
export const requireInModules =
  'import { createRequire as createRequireOf } from "node:module"; const require = createRequireOf(import.meta.url);';

/** Makes better-sqlite3 load the executable's embedded addon instead of the installed one. */
export const embeddedSqlite: Plugin = {
  name: 'embedded-sqlite',
  setup({ onResolve, onEnd }) {
    const nativeAddon = fileURLToPath(new URL('../../engines/sqlite/native-addon.ts', import.meta.url));
    let [isUsed, isFound] = [false, false];
    onResolve({ filter: /^better-sqlite3$/ }, () => {
      isUsed = true;
      return null;
    });
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) => {
      if (!/better-sqlite3[\\/]lib[\\/]index\.js$/.test(importer)) return null;
      isFound = true;
      return { path: nativeAddon };
    });
    onEnd(() => {
      if (isUsed && !isFound) throw new Error('better-sqlite3 no longer loads its library in binding.js');
    });
  },
};
