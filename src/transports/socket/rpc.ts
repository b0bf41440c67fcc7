import type { Socket } from 'socket.io';
import { holdsBytes, maximumDepth, valueNestsTooDeep } from '../../domain/json-value.ts';
import { GantryError, toGantryError } from '../../errors.ts';
import type { CallObserver, ObservedCall } from '../../observability/call-observer.ts';
import type { Connection } from '../../operations/connection.ts';
import type { AnyOperation } from '../../operations/define.ts';
import type { Execute } from '../../operations/execute.ts';
import type { Registry } from '../../operations/registry.ts';
import { asObject } from '../http/body.ts';
import { inputFromQuery } from '../query-input.ts';
import type { Beginning } from './beginnings.ts';

export interface RpcParts {
  registry: Registry;
  execute: Execute;
  observer: CallObserver;
  report(thrown: unknown, callId?: string): void;
}

/** What a call on this socket brings along by itself. */
export interface Caller extends Beginning {
  /** The handshake's token. */
  token: string | undefined;
  connection: Connection | undefined;
}

/**
 * Answers operation calls on a socket, in Feathers' wire format: `emit(method, service, data, query, ack)`,
 * and `emit('find', service, query, ack)`; the ack is called with `(error, result)`. The token is
 * `data.launcherJwt` or, left out, the handshake's. Nothing a client sends may throw out of here: an
 * exception in a Socket.IO handler ends the process.
 */
export function answerCalls(socket: Socket, caller: Caller, parts: RpcParts): void {
  socket.onAny((method: unknown, ...args: unknown[]) => {
    const last = args.at(-1);
    const ack = typeof last === 'function' ? last : undefined;
    const rest = ack ? args.slice(0, -1) : args;
    const call = parts.observer.begin('socket');
    answer(caller, parts, method, rest, call)
      .then(
        (result) => {
          call.end('ok');
          ack?.(null, result);
        },
        (thrown: unknown) => {
          const error = toGantryError(thrown, (defect) => parts.report(defect, call.id));
          call.end(error.reason);
          ack?.(error.toJSON());
        },
      )
      .catch(parts.report);
  });
}

async function answer(
  caller: Caller,
  { registry, execute }: RpcParts,
  method: unknown,
  [service, data]: unknown[],
  call: ObservedCall,
): Promise<unknown> {
  const operation = requireMethod(registry, service, method);
  call.operation = operation.name;
  if (valueNestsTooDeep(data)) {
    throw new GantryError('body_too_deep', `The data nests deeper than ${maximumDepth} levels`);
  }
  if (holdsBytes(data))
    throw new GantryError('body_not_json', 'The data must be JSON, without binary values');
  const sent = data === undefined || data === null ? {} : asObject(data);
  const input = method === 'find' ? inputFromQuery(operation.input, sent) : sent;
  return execute({
    operation,
    style: 'dispatch',
    input,
    credentials: {
      launcherJwt: input.launcherJwt ?? caller.token,
      authorization: caller.authorization,
      origin: caller.origin,
    },
    address: caller.address,
    connection: caller.connection,
    onGame: (gameId) => {
      call.gameId = gameId;
    },
  });
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
