import type { IncomingHttpHeaders } from 'node:http';
import type { CallStyle } from '../../calls/execute.ts';
import { GantryError } from '../../core/errors.ts';
import { type AnyOperation, kebabCase, namesOf, type Registry } from '../../features/operation.ts';
import { inputFromQuery } from '../query-input.ts';

/** The operation call parsed from a request. */
export interface ParsedCall {
  operation: AnyOperation;
  style: CallStyle;
  input: Readonly<Record<string, unknown>>;
  /** The launcher token, from the input or a header. */
  token: unknown;
  /** When the name it was called by was deprecated, as in `deprecatedNames`; undefined when it is not. */
  deprecatedSince?: string | undefined;
}

/**
 * Parses a call from the headers and the body, or the query. `isText`: the input's values are texts, as in a query.
 * @throws GantryError `method_unknown`
 */
export type ParseCall = (
  headers: IncomingHttpHeaders,
  input: Readonly<Record<string, unknown>>,
  form?: { isText: boolean },
) => ParsedCall;

/** What a path accepts: a JSON body by POST, a query by GET. */
export interface Route {
  /** Without an administrator's token the request is refused before its body is read. */
  isForAdministrators?: boolean;
  post?: ParseCall;
  get?: ParseCall;
}

/** By path, in lower case and without a trailing slash. */
export type Routes = Map<string, Route>;

/**
 * One path per operation: `POST /launcher/<kebab-name>`, or `POST /admin/<kebab-name>` for administrators, also
 * by aliases; plus `GET` on the operation's `getPath` where it has one.
 */
export function dedicatedRoutes(registry: Registry): Routes {
  const routes: Routes = new Map();
  for (const operation of registry.operations) {
    const isForAdministrators = operation.service === 'admin';
    const prefix = isForAdministrators ? '/admin' : '/launcher';
    for (const name of isForAdministrators ? namesOf(operation) : [operation.name]) {
      routes.set(`${prefix}/${kebabCase(name)}`, { isForAdministrators, post: byBody(operation, name) });
    }
    if (operation.getPath)
      routes.set(operation.getPath, { ...routes.get(operation.getPath), get: byQuery(operation) });
  }
  return routes;
}

function byBody(operation: AnyOperation, name: string) {
  const deprecatedSince = operation.deprecatedNames?.[name];
  return (_headers: unknown, sent: Readonly<Record<string, unknown>>, form?: { isText: boolean }) => {
    const input = form?.isText ? inputFromQuery(operation.input, sent) : sent;
    return { operation, style: 'dedicated', input, token: input.launcherJwt, deprecatedSince } as const;
  };
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

/**
 * Feathers' custom methods over HTTP: one path per service, with `X-Service-Method` naming the operation. POST takes
 * any operation; GET takes only reads, with the query as their input.
 */
export function dispatchRoutes(registry: Registry): Routes {
  return new Map([...registry.services].map((service) => [`/${service}`, routeOf(registry, service)]));
}

function routeOf(registry: Registry, service: string): Route {
  return {
    post(headers, sent, form) {
      const operation = requireMethod(registry, service, headers);
      const schema = operation.dispatchInput ?? operation.input;
      const input = form?.isText ? inputFromQuery(schema, sent) : sent;
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
