import { type RequestHandler, Router } from 'express';
import { GantryError } from '../../errors.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { inputFromQuery } from '../query-input.ts';
import { answer } from './answer.ts';
import { jsonObjectIn, readBody } from './body.ts';

/**
 * One path an operation: `POST /launcher/<kebab-name>`, `POST /admin/<kebab-name>` for administrators', and
 * `GET` on the paths some have of their own.
 */
export function dedicatedPaths(registry: Registry, execute: Execute): Router {
  const router = Router();
  addPosts(router, '/launcher', (name) => registry.path(name), execute);
  addPosts(router, '/admin', (name) => registry.adminPath(name), execute);
  for (const operation of registry.operations) {
    if (operation.getPath) router.get(operation.getPath, byQuery(operation, execute));
  }
  return router;
}

function addPosts(
  router: Router,
  prefix: string,
  find: (name: string) => AnyOperation | undefined,
  execute: Execute,
): void {
  router
    .route(`${prefix}/:name`)
    .post(readBody, async (request, response) => {
      const operation = requireOperation(find, request.params.name);
      const input = jsonObjectIn(request);
      await answer(request, response, execute, {
        operation,
        style: 'dedicated',
        input,
        token: input.launcherJwt,
      });
    })
    .all((request, response) => {
      requireOperation(find, request.params.name);
      response.setHeader('Allow', 'POST');
      throw new GantryError('method_unknown', `${request.method} is not for this path: use POST`);
    });
}

function byQuery(operation: AnyOperation, execute: Execute): RequestHandler {
  return async (request, response) => {
    const input = inputFromQuery(operation.input, request.query);
    await answer(request, response, execute, { operation, style: 'dedicated', input, token: undefined });
  };
}

function requireOperation(find: (name: string) => AnyOperation | undefined, name: unknown): AnyOperation {
  const operation = typeof name === 'string' ? find(name) : undefined;
  if (!operation) throw new GantryError('path_unknown', 'There is no such path');
  return operation;
}
