import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * The npm package of basement.fun, which is not a dependency: it comes without a licence, and with a server's
 * dependencies. `test/compat/install-basement-package.sh <directory>` installs it with what its client needs.
 */
export const packageDirectory = process.env.BASEMENT_PACKAGE ?? '';

/** Why tests with the package cannot run here; null when they can. */
export const noPackage = existsSync(join(packageDirectory, 'node_modules/@b3dotfun/basement-api'))
  ? null
  : 'the npm package of basement.fun is not there: run test/compat/install-basement-package.sh <directory>, and name the directory in BASEMENT_PACKAGE';

if (noPackage !== null) process.stderr.write(`The tests with the typed client are skipped: ${noPackage}\n`);

/** A service of a Feathers client: methods by name. */
type Service = Record<string, (data?: unknown, params?: unknown) => Promise<unknown>>;

export interface PackageClient {
  service(name: string): Service;
}

/** The used parts of the package: its client, and the names of the methods it declares for each service. */
export interface BasementPackage {
  createClient(connection: unknown): PackageClient;
  methodsOf(service: string): string[];
}

export function loadPackage(): BasementPackage {
  const load = createRequire(join(packageDirectory, 'package.json'));
  const { createClient }: { createClient: BasementPackage['createClient'] } = load('@b3dotfun/basement-api');
  return {
    createClient,
    methodsOf(service) {
      const shared: Record<string, unknown> = load(
        `@b3dotfun/basement-api/lib/services/${service}/${service}.shared.js`,
      );
      const [methods] = Object.entries(shared).flatMap(([name, value]) =>
        name.endsWith('Methods') ? [value] : [],
      );
      if (!Array.isArray(methods)) throw new Error(`${service} declares no methods`);
      return methods.map(String);
    },
  };
}
