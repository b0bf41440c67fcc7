import { FeathersError } from '@feathersjs/errors';
import { feathers, type TransportConnection } from '@feathersjs/feathers';
import rest from '@feathersjs/rest-client';
import socketio from '@feathersjs/socketio-client';
import { io } from 'socket.io-client';
import type { AnyOperation } from '../../src/operations/define.ts';
import { kebabCase } from '../../src/operations/registry.ts';
import { get, type Answer as HttpAnswer, post } from './http.ts';
import { connectLauncher } from './launcher.ts';
import { registry } from './registered.ts';

/** What became of a call, whatever it was made by. */
export interface Answer {
  /** The HTTP status; where there is none, 200 or the error's `code`. */
  status: number;
  /** The result, or the error body. */
  body: unknown;
  /** Everything the caller was sent. */
  text: string;
  /** What a Feathers client rejected with. */
  thrown?: unknown;
}

/** One way to call operations. The launcher token, if any, is in the input. */
export interface Caller extends Disposable {
  call(operation: AnyOperation, input: Readonly<Record<string, unknown>>): Promise<Answer>;
}

export type CallStyle = (url: string) => Promise<Caller>;

/** The three ways of Gantry's own, by name. */
export const plainStyles = {
  'dedicated HTTP': async (url) => ({
    call: async (operation, input) => fromHttp(await post(dedicatedUrl(url, operation), input)),
    [Symbol.dispose]: () => undefined,
  }),

  'method dispatch': async (url) => ({
    call: async (operation, input) =>
      fromHttp(await post(`${url}/launcher`, input, { 'X-Service-Method': operation.name })),
    [Symbol.dispose]: () => undefined,
  }),

  'plain Socket.IO': async (url) => {
    const launcher = await connectLauncher(url);
    return {
      call: async (operation, input) => {
        try {
          return accepted(await launcher.call(operation.name, input));
        } catch (error) {
          return { status: codeOf(error), body: error, text: JSON.stringify(error) };
        }
      },
      [Symbol.dispose]: () => launcher[Symbol.dispose](),
    };
  },
} satisfies Record<string, CallStyle>;

/** Those, and the public Feathers clients as they come from npm; these call the operation's own service. */
export const callStyles = {
  ...plainStyles,

  '@feathersjs/rest-client': async (url) => feathersCaller(rest.default(url).fetch(fetch)),

  '@feathersjs/socketio-client': async (url) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false });
    // The client is a CommonJS package and is typed with socket.io-client's types of that build.
    const connection = socket as unknown as Parameters<typeof socketio.default>[0];
    return feathersCaller(socketio.default(connection), () => socket.disconnect());
  },
} satisfies Record<string, CallStyle>;

/** Method dispatch with GET, for operations that change nothing: the input is the query. */
export const dispatchByGet: CallStyle = async (url) => ({
  call: async (operation, input) => {
    const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)]));
    return fromHttp(await get(`${url}/launcher?${query}`, { 'X-Service-Method': operation.name }));
  },
  [Symbol.dispose]: () => undefined,
});

/** The path of an operation's own. */
export function dedicatedUrl(url: string, operation: AnyOperation): string {
  return `${url}/launcher/${kebabCase(operation.name)}`;
}

type CustomMethods = Record<string, (data: unknown) => Promise<unknown>>;

/** A Feathers application with every service Gantry has, as its users would write it. */
function feathersCaller(
  connection: TransportConnection<Record<string, CustomMethods>>,
  disconnect: () => void = () => undefined,
): Caller {
  const app = feathers<Record<string, CustomMethods>>();
  app.configure(connection);
  for (const service of registry.services) {
    const methods = registry.operations.filter((one) => one.service === service).map((one) => one.name);
    app.use(service, connection.service(service), { methods });
  }
  return {
    call: async (operation, input) => {
      try {
        return accepted(await app.service(operation.service)[operation.name]?.(input));
      } catch (thrown) {
        return fromFeathersError(thrown);
      }
    },
    [Symbol.dispose]: disconnect,
  };
}

function accepted(body: unknown): Answer {
  return { status: 200, body, text: JSON.stringify(body) };
}

function fromHttp({ status, headers, body }: HttpAnswer): Answer {
  return { status, body, text: JSON.stringify([body, [...headers]]) };
}

/** The error body as the server sent it, out of the error that Feathers made of it. */
function fromFeathersError(thrown: unknown): Answer {
  if (!(thrown instanceof FeathersError)) throw thrown;
  const { name, message, code, className, data, errors } = thrown;
  const { success, error } = thrown as FeathersError & { success?: unknown; error?: unknown };
  const text = JSON.stringify({ success, error, name, message, code, className, data, errors });
  return { status: code, body: JSON.parse(text), text, thrown };
}

function codeOf(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'code' in error) return Number(error.code);
  throw error;
}
