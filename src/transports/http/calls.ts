import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { jsonObjectIn } from '../../core/schemas/json-input.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import type { LimitState } from '../../limits/rate-limits.ts';
import type { Holding, Traffic, TrafficOf } from '../../limits/traffic.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { Turns } from '../../runtime/turns.ts';
import type { CallObserver, ObservedCall, Outcome } from '../../telemetry/call-observer.ts';
import { gameBelow, gamesInQuery } from '../named-games.ts';
import { dropBody, largeBodyBytes, readBody } from './body.ts';
import { BodyIntake } from './body-intake.ts';
import { credentialsOf, idempotencyKeyOf } from './credentials.ts';
import { originHeaders } from './cross-origin.ts';
import { dedicatedRoutes } from './dedicated.ts';
import { dispatchRoutes } from './dispatch.ts';
import { KnownSpenders, lookedThroughBytes } from './known-spenders.ts';
import { type Headers, limitHeaders, sendError, sendJson } from './respond.ts';
import type { ParseCall, ParsedCall, Route, Routes } from './routes.ts';

export interface CallParts {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  /** Where a request comes from, proxies that are trusted left aside. */
  addressOf(request: IncomingMessage): string;
  traffic: Traffic;
  /** Reads a large input beside everything else; what is large in it becomes a `LargeValue`. */
  readLarge(bytes: Buffer): Promise<Record<string, unknown>>;
  /** @throws GantryError unless `Authorization` holds an administrator's token */
  requireAdmin(request: IncomingMessage, tell?: (state: LimitState) => void): Promise<void>;
  /** Told of every unexpected error. */
  report(thrown: unknown, callId?: string): void;
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Answers operation calls, on the paths of all operations; what is for none of them goes on to `next`. It
 * comes before everything else in the app and asks nothing of Express, whose routing, body parser and headers
 * take longer than the rest of a call.
 */
export function operationCalls(parts: CallParts): Middleware {
  const { registry, execute, observer, addressOf, traffic, readLarge, requireAdmin, report } = parts;
  const routes: Routes = dispatchRoutes(registry);
  for (const [path, route] of dedicatedRoutes(registry)) routes.set(path, { ...routes.get(path), ...route });

  /** However many come at once, a few large bodies are worked on at a time, and other calls go between them. */
  const largeBodies = new Turns(largeAtOnce);
  const spenders = new KnownSpenders();
  const intake = new BodyIntake();

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    { call, head }: Answering,
  ): Promise<Outcome> {
    const read = readerOf(route, request, response);
    const of: TrafficOf = { address: call.address, wallet: undefined, gameId: undefined };
    const held = traffic.hold(of.address, (holding) => releaseWhenClosed(response, holding));
    const onLimit = (state: LimitState) => head.stands(state);
    try {
      // Before anything is read or looked up for it.
      traffic.admit(of);
      held.admit();
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
    const carryOut = async (bytes: Buffer): Promise<Outcome> => {
      const asked = parseCall(request, bytes, route, read);
      const { operation, style, input, token } = asked instanceof Promise ? await asked : asked;
      call.operation = operation.name;
      const result = await execute({
        operation,
        style,
        input,
        credentials: credentialsOf(request, token, bytes, gamesNamedBy(request)),
        idempotencyKey: idempotencyKeyOf(request),
        address: of.address,
        onCaller: ({ gameId, wallet, isServer }) => {
          call.gameId = gameId;
          call.wallet = wallet;
          call.isServer = isServer;
          // What a server sends and is answered is the game's, whomever it is about.
          const spender = { gameId, wallet: isServer ? undefined : wallet };
          try {
            traffic.admit(spender);
          } catch (refused) {
            spenders.remember(token, spender);
            throw refused;
          }
          of.gameId = spender.gameId;
          of.wallet = spender.wallet;
        },
        onLimit,
      });
      const sent = sendJson(response, 200, result, head.headers());
      traffic.spend(of, sent);
      if (sent > largeAnswerBytes) {
        held.take(sent);
        closeUnlessTaken(response, sent);
      }
      return 'ok';
    };
    let bytes: Buffer | null = noBytes;
    if (request.method === 'POST') {
      bytes = await readBody(request, response, { count: held, intake, begins: refuseSpender });
      if (bytes === null) return 'aborted'; // while it was being read
    }
    const whole = bytes;
    try {
      if (whole.length < largeBodyBytes) return await carryOut(whole);
      refuseSpender(whole, whole.subarray(-lookedThroughBytes));
      return await largeBodies.take(() => carryOut(whole));
    } finally {
      traffic.spend(of, whole.length); // whatever came of it: one that cannot be read has been sent all the same
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
    if (bytes.length >= largeBodyBytes && !route.isForAdministrators)
      return parseLargeCall(headers, bytes, read);
    return read(headers, jsonObjectIn(bytes));
  }

  /** A large body is read by a thread, and here only for an operation that has no use for what that makes of it. */
  async function parseLargeCall(
    headers: IncomingHttpHeaders,
    bytes: Buffer,
    read: ParseCall,
  ): Promise<ParsedCall> {
    const asked = read(headers, await readLarge(bytes));
    return asked.operation.takesLargeValues ? asked : read(headers, jsonObjectIn(bytes));
  }

  return (request, response, next) => {
    if (request.method === 'OPTIONS') return next();
    const named = gameBelow(request.url ?? '');
    const path = pathOf(named?.url ?? request.url ?? '');
    const found = routes.get(path) ?? routes.get(plain(path));
    // Administration is of no game.
    const route = named && found?.isForAdministrators ? nothing : found;
    if (!route && !isForOperations(path)) return next();
    const call = observer.begin('http', addressOf(request));
    const head = new AnswerHead(call.id, originHeaders(request));
    answer(request, response, route ?? nothing, { call, head })
      .catch((thrown: unknown) => {
        const error = toGantryError(thrown, (defect) => report(defect, call.id));
        call.message = error.message;
        if (response.headersSent)
          response.destroy(); // too late to say anything
        else sendError(response, error, head.headers());
        return error.reason;
      })
      .then((outcome) => call.end(outcome))
      .catch((defect: unknown) => report(defect, call.id)); // unhandled, it would end the process
  };
}

/** A call over HTTP, and what its answer will say beside the result. */
interface Answering {
  call: ObservedCall;
  head: AnswerHead;
}

/** The headers of an operation call's answer. */
class AnswerHead {
  readonly #callId: string;
  readonly #ofOrigin: Headers;
  #limit: LimitState | null = null;

  constructor(callId: string, ofOrigin: Headers) {
    this.#callId = callId;
    this.#ofOrigin = ofOrigin;
  }

  /** How the limit stands that the caller is told of. */
  stands(limit: LimitState): void {
    this.#limit = limit;
  }

  headers(): Headers {
    return [
      'X-Request-Id',
      this.#callId,
      ...(this.#limit ? limitHeaders(this.#limit) : []),
      ...this.#ofOrigin,
    ];
  }
}

/** A caller that is gone takes nothing any more; one that goes later is heard of. */
function releaseWhenClosed(response: ServerResponse, held: Holding): void {
  if (response.destroyed) held.release();
  else response.once('close', () => held.release());
}

/** Who takes an answer more slowly is disconnected: it would be held in memory for as long as the caller likes. */
export const slowestBytesPerSecond = 16 * 1024;
const largeAnswerBytes = 64 * 1024;
const takenAnywayMs = 10_000;

function closeUnlessTaken(response: ServerResponse, bytes: number): void {
  const timer = setTimeout(
    () => response.destroy(),
    takenAnywayMs + (bytes / slowestBytesPerSecond) * 1000,
  ).unref();
  response.once('close', () => clearTimeout(timer));
}

const largeAtOnce = 4;

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

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Those of the path and, with a body as the input, of the query; with GET the query is the input. */
function gamesNamedBy({ url = '', method }: IncomingMessage): string[] {
  const named = gameBelow(url);
  const inQuery = method === 'POST' ? gamesInQuery(url) : [];
  return named ? [named.game, ...inQuery] : inQuery;
}

/** A path as its routes are written; letter case and a slash at the end do not matter. */
function plain(path: string): string {
  const lower = path.toLowerCase();
  return lower.endsWith('/') ? lower.slice(0, -1) : lower;
}

/** Whether nothing but operations lies below a path; links to backups lie below `/admin` too. */
function isForOperations(path: string): boolean {
  return /^\/(launcher|admin)\/./i.test(path) && !path.startsWith('/admin/backups/');
}

/** The query's names and texts; of several with one name, a list. */
function queryOf({ url = '' }: IncomingMessage): Record<string, unknown> {
  const start = url.indexOf('?');
  return start === -1 ? {} : parseQuery(url.slice(start + 1));
}
