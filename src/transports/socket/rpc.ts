import type { Socket } from 'socket.io';
import type { Call, Execute } from '../../calls/execute.ts';
import { GantryError, toGantryError } from '../../core/errors.ts';
import { shortened } from '../../core/schemas/fields.ts';
import { asObject } from '../../core/schemas/json-input.ts';
import { holdsBytes, maxDepth, valueNestsTooDeep } from '../../core/schemas/json-value.ts';
import { refuseRoundedInput } from '../../core/schemas/rounded-number.ts';
import type { Connection } from '../../features/events/connection.ts';
import { type AnyOperation, bareText, type Registry } from '../../features/operation.ts';
import type { LargeCall } from '../../features/states/large-input.ts';
import { ConcurrencyLimiter } from '../../runtime/concurrency-limiter.ts';
import type { EmittedCall } from '../../runtime/internals/engine-io.ts';
import { type AnyEventListener, onAnyEvent } from '../../runtime/internals/socket-io.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import type { CallObserver, ObservedCall } from '../../telemetry/call-observer.ts';
import type { HandshakeInfo } from '../live/handshake-info.ts';
import type { CallListeners, CallTraffic, SocketTraffic } from '../live/socket-traffic.ts';
import { gamesIn } from '../named-games.ts';
import { inputFromQuery } from '../query-input.ts';

export interface RpcDependencies {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  /** Parses a large call, given as JSON, in a worker thread; large values in it become `LargeValue`s. */
  readLargeCall(args: string): Promise<LargeCall>;
  /** Limits how many large calls run concurrently. */
  largeCalls: ConcurrencyLimiter;
  report(thrown: unknown, callId?: string): void;
}

/**
 * After this time, in milliseconds, a call about the connection no longer has others wait: one that changes the status
 * waits for up to five seconds for a Redis that does not answer.
 */
const maxTurnMs = 500;

/** What every call on a socket carries from its connection. */
export interface Caller extends HandshakeInfo {
  /** Its token is the handshake's, or a later one of the same session. */
  session: { readonly token: string } | null;
  connection: Connection | undefined;
  traffic: SocketTraffic;
}

/**
 * Answers operation calls on a socket, in Feathers' wire format: `emit(method, service, data, query, ack)`,
 * and `emit('find', service, query, ack)`; the ack is called with `(error, result)`. The token is
 * `data.launcherJwt` or, if omitted, the handshake's. `emit(method, data, ack)` is a call of the service `launcher`.
 * No input may make this throw: an exception in a Socket.IO handler ends the process.
 */
export function answerCalls(socket: Socket, caller: Caller, dependencies: RpcDependencies): void {
  const calls = new SocketCalls(caller, dependencies);
  // Only calls with attachments: for the others, parsing and answering by Socket.IO would be a tenth of a call's cost.
  onAnyEvent(socket, calls);
  caller.traffic.onCalls(calls);
}

class SocketCalls implements CallListeners, AnyEventListener {
  readonly #caller: Caller;
  readonly #dependencies: RpcDependencies;
  /** Null until it is needed: many connections have no such calls. */
  #inOrder: ConcurrencyLimiter | null = null;

  constructor(caller: Caller, dependencies: RpcDependencies) {
    this.#caller = caller;
    this.#dependencies = dependencies;
  }

  onCall(request: EmittedCall, emitted: unknown[]): void {
    this.#answer(this.#caller.traffic.begin(request), (call) => {
      const parsed = parseCall(this.#dependencies.registry, emitted, call);
      refuseRoundedInput(request.args, 1);
      return parsed;
    });
  }

  /** Only a few large calls are processed concurrently, so that other calls run in between. */
  onLargeCall(request: EmittedCall): void {
    const { largeCalls } = this.#dependencies;
    this.#answer(this.#caller.traffic.beginLarge(request), (call) =>
      largeCalls.take(() => readLarge(request.args, this.#dependencies, call)),
    );
  }

  onAnyEvent(emitted: readonly unknown[]): void {
    const last = emitted.at(-1);
    const ack = typeof last === 'function' ? (...answered: unknown[]) => last(...answered) : undefined;
    const args = ack ? emitted.slice(0, -1) : emitted;
    this.#answer(this.#caller.traffic.beginRead(ack), (call) =>
      parseCall(this.#dependencies.registry, args, call),
    );
  }

  #answer(traffic: CallTraffic, read: Read): void {
    const dependencies = this.#dependencies;
    const call = dependencies.observer.begin('socket', this.#caller.address);
    this.#run(read, call, traffic)
      .then(
        (result) => {
          call.end('ok');
          traffic.answer(null, result);
        },
        (thrown: unknown) => {
          const error = toGantryError(thrown, (defect) => dependencies.report(defect, call.id));
          call.message = error.message;
          call.end(error.reason);
          traffic.answer(error.toJSON());
        },
      )
      .catch(dependencies.report);
  }

  async #run(read: Read, call: ObservedCall, traffic: CallTraffic): Promise<unknown> {
    traffic.admit();
    const parsed = read(call);
    const { operation, input, query } = parsed instanceof Promise ? await parsed : parsed;
    const caller = this.#caller;
    const gamesOfQuery = gamesIn(query);
    return this.#execute({
      operation,
      style: 'dispatch',
      input,
      credentials: {
        launcherJwt: input.launcherJwt ?? caller.session?.token,
        authorization: caller.authorization,
        origin: caller.origin,
        gameVersion: caller.gameVersion,
        games: gamesOfQuery.length === 0 ? caller.games : [...caller.games, ...gamesOfQuery],
      },
      address: caller.address,
      connection: caller.connection,
      onCaller: ({ gameId, wallet, isServer, budget }) => {
        call.gameId = gameId;
        call.wallet = wallet;
        call.isServer = isServer;
        traffic.admitCaller({ gameId, wallet: budget });
      },
    });
  }

  #execute(call: Call): Promise<unknown> {
    return call.operation.service === 'realtime-events'
      ? this.#executeInOrder(call)
      : this.#dependencies.execute(call);
  }

  /**
   * Calls about the connection itself are executed one by one, in the order in which they were sent, so that the last one
   * takes effect.
   */
  async #executeInOrder(call: Call): Promise<unknown> {
    this.#inOrder ??= new ConcurrencyLimiter(1);
    const { answer } = await this.#inOrder.take(async () => {
      const executing = this.#dependencies.execute(call);
      await withTimeout(maxTurnMs, executing);
      return { answer: executing };
    });
    return answer;
  }
}

/** An operation call parsed from a packet. */
interface ParsedCall {
  operation: AnyOperation;
  input: Record<string, unknown>;
  /** Feathers' query, sent beside the data. */
  query?: unknown;
}

/** Parses a call: synchronously, or in a worker thread. */
type Read = (call: ObservedCall) => ParsedCall | Promise<ParsedCall>;

/** Parses what was emitted: method, service, data, query; further arguments are ignored. */
function parseCall(
  registry: Registry,
  [method, ...args]: readonly unknown[],
  call: ObservedCall,
): ParsedCall {
  // Some engines' clients can send only one payload: the service is `launcher` then.
  const [service, data, query] = isPayload(args[0]) ? ['launcher', args[0]] : args;
  const operation = requireMethod(registry, service, method);
  call.operation = operation.name;
  if (valueNestsTooDeep(data)) {
    throw new GantryError('body_too_deep', `The data nests deeper than ${maxDepth} levels`);
  }
  if (holdsBytes(data))
    throw new GantryError('body_not_json', 'The data must be JSON, without binary values');
  // basement.fun's clients send null where its methods take no data; ours omit it or send an object.
  const sent =
    data === null
      ? { asNames: true }
      : data === undefined
        ? {}
        : (bareText(operation, data) ?? asObject(data));
  return { operation, input: method === 'find' ? inputFromQuery(operation.input, sent) : sent, query };
}

/** Parses a large call in a worker thread, and again here for operations that do not take `LargeValue`s. */
async function readLarge(
  args: string,
  { registry, readLargeCall }: RpcDependencies,
  call: ObservedCall,
): Promise<ParsedCall> {
  const { method, service, input } = await readLargeCall(args);
  if (isPayload(service)) return parseCall(registry, JSON.parse(args), call);
  const operation = requireMethod(registry, service, method);
  if (!operation.takesLargeValues || method === 'find') return parseCall(registry, JSON.parse(args), call);
  call.operation = operation.name;
  return { operation, input };
}

function describeUnknown(service: unknown, { services }: Registry): string {
  if (typeof service !== 'string') {
    return 'The first argument after the method must name a service, such as "launcher"';
  }
  // Where Feathers' clients sign in (`app.authenticate`).
  if (service === 'authentication') {
    return (
      'There is no service authentication: send the launcherJwt as auth.launcherJwt of the handshake, or in the ' +
      'data of each call'
    );
  }
  return `There is no service ${shortened(service, 50)}: the services are ${[...services].join(', ')}`;
}

function isPayload(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function requireMethod(registry: Registry, service: unknown, method: unknown): AnyOperation {
  if (typeof service !== 'string' || !registry.services.has(service)) {
    throw new GantryError('service_unknown', describeUnknown(service, registry));
  }
  const operation = typeof method === 'string' ? registry.method(service, method) : undefined;
  if (!operation) throw new GantryError('method_unknown', `The service ${service} has no such method`);
  return operation;
}
