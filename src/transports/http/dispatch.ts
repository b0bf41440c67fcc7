import { type RequestHandler, Router } from 'express';
import { GantryError } from '../../errors.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { inputFromQuery } from '../query-input.ts';
import { answer } from './answer.ts';
import { jsonObjectIn, readBody } from './body.ts';

/**
 * Feathers' custom methods over HTTP: one path a service, the operation chosen by `X-Service-Method`. POST
 * takes any operation; GET takes those that change nothing, with the query as their input.
 */
export function dispatchPaths(registry: Registry, execute: Execute): Router {
  const router = Router();
  for (const service of registry.services) {
    router
      .route(`/${service}`)
      .post(readBody, async (request, response) => {
        const operation = requireMethod(registry, service, request.headers['x-service-method']);
        const input = jsonObjectIn(request);
        await answer(request, response, execute, {
          operation,
          style: 'dispatch',
          input,
          token: input.launcherJwt,
        });
      })
      .get(byQuery(registry, service, execute))
      .all((request, response) => {
        response.setHeader('Allow', 'GET, POST');
        throw new GantryError('method_unknown', `${request.method} is not for this path: use POST or GET`);
      });
  }
  return router;
}

function byQuery(registry: Registry, service: string, execute: Execute): RequestHandler {
  return async (request, response) => {
    const operation = requireMethod(registry, service, request.headers['x-service-method']);
    if (operation.kind !== 'read') {
      throw new GantryError(
        'method_unknown',
        'X-Service-Method names an operation that changes something: use POST',
      );
    }
    const schema = operation.dispatchInput ?? operation.input;
    const input = inputFromQuery(schema, request.query);
    const token = input.launcherJwt ?? request.headers['x-launcher-jwt'];
    await answer(request, response, execute, { operation, style: 'dispatch', input, token });
  };
}

function requireMethod(
  registry: Registry,
  service: string,
  header: string | string[] | undefined,
): AnyOperation {
  const operation = typeof header === 'string' ? registry.method(service, header) : undefined;
  if (operation) return operation;
  throw new GantryError(
    'method_unknown',
    header === undefined
      ? `The header X-Service-Method is missing: it says which operation of /${service} to carry out`
      : `The header X-Service-Method was read, and names no operation of /${service}`,
  );
}
