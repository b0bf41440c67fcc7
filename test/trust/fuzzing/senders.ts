import { Agent, request } from 'node:http';
import { io, type Socket } from 'socket.io-client';
import { z } from 'zod';
import { kebabCase } from '../../../src/features/operation.ts';
import type { Plan, TextChange } from './plans.ts';
import { absent, toText, withOwn } from './values.ts';
import { validInput, type World } from './world.ts';

/** The outcome of a call: a status (over the socket the error's code or 200), or why there was none. */
export interface Outcome {
  result: number | 'hung' | 'cut off' | 'no acknowledgement requested' | 'not sent';
  /** The response, or the failure. */
  body: unknown;
}

/** Longer than any call may take: erasing a player takes two seconds. */
const answerWithinMs = 15_000;

export interface Target {
  url: string;
  adminToken: string;
  world: World;
}

/** The text of a plan's input, derived from a valid one. */
export function inputText(
  { operation, way, changes, asServer, token: tokenChange, extra, whole }: Plan,
  { world }: Pick<Target, 'world'>,
): string {
  const token = operation.name === 'openChannelSession' ? world.ownLauncherJwt : world.launcherJwt;
  if (whole) return toText(whole[0], token);
  const valid = validInput(operation, world);
  const who = asServer ? { wallet: world.otherWallet } : { launcherJwt: token };
  const input: Record<string, unknown> = { ...(way !== 'find' && who), ...valid };
  const tokenChanges = tokenChange ? [[asServer ? 'wallet' : 'launcherJwt', tokenChange[0]] as const] : [];
  for (const [name, value] of [...changes, ...tokenChanges, ...extra]) {
    if (value === absent) delete input[name];
    else withOwn(input, name, value);
  }
  return toText(input, token);
}

export class HttpSender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  send(plan: Plan): Promise<Outcome> {
    const { operation, way, method, service, textChange } = plan;
    const isAdmin = operation.service === 'admin';
    const headers: Record<string, string> = {
      ...(isAdmin && { Authorization: `Bearer ${this.#target.adminToken}` }),
      ...(plan.asServer && { Authorization: `Bearer ${this.#target.world.gameSecret}` }),
      ...(way !== 'dedicated' && isHeader(method) && { 'X-Service-Method': method }),
      ...plan.headers,
    };
    const text = inputText(plan, this.#target);
    const name = kebabCase(typeof method === 'string' ? method : operation.name);
    if (way === 'query') return this.#get(`/${pathPart(service)}?${queryOf(text)}`, headers);
    const path =
      way === 'dispatch' ? `/${pathPart(service)}` : `/${isAdmin ? 'admin' : 'launcher'}/${pathPart(name)}`;
    return this.#request('POST', path, headers, textChange ? changed(text, textChange) : Buffer.from(text));
  }

  close(): void {
    this.#agent.destroy();
  }

  #get(path: string, headers: Record<string, string>): Promise<Outcome> {
    return this.#request('GET', path.slice(0, 15_000), headers, null);
  }

  #request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer | null,
  ): Promise<Outcome> {
    const { hostname, port } = new URL(this.#target.url);
    return new Promise((resolve) => {
      const requested = request({ hostname, port, method, path, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.once('end', () => resolve({ result: response.statusCode ?? 0, body: parsed(text) }));
        response.once('error', (error) => resolve({ result: 'cut off', body: error.message }));
      });
      requested.setTimeout(answerWithinMs, () => {
        resolve({ result: 'hung', body: null });
        requested.destroy();
      });
      requested.once('error', (error) => resolve({ result: 'cut off', body: error.message }));
      requested.end(body ?? undefined);
    });
  }
}

const errorWithCode = z.object({ code: z.int() });

/** A launcher's socket that is reopened whenever it was closed. */
export class SocketSender {
  readonly #target: Target;
  readonly #withToken: boolean;
  #socket: Promise<Socket> | null = null;

  constructor(target: Target, withToken: boolean) {
    this.#target = target;
    this.#withToken = withToken;
  }

  async send(plan: Plan): Promise<Outcome> {
    const socket = await this.#connected();
    return socket.connected ? this.#call(socket, plan) : { result: 'cut off', body: null };
  }

  /** Opens a socket for this call only, with the plan's handshake; a refused one is the outcome. */
  async sendAfter(handshake: Readonly<Record<string, unknown>>, plan: Plan): Promise<Outcome> {
    const { url, world } = this.#target;
    const auth: Record<string, unknown> = JSON.parse(toText(handshake, world.launcherJwt));
    const socket = newSocket(url, auth);
    try {
      const refused = await new Promise<Outcome | null>((resolve) => {
        setTimeout(() => resolve({ result: 'hung', body: 'the handshake' }), answerWithinMs).unref();
        socket.once('connect', () => resolve(null));
        socket.once('disconnect', (reason) => resolve({ result: 'cut off', body: reason }));
        socket.once('connect_error', (error) => {
          const body: unknown = Reflect.get(error, 'data');
          const code = errorWithCode.safeParse(body);
          resolve({ result: code.data?.code ?? 'cut off', body: body ?? error.message });
        });
      });
      return refused ?? (await this.#call(socket, plan));
    } finally {
      socket.disconnect();
    }
  }

  #call(socket: Socket, plan: Plan): Promise<Outcome> {
    const { way, method, service, operation, hasAck, moreArguments } = plan;
    // What socket.io-client refuses to emit never reaches the server.
    const isReserved = [
      'connect',
      'connect_error',
      'disconnect',
      'disconnecting',
      'newListener',
      'removeListener',
    ];
    const event = typeof method === 'string' && !isReserved.includes(method) ? method : operation.name;
    const data: unknown = JSON.parse(inputText(plan, this.#target).replaceAll('1e999', '1e308'));
    const sent = [service, data, ...(way === 'find' ? [] : [{}]), ...moreArguments.map(withBytes)];
    const name = way === 'find' ? 'find' : event;
    if (!hasAck) {
      const isSent = emits(socket, name, sent);
      return Promise.resolve({ result: isSent ? 'no acknowledgement requested' : 'not sent', body: null });
    }
    return new Promise((resolve) => {
      const onClose = () => finish({ result: 'cut off', body: null });
      const timer = setTimeout(() => finish({ result: 'hung', body: null }), answerWithinMs);
      const finish = (outcome: Outcome) => {
        clearTimeout(timer);
        socket.off('disconnect', onClose);
        resolve(outcome);
      };
      socket.once('disconnect', onClose);
      const onAnswer = (error: unknown, body: unknown) => {
        const code = errorWithCode.safeParse(error);
        finish(error ? { result: code.data?.code ?? 0, body: error } : { result: 200, body });
      };
      if (!emits(socket, name, [...sent, onAnswer])) finish({ result: 'not sent', body: null });
    });
  }

  async close(): Promise<void> {
    (await this.#socket)?.disconnect();
  }

  #connected(): Promise<Socket> {
    this.#socket ??= this.#connect();
    return this.#socket;
  }

  async #connect(): Promise<Socket> {
    const { url, world } = this.#target;
    const socket = newSocket(url, this.#withToken ? { launcherJwt: world.launcherJwt } : {});
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve);
      socket.once('connect_error', () => resolve()); // its session was ended; the next call retries
    });
    socket.once('disconnect', () => this.#forget());
    if (!socket.connected) this.#forget();
    return socket;
  }

  #forget(): void {
    this.#socket = null;
  }
}

function newSocket(url: string, auth: Record<string, unknown>): Socket {
  return io(url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
}

/** Converts some texts to bytes, which Socket.IO sends as attachments. */
function withBytes(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value.slice(0, 100_000)) : value;
}

function isHeader(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]{0,4000}$/.test(value);
}

function pathPart(value: unknown): string {
  return encodeURIComponent(
    String(typeof value === 'string' ? value.toWellFormed() : 'launcher').slice(0, 2_000),
  );
}

function queryOf(text: string): string {
  const value: unknown = JSON.parse(text.replaceAll('1e999', '"1e999"'));
  const entries = Object.entries(Object(value)).map(([name, one]): [string, string] => [
    name.toWellFormed(),
    (typeof one === 'string' ? one : JSON.stringify(one)).toWellFormed().slice(0, 4_000),
  ]);
  return new URLSearchParams(entries).toString();
}

function changed(text: string, change: TextChange): Buffer {
  const bytes = Buffer.from(text);
  switch (change.kind) {
    case 'cut':
      return bytes.subarray(0, Math.floor(bytes.length * change.at));
    case 'delete': {
      const at = Math.floor(bytes.length * change.at);
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    }
    case 'insert': {
      const at = Math.floor(bytes.length * change.at);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(change.bytes), bytes.subarray(at)]);
    }
    case 'replace':
      return Buffer.from(change.text);
    case 'surround':
      return Buffer.concat([Buffer.from(change.before), bytes, Buffer.from(change.after)]);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Whether the client could encode the call: searching input nested thousands deep for binary, its encoder overflows the
 * stack. `raw-websockets.test.ts` sends what it would have sent.
 */
function emits(socket: Socket, name: string, sent: readonly unknown[]): boolean {
  try {
    socket.emit(name, ...sent);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
