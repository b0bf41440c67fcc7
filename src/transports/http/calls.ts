import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Credentials } from '../../calls/auth/authenticator.ts';
import { checkClientVersion } from '../../calls/auth/client-version.ts';
import type { Execute } from '../../calls/execute.ts';
import type { LimitState } from '../../calls/limits/rate-limits.ts';
import type { Holding, Traffic, TrafficOf } from '../../calls/limits/traffic.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { jsonObjectIn, jsonTextIn } from '../../core/schemas/json-input.ts';
import { version, versionHeader } from '../../core/version.ts';
import { bareText, type Registry } from '../../features/operation.ts';
import { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import type { CallObserver, ObservedCall, Outcome } from '../../telemetry/call-observer.ts';
import { gameBelow, gamesInQuery } from '../named-games.ts';
import {
  dropBody,
  type Headers,
  largeBodyBytes,
  limitHeaders,
  readBody,
  sendError,
  sendJson,
} from './bodies.ts';
import { BodyIntake } from './body-intake.ts';
import { originHeaders } from './cross-origin.ts';
import { decodeForm } from './form-body.ts';
import { OverBudgetTokens, scannedBytes } from './over-budget-tokens.ts';
import {
  dedicatedRoutes,
  dispatchRoutes,
  type ParseCall,
  type ParsedCall,
  type Route,
  type Routes,
} from './routes.ts';
import { closeIfSlow, SlowBodies } from './slow-clients.ts';

export interface CallDependencies {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  /** The client's address, as seen through trusted proxies. */
  addressOf(request: IncomingMessage): string;
  traffic: Traffic;
  /** Parses a large input in a worker thread; large values in it become `LargeValue`s. */
  readLarge(bytes: Buffer): Promise<Record<string, unknown>>;
  /** @throws GantryError unless `Authorization` holds an administrator's token */
  requireAdmin(request: IncomingMessage, onLimit?: (state: LimitState) => void): Promise<void>;
  /** Called with every call by a deprecated name, and the operation's own. */
  onDeprecated(used: { path: string; operation: string }): void;
  /** Called with every unexpected error. */
  report(thrown: unknown, callId?: string): void;
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Answers operation calls on the paths of all operations and passes every other request to `next`. It must be the app's
 * first middleware and does not use Express, whose routing, body parser and headers take longer than the rest of a
 * call.
 */
export function operationCalls(dependencies: CallDependencies): Middleware {
  const { registry, execute, observer, addressOf, traffic, readLarge, requireAdmin, onDeprecated, report } =
    dependencies;
  const routes: Routes = dispatchRoutes(registry);
  for (const [path, route] of dedicatedRoutes(registry)) routes.set(path, { ...routes.get(path), ...route });

  /** Limits how many large bodies are processed concurrently, so that other calls run in between. */
  const largeBodies = new ConcurrencyLimiter(maxLargeBodies);
  const spenders = new OverBudgetTokens();
  const intake = new BodyIntake();
  const slow = new SlowBodies();

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    { call, head }: HttpCall,
  ): Promise<Outcome> {
    const read = readerOf(route, request, response);
    const owner: TrafficOf = { address: call.address, wallet: undefined, gameId: undefined };
    const memory = traffic.hold(owner.address, (holding) => releaseWhenClosed(response, holding));
    const onLimit = (state: LimitState) => head.setLimit(state);
    try {
      // Checked before the body is read and before any lookup.
      traffic.admit(owner);
      memory.admit();
      const warning = checkClientVersion(request.headers['x-gantry-version']);
      if (warning !== null) head.addWarning(warning);
      if (route.isForAdministrators) await requireAdmin(request, onLimit);
    } catch (refused) {
      dropBody(request, response, intake);
      throw refused;
    }
    const refuseSpender = (...parts: Buffer[]) => {
      const spender = spenders.find(request.headers['x-launcher-jwt'], parts);
      if (!spender) return;
      Object.assign(call, spender);
      traffic.admit(spender);
    };
    const run = async (bytes: Buffer): Promise<Outcome> => {
      const parsed = parseCall(request, bytes, route, read);
      const { operation, style, input, token, deprecatedSince } =
        parsed instanceof Promise ? await parsed : parsed;
      call.operation = operation.name;
      if (deprecatedSince !== undefined) {
        head.setDeprecated(deprecatedSince);
        onDeprecated({ path: normalizePath(pathOf(request.url ?? '')), operation: operation.name });
      }
      const result = await execute({
        operation,
        style,
        input,
        isQuery: request.method !== 'POST',
        credentials: credentialsOf(request, token, bytes, gamesNamedBy(request)),
        idempotencyKey: idempotencyKeyOf(request),
        address: owner.address,
        onCaller: ({ gameId, wallet, isServer, budget }) => {
          call.gameId = gameId;
          call.wallet = wallet;
          call.isServer = isServer;
          const spender = { gameId, wallet: budget };
          try {
            traffic.admit(spender);
          } catch (refused) {
            spenders.remember(token, spender);
            throw refused;
          }
          owner.gameId = spender.gameId;
          owner.wallet = spender.wallet;
        },
        onLimit,
        onWarning: (message) => head.addWarning(message),
      });
      const sent = sendJson(response, 200, result, head.headers());
      traffic.spend(owner, sent);
      if (sent > largeAnswerBytes) {
        memory.take(sent);
        closeIfSlow(response, sent);
      }
      return 'ok';
    };
    let bytes: Buffer | null = noBytes;
    if (request.method === 'POST') {
      bytes = await readBody(request, response, { count: memory, intake, slow, onStart: refuseSpender });
      if (bytes === null) return 'aborted'; // while reading the body
    }
    const whole = bytes;
    try {
      if (whole.length < largeBodyBytes) return await run(whole);
      refuseSpender(whole, whole.subarray(-scannedBytes));
      return await largeBodies.take(() => run(whole));
    } finally {
      traffic.spend(owner, whole.length); // an invalid body was received too
    }
  }

  function parseCall(
    request: IncomingMessage,
    bytes: Buffer,
    route: Route,
    read: ParseCall,
  ): ParsedCall | Promise<ParsedCall> {
    const { headers, method } = request;
    if (method !== 'POST') return read(headers, queryOf(request));
    const form = decodeForm(headers, bytes);
    if (form && 'fields' in form) return read(headers, form.fields, { isText: true });
    const json = form ? form.json : bytes;
    if (json.length >= largeBodyBytes && !route.isForAdministrators)
      return parseLargeCall(headers, json, read);
    return readBareText(headers, json, read) ?? read(headers, jsonObjectIn(json));
  }

  /** Parses a body that is a text, for the operations that take one; null: any other body. */
  function readBareText(headers: IncomingHttpHeaders, json: Buffer, read: ParseCall): ParsedCall | null {
    const text = jsonTextIn(json);
    if (text === null) return null;
    const parsed = read(headers, {});
    const input = bareText(parsed.operation, text);
    return input && { ...parsed, input };
  }

  /** Parses a large body in a worker thread, and again here for operations that do not take `LargeValue`s. */
  async function parseLargeCall(
    headers: IncomingHttpHeaders,
    bytes: Buffer,
    read: ParseCall,
  ): Promise<ParsedCall> {
    const parsed = read(headers, await readLarge(bytes));
    return parsed.operation.takesLargeValues ? parsed : read(headers, jsonObjectIn(bytes));
  }

  return (request, response, next) => {
    if (request.method === 'OPTIONS') return next();
    const named = gameBelow(request.url ?? '');
    const path = pathOf(named?.url ?? request.url ?? '');
    const found = routes.get(path) ?? routes.get(normalizePath(path));
    // Administrators' operations are not served below a game's address.
    const route = named && found?.isForAdministrators ? emptyRoute : found;
    if (!route && !isForOperations(path)) return next();
    const call = observer.begin('http', addressOf(request));
    const head = new ResponseHead(call.id, originHeaders(request));
    answer(request, response, route ?? emptyRoute, { call, head })
      .catch((thrown: unknown) => {
        const error = toGantryError(thrown, (defect) => report(defect, call.id));
        call.message = error.message;
        if (response.headersSent)
          response.destroy(); // too late to send an error
        else sendError(response, error, head.headers());
        return error.reason;
      })
      .then((outcome) => call.end(outcome))
      .catch((defect: unknown) => report(defect, call.id)); // an unhandled rejection would end the process
  };
}

/** A call over HTTP, and the headers of its response. */
interface HttpCall {
  call: ObservedCall;
  head: ResponseHead;
}

/** The response headers of an operation call. */
class ResponseHead {
  readonly #callId: string;
  readonly #originHeaders: Headers;
  #limit: LimitState | null = null;
  #warning = '';
  #deprecatedSince: string | null = null;

  constructor(callId: string, originHeaders: Headers) {
    this.#callId = callId;
    this.#originHeaders = originHeaders;
  }

  /** Sets the limit that the `RateLimit` headers report. */
  setLimit(limit: LimitState): void {
    this.#limit = limit;
  }

  /** Sets the `Deprecation` header (RFC 9745) to a date. */
  setDeprecated(since: string): void {
    this.#deprecatedSince = since;
  }

  /** Adds a message to the `Gantry-Warning` header; what is beyond its length is left out. ASCII. */
  addWarning(message: string): void {
    const separator = this.#warning === '' ? '' : '; ';
    this.#warning = `${this.#warning}${separator}${message}`.slice(0, maxWarningLength);
  }

  headers(): Headers {
    return [
      'X-Request-Id',
      this.#callId,
      versionHeader,
      version,
      ...(this.#warning === '' ? [] : ['Gantry-Warning', this.#warning]),
      ...(this.#deprecatedSince === null
        ? []
        : ['Deprecation', `@${Date.parse(this.#deprecatedSince) / 1000}`, ...deprecationLink]),
      ...(this.#limit ? limitHeaders(this.#limit) : []),
      ...this.#originHeaders,
    ];
  }
}

/** A response that is already destroyed emits no further `close` event. */
function releaseWhenClosed(response: ServerResponse, memory: Holding): void {
  if (response.destroyed) memory.release();
  else response.once('close', () => memory.release());
}

const deprecationLink = ['Link', '</docs/stability#deprecation>; rel="deprecation"; type="text/html"'];
const largeAnswerBytes = 64 * 1024;
const maxWarningLength = 1_000;
const maxLargeBodies = 4;

const noBytes = Buffer.alloc(0);
const emptyRoute: Route = {};

/** @throws GantryError `path_unknown`, `method_unknown` */
function readerOf({ get, post }: Route, { method }: IncomingMessage, response: ServerResponse) {
  if (!get && !post) throw new GantryError('path_unknown', 'There is no such path');
  const read = method === 'POST' ? post : method === 'GET' || method === 'HEAD' ? get : undefined;
  if (read) return read;
  const methods = [get && 'GET', post && 'POST'].filter(Boolean);
  response.setHeader('Allow', methods.join(', '));
  throw new GantryError(
    'method_unknown',
    `${method} is not allowed for this path: use ${methods.reverse().join(' or ')}`,
  );
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The games named by the path and, for POST, by the query; with GET the query is the input. */
function gamesNamedBy({ url = '', method }: IncomingMessage): string[] {
  const named = gameBelow(url);
  const inQuery = method === 'POST' ? gamesInQuery(url) : [];
  return named ? [named.game, ...inQuery] : inQuery;
}

/** A path as routes are keyed: in lower case, without a trailing slash. */
function normalizePath(path: string): string {
  const lower = path.toLowerCase();
  return lower.endsWith('/') ? lower.slice(0, -1) : lower;
}

/** Whether only operations are served at a path; backup links are below `/admin` too. */
function isForOperations(path: string): boolean {
  return /^\/(launcher|admin)\/./i.test(path) && !path.startsWith('/admin/backups/');
}

/** The query's parameters; a repeated one becomes an array. */
function queryOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  const start = url.indexOf('?');
  return start === -1 ? {} : parseQuery(url.slice(start + 1));
}

/** The credentials of a request with this body; the token comes from the input (INTERFACE.md section 5). */
function credentialsOf(
  request: IncomingMessage,
  launcherJwt: unknown,
  body: Buffer,
  games: readonly string[],
): Credentials {
  const { headers } = request;
  return {
    launcherJwt,
    games,
    // Node keeps the first of several, but a proxy in front may have checked the last.
    authorization: headers.authorization && request.headersDistinct.authorization?.join(', '),
    origin: headers.origin,
    gameVersion: headers['x-game-version'],
    signature: {
      nonce: single(headers['x-request-nonce']),
      signature: single(headers['x-request-signature']),
      timestamp: single(headers['x-request-timestamp']),
      method: request.method ?? '',
      url: request.url ?? '',
      serviceMethod: single(headers['x-service-method']),
      launcherJwt: single(headers['x-launcher-jwt']),
      body,
    },
  };
}

/** The `Idempotency-Key` header; undefined when missing or empty. */
function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  return single(headers['idempotency-key']) || undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
