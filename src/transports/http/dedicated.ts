import { kebabCase, type Registry } from '../../calls/registry.ts';
import type { AnyOperation } from '../../features/operation.ts';
import { inputFromQuery } from '../query-input.ts';
import type { Routes } from './routes.ts';

/**
 * One path per operation: `POST /launcher/<kebab-name>`, or `POST /admin/<kebab-name>` for administrators, also
 * by aliases; plus `GET` on the operation's `getPath` where it has one.
 */
export function dedicatedRoutes(registry: Registry): Routes {
  const routes: Routes = new Map();
  for (const operation of registry.operations) {
    const isForAdministrators = operation.service === 'admin';
    const prefix = isForAdministrators ? '/admin' : '/launcher';
    const aliases = isForAdministrators ? (operation.aliases ?? []) : [];
    for (const name of [operation.name, ...aliases]) {
      routes.set(`${prefix}/${kebabCase(name)}`, { isForAdministrators, post: byBody(operation) });
    }
    if (operation.getPath)
      routes.set(operation.getPath, { ...routes.get(operation.getPath), get: byQuery(operation) });
  }
  return routes;
}

function byBody(operation: AnyOperation) {
  return (_headers: unknown, input: Readonly<Record<string, unknown>>) =>
    ({ operation, style: 'dedicated', input, token: input.launcherJwt }) as const;
}

function byQuery(operation: AnyOperation) {
  return (_headers: unknown, query: Readonly<Record<string, unknown>>) =>
    ({
      operation,
      style: 'dedicated',
      input: inputFromQuery(operation.input, query),
      token: undefined,
    }) as const;
}
