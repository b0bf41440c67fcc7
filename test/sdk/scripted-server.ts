import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { listenOn } from '../../src/transports/http/http-server.ts';

/** An event of a stream; its seq is its position in the list, from 1. */
export interface ScriptedEvent {
  name: string;
  record: Record<string, unknown>;
}

interface Stream {
  epoch: string;
  events: ScriptedEvent[];
  /** Events up to this one are no longer kept. */
  trimmed: number;
}

export interface Handshake {
  launcherJwt?: string;
  status?: { status: string; text?: string };
  gameVersion?: string;
  gantryVersion?: string;
  cursors?: Record<string, { epoch: string; seq: number }>;
  partial?: true;
}

export type Frame = [name: string, record: object, meta: object];

/** What the network does to the frames of one connection, and whether it then breaks it. */
export interface Fault {
  change(frames: readonly Frame[]): Frame[];
  breaks: boolean;
}

export interface ScriptedCall {
  name: string;
  data: Record<string, unknown>;
  /** Over HTTP: the header `X-Game-Version`. */
  gameVersion?: unknown;
  /** Over HTTP: the header `X-Gantry-Version`. */
  gantryVersion?: unknown;
  /** Over HTTP: the header `X-Gantry-Player`. */
  player?: unknown;
  /** When it arrived, in milliseconds of a monotonic clock. */
  at: number;
}

/** Of a call or a connection; `data` of an error body has all of it. */
export interface Refusal {
  code: number;
  reason: string;
  retryAfterSeconds?: number;
  endReason?: string;
  update?: object;
  missing?: object[];
}

/** The outcome of a call: a result, an error body, or the connection breaks before either. */
export type CallOutcome =
  | { answer: object }
  | { error: Refusal & { errors?: object[] } }
  | { breaks: true }
  /** There is no answer, until the connection breaks. */
  | { waits: true }
  /** Over HTTP only: a proxy's page. */
  | { page: { status: number; retryAfter?: string } };

/**
 * A server that implements PROTOCOL.md under a test's control: it keeps streams, replays them by cursors, and applies a
 * script's faults to each connection in turn; when none is left, the network is good.
 */
export class ScriptedServer implements AsyncDisposable {
  readonly url: string;
  readonly streams = new Map<string, Stream>();
  /** For future connections, in turn. */
  readonly faults: Fault[] = [];
  /** Refusals of future connections, in turn. */
  readonly refusals: Refusal[] = [];
  /** In the first event of each connection. */
  warning: string | undefined;
  /** Frames sent after the first one of each connection, before the replay. */
  greetings: Frame[] = [];
  readonly handshakes: (Handshake & { player: unknown; at: number })[] = [];
  readonly calls: ScriptedCall[] = [];
  /** For future calls, in turn; later ones are answered by `answers`, and all others with success. */
  readonly outcomes: CallOutcome[] = [];
  /** By operation; `launcherJwt` is the token that the call was made with. */
  answers: Record<string, (data: ScriptedCall['data'], launcherJwt: string | undefined) => CallOutcome> = {};
  readonly #http: ReturnType<typeof createServer>;
  readonly #io: Server;

  private constructor(http: ReturnType<typeof createServer>, url: string) {
    this.url = url;
    this.#http = http;
    this.#io = new Server(http, {
      serveClient: false,
      cors: { origin: true },
      maxHttpBufferSize: 2 * 1024 * 1024,
    });
    http.on('request', (request, response) => {
      if (request.url?.startsWith('/launcher')) void this.#answerHttp(request, response);
    });
    this.#io.use((socket, next) => {
      const { auth, query } = socket.handshake;
      this.handshakes.push({ ...auth, player: query.player, at: performance.now() });
      const refusal = this.refusals.shift();
      if (!refusal) return next();
      next(Object.assign(new Error('refused'), { data: errorBody(refusal) }));
    });
    this.#io.on('connection', (socket) => this.#greet(socket));
  }

  static async start(port = 0): Promise<ScriptedServer> {
    const http = createServer();
    return new ScriptedServer(http, await listenOn(http, port, '127.0.0.1'));
  }

  /** Sockets that are connected. */
  get connected(): number {
    return this.#io.of('/').sockets.size;
  }

  stream(name: string): Stream {
    const stream = this.streams.get(name) ?? { epoch: 'first', events: [], trimmed: 0 };
    this.streams.set(name, stream);
    return stream;
  }

  /** Appends an event to a stream, and sends it to all connections. */
  add(stream: string, event: ScriptedEvent): void {
    const { epoch, events } = this.stream(stream);
    const seq = events.push(event);
    this.#io.emit(event.name, event.record, { stream, epoch, seq });
  }

  /** Sends a raw frame. */
  send(...frame: Frame): void {
    this.#io.emit(...frame);
  }

  /** Breaks every connection, as a network failure does. */
  break(): void {
    for (const socket of this.#io.of('/').sockets.values()) breakOff(socket);
  }

  /** Ends every session; with a reason, the players are notified first. */
  endSessions(endReason?: string, stream = 'player'): void {
    if (endReason !== undefined) {
      for (const { handshake } of this.#io.of('/').sockets.values()) {
        const record = { _id: sessionOf(handshake.auth), exists: false, present: false, endReason };
        this.add(stream, { name: 'game-channels patched', record });
      }
    }
    this.#io.disconnectSockets();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await this.#io.close();
  }

  #greet(socket: Socket): void {
    const handshake: Handshake = socket.handshake.auth;
    const fault = this.faults.shift();
    const frames: Frame[] = [...this.greetings];
    const streams: Record<string, object> = {};
    for (const [name, { epoch, events, trimmed }] of this.streams) {
      const cursor = handshake.cursors?.[name];
      const recovered =
        cursor !== undefined &&
        cursor.epoch === epoch &&
        cursor.seq >= trimmed &&
        cursor.seq <= events.length;
      const seq = recovered ? cursor.seq : events.length;
      streams[name] = { epoch, seq, latest: events.length, recovered };
      for (const [index, event] of events.entries()) {
        if (index >= seq) frames.push([event.name, event.record, { stream: name, epoch, seq: index + 1 }]);
      }
    }
    socket.on('error', () => undefined);
    socket.onAny((name: string, _service: string, data: ScriptedCall['data'], ...rest: unknown[]) => {
      const acknowledge = rest.at(-1) as (...answer: unknown[]) => void;
      const outcome = this.#take(name, data, handshake.launcherJwt);
      if ('waits' in outcome) return;
      if ('answer' in outcome) acknowledge(null, outcome.answer);
      else if ('error' in outcome) acknowledge(errorBody(outcome.error));
      else breakOff(socket);
    });
    if (handshake.launcherJwt === undefined) return;
    const { warning } = this;
    const first = { sessionId: sessionOf(handshake), streams, ...(warning !== undefined && { warning }) };
    socket.emit('realtime-events connected', first, {});
    for (const frame of fault ? fault.change(frames) : frames) socket.emit(...frame);
    if (fault?.breaks) breakOff(socket);
  }

  #take(
    name: string,
    data: ScriptedCall['data'],
    launcherJwt?: string,
    headers: Pick<ScriptedCall, 'gameVersion' | 'gantryVersion' | 'player'> = {},
  ): CallOutcome {
    this.calls.push({ name, data, ...headers, at: performance.now() });
    const token = typeof data.launcherJwt === 'string' ? data.launcherJwt : launcherJwt;
    return this.outcomes.shift() ?? this.answers[name]?.(data, token) ?? { answer: { success: true } };
  }

  async #answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Access-Control-Allow-Origin', '*');
    // Browsers automatically resend a request that failed on a reused connection.
    response.setHeader('Connection', 'close');
    response.setHeader(
      'Access-Control-Allow-Headers',
      'Content-Type, X-Service-Method, X-Game-Version, X-Gantry-Version, X-Gantry-Player, Authorization',
    );
    response.setHeader('Access-Control-Expose-Headers', 'Retry-After');
    if (request.method === 'OPTIONS') return void response.end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const data = JSON.parse(Buffer.concat(chunks).toString());
    const { headers } = request;
    const outcome = this.#take(String(headers['x-service-method']), data, undefined, {
      gameVersion: headers['x-game-version'],
      gantryVersion: headers['x-gantry-version'],
      player: headers['x-gantry-player'],
    });
    if ('waits' in outcome) return;
    if ('breaks' in outcome) return void request.socket.destroy();
    if ('page' in outcome) {
      const { status, retryAfter } = outcome.page;
      const headers = { 'Content-Type': 'text/html', ...(retryAfter && { 'Retry-After': retryAfter }) };
      return void response.writeHead(status, headers).end('<h1>Not now</h1>');
    }
    const isAnswer = 'answer' in outcome;
    response.setHeader('Content-Type', 'application/json');
    response.statusCode = isAnswer ? 200 : outcome.error.code;
    response.end(JSON.stringify(isAnswer ? outcome.answer : errorBody(outcome.error)));
  }
}

/** The channel session of a connection. */
function sessionOf({ launcherJwt }: Handshake): string {
  return `session of ${launcherJwt}`;
}

function breakOff(socket: Socket): void {
  socket.conn.close();
}

function errorBody({ code, reason, errors, ...data }: Refusal & { errors?: object[] }) {
  const message = `refused: ${reason}`;
  return {
    success: false,
    error: message,
    name: 'Error',
    message,
    code,
    className: 'error',
    data: { reason, success: false, error: message, ...data },
    ...(errors && { errors }),
  };
}
