import { debuglog } from 'node:util';
import { Script } from 'node:vm';
import { embeddedAsset, embeddedAssetsIn } from './embedded-assets.ts';

/** The folder of the program's modules and of their code caches, among the executable's assets. */
export const programFolder = 'program/';

/** The asset with the code of the executable's threads, which is also its own: `executable.ts`. */
export const executableScript = 'executable.cjs';

/** With `NODE_DEBUG=gantry-modules`: which modules are loaded, and whether V8 accepts their code caches. */
const debug = debuglog('gantry-modules');

/** What an embedded module is compiled to, see `src/tools/build/embedded-modules.ts`. */
type ModuleFunction = (require: (name: string) => unknown, module: { exports: object }) => void;

/**
 * Loads the modules of a program that is not in files, each when it is first required. `read` returns a module's text
 * (in ASCII), and its code cache if there is one. V8 rejects the code cache of another version, platform or set of
 * flags, and then compiles the text. `compiled` is told each module's script before it runs.
 */
export function moduleLoader(
  read: (name: string) => { text: Uint8Array; codeCache?: Uint8Array | undefined },
  compiled: (name: string, script: Script) => void,
): (name: string) => object {
  const loaded = new Map<string, { exports: object }>();

  function load(name: string): object {
    const known = loaded.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module); // before it runs, because modules may require each other
    const { text, codeCache } = read(name);
    const source = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1');
    const script = new Script(source, { filename: name, cachedData: codeCache });
    compiled(name, script);
    const run: ModuleFunction = script.runInThisContext();
    run(require, module);
    return module.exports;
  }

  function require(name: string): unknown {
    if (name.startsWith('./')) return load(name.slice(2));
    const builtin = process.getBuiltinModule(name);
    if (!builtin) throw new Error(`there is no module ${name} in this program`);
    return builtin;
  }

  return load;
}

function describe(isRejected: boolean | undefined): string {
  if (isRejected === undefined) return 'missing';
  return isRejected ? 'rejected' : 'accepted';
}

const caches = new Set(embeddedAssetsIn(programFolder));

/** Loads a module of the executable's program. */
export const loadEmbeddedModule: (name: string) => object = moduleLoader(
  (name) => ({
    text: embeddedAsset(programFolder + name),
    codeCache: caches.has(`${name}.cache`) ? embeddedAsset(`${programFolder}${name}.cache`) : undefined,
  }),
  (name, script) => debug('%s: code cache %s', name, describe(script.cachedDataRejected)),
);
