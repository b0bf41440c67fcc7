import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** For the Node that Gantry is developed on and the oldest it runs on. */
const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Names stay, so that the stack of a defect can be read.
  keepNames: true,
  logLevel: 'warning',
};

/** Bundles programs or modules with esbuild, as `options` say beyond what holds for all of ours. */
export async function bundle(options: BuildOptions): Promise<void> {
  await build({ ...common, ...options });
}

/** Has better-sqlite3 load the library that the executable carries, in place of the one it was installed with. */
export const carriedSqlite: Plugin = {
  name: 'carried-sqlite',
  setup({ onResolve, onEnd }) {
    const nativePart = fileURLToPath(new URL('../store/sqlite/native-part.ts', import.meta.url));
    let [isUsed, isFound] = [false, false];
    onResolve({ filter: /^better-sqlite3$/ }, () => {
      isUsed = true;
      return null;
    });
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) => {
      if (!/better-sqlite3[\\/]lib[\\/]index\.js$/.test(importer)) return null;
      isFound = true;
      return { path: nativePart };
    });
    onEnd(() => {
      if (isUsed && !isFound) throw new Error('better-sqlite3 no longer loads its library in binding.js');
    });
  },
};
