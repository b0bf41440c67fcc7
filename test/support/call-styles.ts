import { FeathersError } from '@feathersjs/errors';
import { feathers, type TransportConnection } from '@feathersjs/feathers';
import rest from '@feathersjs/rest-client';
import socketio from '@feathersjs/socketio-client';
import { io, type Socket } from 'socket.io-client';
import type { AnyOperation } from '../../src/features/operation.ts';
import { get, type Answer as HttpAnswer, post } from './http.ts';
import { isAboutConnection, launcherOperations, pathOf, registry } from './registered.ts';

/** The outcome of a call, whichever way it was made. */
export interface Answer {
  /** The HTTP status; over transports without one, 200 or the error's `code`. */
  status: number;
  /** The result, or the error body. */
  body: unknown;
  /** Everything the caller received. */
  text: string;
  /** The error that a Feathers client rejected with. */
  thrown?: unknown;
}

/** One way to call operations. The launcher token, if any, is in the input. */
export interface Caller extends Disposable {
  /** Each call uses a separate connection, authenticated with the token; the call itself carries none. */
  signsIn: boolean;
  /** Whether calls come over a socket, so that operations about the connection can be executed. */
  overSocket: boolean;
  /** `headers` are those of the HTTP request or, on a socket, of the handshake. */
  call(
    operation: AnyOperation,
    input: Readonly<Record<string, unknown>>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

export type CallStyle = (url: string) => Promise<Caller>;

const dedicated: CallStyle = async (url) => ({
  signsIn: false,
  overSocket: false,
  call: async (operation, input, headers) => fromHttp(await post(url + pathOf(operation), input, headers)),
  [Symbol.dispose]: () => undefined,
});

const dispatch: CallStyle = async (url) => ({
  signsIn: false,
  overSocket: false,
  call: async (operation, input, headers) =>
    fromHttp(await post(`${url}/launcher`, input, { 'X-Service-Method': operation.name, ...headers })),
  [Symbol.dispose]: () => undefined,
});

const socketCalls: CallStyle = async (url) => {
  const shared = await connect(url);
  return {
    signsIn: false,
    overSocket: true,
    // Operations about the connection change its state.
    call: (operation, input, headers) =>
      headers || isAboutConnection(operation)
        ? overOneConnection(url, { headers }, 'launcher', operation.name, input)
        : emit(shared, 'launcher', operation.name, input),
    [Symbol.dispose]: () => void shared.disconnect(),
  };
};

/** Gantry's three native ways, by name; the token is sent with the call. */
export const plainStyles = {
  'dedicated HTTP': dedicated,
  'method dispatch': dispatch,
  'plain Socket.IO': socketCalls,
};

/** One connection per call, as a launcher opens it: the handshake carries the token. */
const signedInSocket: CallStyle = async (url) => ({
  signsIn: true,
  overSocket: true,
  call: ({ name }, { launcherJwt, ...input }, headers) =>
    overOneConnection(url, { auth: { launcherJwt }, headers }, 'launcher', name, input),
  [Symbol.dispose]: () => undefined,
});

/** All native ways. */
export const ownStyles = { ...plainStyles, 'Socket.IO, signed in': signedInSocket };

/** The native ways, and the public Feathers clients as published on npm; these call the operation's own service. */
export const callStyles = {
  ...ownStyles,

  '@feathersjs/rest-client': async (url) => ({
    signsIn: false,
    overSocket: false,
    call: feathersCall(rest.default(url).fetch(fetch)),
    [Symbol.dispose]: () => undefined,
  }),

  '@feathersjs/socketio-client': async (url) => {
    const socket = await connect(url);
    const shared = feathersCall(feathersConnection(socket));
    return {
      signsIn: false,
      overSocket: true,
      call: (operation, input, headers) =>
        headers || isAboutConnection(operation)
          ? withConnection(url, { headers }, (own) => feathersCall(feathersConnection(own))(operation, input))
          : shared(operation, input),
      [Symbol.dispose]: () => void socket.disconnect(),
    };
  },

  '@feathersjs/socketio-client, signed in': async (url) => ({
    signsIn: true,
    overSocket: true,
    call: (operation, { launcherJwt, ...input }, headers) =>
      withConnection(url, { auth: { launcherJwt }, headers }, (socket) =>
        feathersCall(feathersConnection(socket))(operation, input),
      ),
    [Symbol.dispose]: () => undefined,
  }),
} satisfies Record<string, CallStyle>;

/** Method dispatch with GET, for read-only operations: the input is the query string. */
export const dispatchByGet: CallStyle = async (url) => ({
  signsIn: false,
  overSocket: false,
  call: async (operation, input, headers) => {
    const query = new URLSearchParams(
      Object.entries(input).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
    );
    return fromHttp(
      await get(`${url}/launcher?${query}`, { 'X-Service-Method': operation.name, ...headers }),
    );
  },
  [Symbol.dispose]: () => undefined,
});

interface Handshake {
  auth?: Record<string, unknown>;
  headers?: Record<string, string> | undefined;
}

/** Rejects with the error body that the handshake was refused with. */
async function connect(url: string, { auth = {}, headers = {} }: Handshake = {}): Promise<Socket> {
  const socket = io(url, {
    auth,
    extraHeaders: headers,
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', (error: Error & { data?: unknown }) => {
      socket.disconnect();
      reject(error.data ?? error);
    });
  });
  return socket;
}

async function withConnection(
  url: string,
  handshake: Handshake,
  call: (socket: Socket) => Promise<Answer>,
): Promise<Answer> {
  let socket: Socket;
  try {
    socket = await connect(url, handshake);
  } catch (refusal) {
    return refused(refusal);
  }
  try {
    return await call(socket);
  } finally {
    socket.disconnect();
  }
}

/** Opens a connection for one call; `auth` and `headers` are the handshake's. */
export function overOneConnection(
  url: string,
  handshake: Handshake,
  service: string,
  method: string,
  input: object,
): Promise<Answer> {
  return withConnection(url, handshake, (socket) => emit(socket, service, method, input));
}

async function emit(socket: Socket, service: string, method: string, input: object): Promise<Answer> {
  try {
    const result = await new Promise((resolve, reject) => {
      socket.emit(method, service, input, {}, (error: unknown, answer: unknown) =>
        error ? reject(error) : resolve(answer),
      );
    });
    return accepted(result);
  } catch (error) {
    return refused(error);
  }
}

type CustomMethods = Record<string, (data: unknown, params?: object) => Promise<unknown>>;

/** The client is a CommonJS package, typed with socket.io-client's types for that build. */
function feathersConnection(socket: Socket) {
  return socketio.default(socket as unknown as Parameters<typeof socketio.default>[0]);
}

/** Calls through a Feathers application with every service of Gantry registered, as its users would write it. */
function feathersCall(connection: TransportConnection<Record<string, CustomMethods>>): Caller['call'] {
  const app = feathers<Record<string, CustomMethods>>();
  app.configure(connection);
  for (const service of registry.services) {
    const methods = launcherOperations.filter((one) => one.service === service).map((one) => one.name);
    app.use(service, connection.service(service), { methods });
  }
  return async (operation, input, headers) => {
    try {
      return accepted(await app.service(operation.service)[operation.name]?.(input, headers && { headers }));
    } catch (thrown) {
      return fromFeathersError(thrown);
    }
  };
}

function accepted(body: unknown): Answer {
  return { status: 200, body, text: JSON.stringify(body) };
}

function refused(body: unknown): Answer {
  return { status: codeOf(body), body, text: JSON.stringify(body) };
}

export function fromHttp({ status, headers, body }: HttpAnswer): Answer {
  return { status, body, text: JSON.stringify([body, [...headers]]) };
}

/** The error body as the server sent it, extracted from the error that Feathers made of it. */
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
