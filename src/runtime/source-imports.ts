import { type ResolveFnOutput, registerHooks } from 'node:module';

/** The folder of our source files. */
const source = new URL('..', import.meta.url).href;
/** Where the packages that our files import are, which is the same for all of them. */
const packages = new Map<string, ResolveFnOutput>();

/**
 * Resolves the imports of our source files faster than Node, which examines the file system for each: whether the file
 * exists, whether it is a link, and whether a package.json beside or above it sets the type of its modules. There are
 * 2,900 imports in the main thread and 800 in the writer's, and these answers are known. This saves a seventh of the
 * startup time from source.
 */
registerHooks({
  resolve(specifier, context, resolve) {
    if (!context.parentURL?.startsWith(source)) return resolve(specifier, context);
    if (specifier.startsWith('.')) {
      if (!specifier.endsWith('.ts')) return resolve(specifier, context);
      const { href } = new URL(specifier, context.parentURL);
      return { url: href, format: 'module-typescript', shortCircuit: true };
    }
    let found = packages.get(specifier);
    if (!found) {
      found = { ...resolve(specifier, context), shortCircuit: true };
      packages.set(specifier, found);
    }
    return found;
  },
});
