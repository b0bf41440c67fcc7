import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { GantryError, toGantryError } from '../../errors.ts';
import type { CallObserver, ObservedCall, Outcome } from '../../observability/call-observer.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { jsonObjectIn, readBody } from './body.ts';
import { credentialsOf } from './credentials.ts';
import { allowOrigin } from './cross-origin.ts';
import { dedicatedRoutes } from './dedicated.ts';
import { dispatchRoutes } from './dispatch.ts';
import { sendError, sendJson, setLimitHeaders } from './respond.ts';
import type { Route, Routes } from './routes.ts';

export interface CallParts {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  /** Where a request comes from, proxies that are trusted left aside. */
  addressOf(request: IncomingMessage): string;
  /** Told of every failure that is a defect of ours. */
  report(thrown: unknown, callId?: string): void;
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Answers operation calls, on the paths of all operations; what is for none of them goes on to `next`. It
 * comes before everything else in the app and asks nothing of Express, whose routing, body parser and headers
 * take longer than the rest of a call.
 */
export function operationCalls(parts: CallParts): Middleware {
  const { registry, execute, observer, addressOf, report } = parts;
  const routes: Routes = dispatchRoutes(registry);
  for (const [path, route] of dedicatedRoutes(registry)) routes.set(path, { ...routes.get(path), ...route });

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    call: ObservedCall,
  ): Promise<Outcome> {
    const read = readerOf(route, request, response);
    const bytes = request.method === 'POST' ? await readBody(request, response) : noBytes;
    if (bytes === null) return response.headersSent ? 'body_too_large' : 'aborted'; // while it was being read
    const given = request.method === 'POST' ? jsonObjectIn(bytes) : queryOf(request);
    const { operation, style, input, token } = read(request.headers, given);
    call.operation = operation.name;
    const result = await execute({
      operation,
      style,
      input,
      credentials: credentialsOf(request, token, bytes),
      address: addressOf(request),
      onGame: (gameId) => {
        call.gameId = gameId;
      },
      onLimit: (state) => setLimitHeaders(response, state),
    });
    sendJson(response, 200, result);
    return 'ok';
  }

  return (request, response, next) => {
    if (request.method === 'OPTIONS') return next();
    const path = pathOf(request);
    const route = routes.get(path) ?? routes.get(plain(path));
    if (!route && !isForOperations(path)) return next();
    allowOrigin(request, response);
    const call = observer.begin('http');
    response.setHeader('X-Request-Id', call.id);
    answer(request, response, route ?? nothing, call)
      .catch((thrown: unknown) => {
        const error = toGantryError(thrown, (defect) => report(defect, call.id));
        if (response.headersSent)
          response.destroy(); // too late to say anything
        else sendError(response, error);
        return error.reason;
      })
      .then((outcome) => call.end(outcome))
      .catch((defect: unknown) => report(defect, call.id)); // unhandled, it would end the process
  };
}

const noBytes = Buffer.alloc(0);
const nothing: Route = {};

/** @throws GantryError `path_unknown`, `method_unknown` */
function readerOf({ get, post }: Route, { method }: IncomingMessage, response: ServerResponse) {
  if (!get && !post) throw new GantryError('path_unknown', 'There is no such path');
  const read = method === 'POST' ? post : method === 'GET' || method === 'HEAD' ? get : undefined;
  if (read) return read;
  const methods = [get && 'GET', post && 'POST'].filter(Boolean);
  response.setHeader('Allow', methods.join(', '));
  throw new GantryError(
    'method_unknown',
    `${method} is not for this path: use ${methods.reverse().join(' or ')}`,
  );
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** A path as its routes are written; letter case and a slash at the end do not matter. */
function plain(path: string): string {
  const lower = path.toLowerCase();
  return lower.endsWith('/') ? lower.slice(0, -1) : lower;
}

/** Whether nothing but operations lies below a path. */
function isForOperations(path: string): boolean {
  return /^\/(launcher|admin)\/./i.test(path);
}

/** The query's names and texts; of several with one name, a list. */
function queryOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  const start = url.indexOf('?');
  return start === -1 ? {} : parseQuery(url.slice(start + 1));
}
