import type { IncomingHttpHeaders } from 'node:http';
import type { Registry } from '../../calls/registry.ts';
import { GantryError } from '../../core/errors.ts';
import type { AnyOperation } from '../../features/operation.ts';
import { inputFromQuery } from '../query-input.ts';
import type { Route, Routes } from './routes.ts';

/**
 * Feathers' custom methods over HTTP: one path per service, with `X-Service-Method` naming the operation. POST takes
 * any operation; GET takes only reads, with the query as their input.
 */
export function dispatchRoutes(registry: Registry): Routes {
  return new Map([...registry.services].map((service) => [`/${service}`, routeOf(registry, service)]));
}

function routeOf(registry: Registry, service: string): Route {
  return {
    post(headers, input) {
      const operation = requireMethod(registry, service, headers);
      return { operation, style: 'dispatch', input, token: input.launcherJwt };
    },
    get(headers, query) {
      const operation = requireMethod(registry, service, headers);
      if (operation.kind !== 'read') {
        throw new GantryError(
          'method_unknown',
          'X-Service-Method names an operation that is not a read: use POST',
        );
      }
      const input = inputFromQuery(operation.dispatchInput ?? operation.input, query);
      return { operation, style: 'dispatch', input, token: input.launcherJwt ?? headers['x-launcher-jwt'] };
    },
  };
}

function requireMethod(registry: Registry, service: string, headers: IncomingHttpHeaders): AnyOperation {
  const header = headers['x-service-method'];
  const operation = typeof header === 'string' ? registry.method(service, header) : undefined;
  if (operation) return operation;
  throw new GantryError(
    'method_unknown',
    header === undefined
      ? `The header X-Service-Method is missing: it names the operation of /${service} to execute`
      : `The header X-Service-Method does not name an operation of /${service}`,
  );
}
