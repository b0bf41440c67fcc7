import type { Socket } from 'socket.io';
import { asObject } from '../../core/schemas/json-input.ts';
import { holdsBytes, maxDepth, valueNestsTooDeep } from '../../core/schemas/json-value.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import type { Connection } from '../../live/connection.ts';
import type { HandshakeInfo } from '../../live/live-socket.ts';
import type { CallTraffic, SocketTraffic } from '../../live/socket-traffic.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import type { Turns } from '../../runtime/turns.ts';
import type { LargeCall } from '../../states/large-input.ts';
import type { CallObserver, ObservedCall } from '../../telemetry/call-observer.ts';
import { gamesIn } from '../named-games.ts';
import { inputFromQuery } from '../query-input.ts';

export interface RpcParts {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  /** Reads a large call beside everything else, given as JSON; what is large in it becomes a `LargeValue`. */
  readLargeCall(args: string): Promise<LargeCall>;
  /** Large calls are carried out a few at a time. */
  largeCalls: Turns;
  report(thrown: unknown, callId?: string): void;
}

/** What a call on this socket brings along by itself. */
export interface Caller extends HandshakeInfo {
  /** The handshake's token. */
  token: string | undefined;
  connection: Connection | undefined;
  traffic: SocketTraffic;
}

/**
 * Answers operation calls on a socket, in Feathers' wire format: `emit(method, service, data, query, ack)`,
 * and `emit('find', service, query, ack)`; the ack is called with `(error, result)`. The token is
 * `data.launcherJwt` or, left out, the handshake's. `emit(method, data, ack)` is a call of the service `launcher`.
 * Nothing a client sends may throw out of here: an exception in a Socket.IO handler ends the process.
 */
export function answerCalls(socket: Socket, caller: Caller, parts: RpcParts): void {
  const answer = (traffic: CallTraffic, read: Read) => {
    const call = parts.observer.begin('socket', caller.address);
    carryOut(caller, parts, read, call, traffic)
      .then(
        (result) => {
          call.end('ok');
          traffic.answer(null, result);
        },
        (thrown: unknown) => {
          const error = toGantryError(thrown, (defect) => parts.report(defect, call.id));
          call.message = error.message;
          call.end(error.reason);
          traffic.answer(error.toJSON());
        },
      )
      .catch(parts.report);
  };
  // Those with attachments alone: reading and answering the others by Socket.IO is a tenth of what a call costs.
  socket.onAny((...emitted: unknown[]) => {
    const last = emitted.at(-1);
    const ack = typeof last === 'function' ? (...answered: unknown[]) => last(...answered) : undefined;
    const args = ack ? emitted.slice(0, -1) : emitted;
    answer(caller.traffic.beginRead(ack), (call) => parseCall(parts.registry, args, call));
  });
  caller.traffic.onCalls({
    onCall: (asked, emitted) =>
      answer(caller.traffic.begin(asked), (call) => parseCall(parts.registry, emitted, call)),
    // However many come at once, a few large ones are worked on at a time, and other calls go between them.
    onLargeCall: (asked) =>
      answer(caller.traffic.beginLarge(asked), (call) =>
        parts.largeCalls.take(() => readLarge(asked.args, parts, call)),
      ),
  });
}

/** What a call asks for. */
interface ParsedCall {
  operation: AnyOperation;
  input: Record<string, unknown>;
  /** Feathers' query, sent beside the data. */
  query?: unknown;
}

/** Finds out what a call asks for: at once, or in a thread. */
type Read = (call: ObservedCall) => ParsedCall | Promise<ParsedCall>;

async function carryOut(
  caller: Caller,
  { execute }: RpcParts,
  read: Read,
  call: ObservedCall,
  traffic: CallTraffic,
): Promise<unknown> {
  traffic.admit();
  const asked = read(call);
  const { operation, input, query } = asked instanceof Promise ? await asked : asked;
  const alsoNamed = gamesIn(query);
  return execute({
    operation,
    style: 'dispatch',
    input,
    credentials: {
      launcherJwt: input.launcherJwt ?? caller.token,
      authorization: caller.authorization,
      origin: caller.origin,
      games: alsoNamed.length === 0 ? caller.games : [...caller.games, ...alsoNamed],
    },
    address: caller.address,
    connection: caller.connection,
    onCaller: ({ gameId, wallet, isServer }) => {
      call.gameId = gameId;
      call.wallet = wallet;
      call.isServer = isServer;
      traffic.admitCaller({ gameId, wallet: isServer ? undefined : wallet });
    },
  });
}

/** `args` are what was emitted: method, service, data, query, and more that means nothing here. */
function parseCall(
  registry: Registry,
  [method, ...args]: readonly unknown[],
  call: ObservedCall,
): ParsedCall {
  // Some engines' clients can send one payload only: the call is for `launcher` then.
  const [service, data, query] = isPayload(args[0]) ? ['launcher', args[0]] : args;
  const operation = requireMethod(registry, service, method);
  call.operation = operation.name;
  if (valueNestsTooDeep(data)) {
    throw new GantryError('body_too_deep', `The data nests deeper than ${maxDepth} levels`);
  }
  if (holdsBytes(data))
    throw new GantryError('body_not_json', 'The data must be JSON, without binary values');
  // Clients of basement.fun send null where its methods take no data; those of ours leave it out, or send an object.
  const sent = data === null ? { asNames: true } : data === undefined ? {} : asObject(data);
  return { operation, input: method === 'find' ? inputFromQuery(operation.input, sent) : sent, query };
}

/** A large call is read by a thread, and here only for an operation that has no use for what that makes of it. */
async function readLarge(
  args: string,
  { registry, readLargeCall }: RpcParts,
  call: ObservedCall,
): Promise<ParsedCall> {
  const { method, service, input } = await readLargeCall(args);
  if (isPayload(service)) return parseCall(registry, JSON.parse(args), call);
  const operation = requireMethod(registry, service, method);
  if (!operation.takesLargeValues || method === 'find') return parseCall(registry, JSON.parse(args), call);
  call.operation = operation.name;
  return { operation, input };
}

function isPayload(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function requireMethod(registry: Registry, service: unknown, method: unknown): AnyOperation {
  if (typeof service !== 'string' || !registry.services.has(service)) {
    throw new GantryError(
      'service_unknown',
      'The first argument after the method must name a service, such as "launcher"',
    );
  }
  const operation = typeof method === 'string' ? registry.method(service, method) : undefined;
  if (!operation) throw new GantryError('method_unknown', `This is no method of the service ${service}`);
  return operation;
}
