import { type RequestHandler, Router } from 'express';
import { GantryError } from '../../errors.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { inputFromQuery } from '../query-input.ts';
import { jsonObjectIn, readBody } from './body.ts';
import { credentialsOf } from './credentials.ts';
import { sendJson } from './respond.ts';

/** One path an operation: `POST /launcher/<kebab-name>`, and `GET` on the paths some have of their own. */
export function dedicatedPaths(registry: Registry, execute: Execute): Router {
  const router = Router();
  router
    .route('/launcher/:name')
    .post(readBody, async (request, response) => {
      const operation = requireOperation(registry, request.params.name);
      const input = jsonObjectIn(request);
      const credentials = credentialsOf(request, input.launcherJwt);
      sendJson(response, 200, await execute({ operation, style: 'dedicated', input, credentials }));
    })
    .all((request, response) => {
      requireOperation(registry, request.params.name);
      response.setHeader('Allow', 'POST');
      throw new GantryError('method_unknown', `${request.method} is not for this path: use POST`);
    });
  for (const operation of registry.operations) {
    if (operation.getPath) router.get(operation.getPath, byQuery(operation, execute));
  }
  return router;
}

function byQuery(operation: AnyOperation, execute: Execute): RequestHandler {
  return async (request, response) => {
    const input = inputFromQuery(operation.input, request.query);
    const credentials = credentialsOf(request, undefined);
    sendJson(response, 200, await execute({ operation, style: 'dedicated', input, credentials }));
  };
}

function requireOperation(registry: Registry, name: unknown): AnyOperation {
  const operation = typeof name === 'string' ? registry.path(name) : undefined;
  if (!operation) throw new GantryError('path_unknown', 'There is no such path');
  return operation;
}
