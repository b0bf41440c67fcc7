import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'socket.io';
import { STATUS_CODES } from '../node-http.ts';

/**
 * What Gantry uses of engine.io and ws beyond their public types. `test/runtime/internals.test.ts` fails when a
 * version of theirs no longer has it.
 */

/** A client's connection, on whichever transport: engine.io's `Socket`. */
export type EngineConnection = Socket['conn'];

/** A packet on its way out, as far as it matters here. */
export interface OutgoingPacket {
  data?: unknown;
}

/** The parts of a WebSocket of the library ws that are used; `_socket` is its TCP socket. */
interface RawWebSocket {
  bufferedAmount: number;
  terminate(): void;
  once(event: 'close', listener: () => void): void;
  on(event: 'ping', listener: () => void): void;
  _socket?: { cork(): void; uncork(): void } | null;
}

interface EngineTransport {
  name: string;
  send(packets: OutgoingPacket[]): void;
  close(done?: () => void): void;
  emit(event: 'error', error: Error): void;
  socket?: RawWebSocket;
}

function transportOf(conn: EngineConnection): EngineTransport {
  return conn.transport as unknown as EngineTransport;
}

/** The WebSocket that engine.io's transport keeps under `socket`; long polling has none. */
function webSocketOf(conn: EngineConnection): RawWebSocket | null {
  return transportOf(conn).socket ?? null;
}

/** What engine.io holds back while the transport is busy. */
export function packetsHeldBack(conn: EngineConnection): readonly OutgoingPacket[] {
  return Reflect.get(conn, 'writeBuffer') as OutgoingPacket[];
}

/** What was handed to the WebSocket and has not left the process, in bytes. */
export function bytesBuffered(conn: EngineConnection): number {
  return webSocketOf(conn)?.bufferedAmount ?? 0;
}

/** Lets go of the request a connection began with, which engine.io else keeps, headers and all, until its end. */
export function releaseRequest(conn: EngineConnection): void {
  Object.assign(conn, { request: undefined });
}

/**
 * Refuses a packet that is just being told of (engine.io's event `packet`) before Socket.IO reads it: the client is sent
 * `answer`, Socket.IO's packet CONNECT_ERROR, and the connection is closed, as Socket.IO does with one that sends
 * anything else before it was let in.
 */
export function refusePacket(conn: EngineConnection, packet: { data?: unknown }, answer: object): void {
  conn.send(`4${JSON.stringify(answer)}`);
  packet.data = '1'; // DISCONNECT: engine.io hands on what the packet holds once its listeners are through
}

/** A call as Socket.IO sends it: `id` is null where no answer is waited for, `args` the JSON of what was emitted. */
export interface EmittedCall {
  id: number | null;
  args: string;
}

/** The call in a packet; null when it is none, or one with attachments. */
export function callIn({ data }: { data?: unknown }): EmittedCall | null {
  const id = ackIdIn(data);
  if (typeof data !== 'string' || id === undefined) return null;
  return { id, args: data.slice(data.indexOf('[')) };
}

/** How many attachments Socket.IO waits for after a packet; `due`: before it. A text packet meanwhile closes the connection. */
export function attachmentsDue({ data }: { data?: unknown }, due: number): number {
  if (typeof data !== 'string') return Math.max(0, due - 1);
  return due > 0 ? due : Number(attachments.exec(data)?.[1] ?? 0);
}

/** Of a BINARY_EVENT or a BINARY_ACK. */
const attachments = /^[56](\d+)-/;

/** The arguments of a call; null where Socket.IO would reject them, which is then left to Socket.IO. */
export function emittedIn({ args }: EmittedCall): unknown[] | null {
  let emitted: unknown;
  try {
    emitted = JSON.parse(args);
  } catch {
    return null;
  }
  if (!Array.isArray(emitted)) return null;
  const [name] = emitted;
  const isName = typeof name === 'number' || (typeof name === 'string' && !reservedNames.has(name));
  return isName ? emitted : null;
}

/** Socket.IO closes a connection that emits one of these. */
const reservedNames: ReadonlySet<string> = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
]);

/** Keeps a packet that is just being told of from Socket.IO: engine.io hands on messages only. */
export function withhold(packet: { type?: string }): void {
  packet.type = 'noop';
}

/** The number under which a call's answer is waited for; null: under none. Undefined: it is no call, or has attachments. */
function ackIdIn(data: unknown): number | null | undefined {
  if (typeof data !== 'string' || data.charCodeAt(0) !== 0x32) return undefined; // EVENT
  let at = 1;
  while (data.charCodeAt(at) >= 0x30 && data.charCodeAt(at) <= 0x39) at++;
  if (data.charCodeAt(at) !== 0x5b) return undefined;
  return at === 1 ? null : Number(data.slice(1, at));
}

/** Answers a call in place of Socket.IO, with the list of its arguments as JSON: in how many bytes. */
export function answerCall(conn: EngineConnection, id: number, args: string): number {
  const packet = `3${id}${args}`;
  conn.send(packet);
  return Buffer.byteLength(packet);
}

/**
 * Has Socket.IO write the answers of calls with `writeJson`, and returns how many bytes all of them had so far. It encodes
 * an answer at once, so the difference is what was answered meanwhile.
 */
export function writeAnswers(io: Server, writeJson: (value: unknown) => string): () => number {
  const encoder: { encode(packet: EncodedPacket): (string | Buffer)[] } = Reflect.get(io, 'encoder');
  const encode = encoder.encode.bind(encoder);
  let bytes = 0;
  encoder.encode = (packet) => {
    if (packet.type !== ack || packet.nsp !== '/') return encode(packet);
    const written = `${ack}${packet.id}${writeJson(packet.data)}`;
    bytes += Buffer.byteLength(written);
    return [written];
  };
  return () => bytes;
}

/** A packet of Socket.IO's, as it is encoded. */
interface EncodedPacket {
  type: number;
  nsp: string;
  id?: number;
  data?: unknown;
}

const ack = 3;

/** In bytes. */
export function bytesOfPacket(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}

/**
 * Has the client in the namespace `/` though it asks for another one, which it goes on seeing: every packet's namespace is
 * taken out or put in on its way. `isAlias` is asked about the namespace of the first CONNECT. To be called before
 * anything else listens to the connection's packets.
 */
export function aliasNamespace(conn: EngineConnection, isAlias: (namespace: string) => boolean): void {
  conn.on('packet', (packet: { data?: unknown }) => {
    if (typeof packet.data !== 'string') return;
    const [whole, head = '', namespace = ''] = packetHead.exec(packet.data) ?? [];
    if (whole === undefined) return;
    const known: unknown = Reflect.get(conn, alias);
    if (known === undefined && head === '0' && isAlias(namespace)) putInNamespace(conn, namespace);
    else if (known !== namespace) return;
    packet.data = head + packet.data.slice(whole.length);
  });
}

/** A packet's type, with how many attachments it has, and its namespace. */
const packetHead = /^(\d(?:\d*-)?)(\/[^,]*),?/;
const alias = Symbol('alias');

function putInNamespace(conn: EngineConnection, namespace: string): void {
  Reflect.set(conn, alias, namespace);
  conn.on('packetCreate', (packet: { type: string; data?: unknown; options?: object }) => {
    if (packet.type !== 'message' || typeof packet.data !== 'string') return;
    packet.data = packet.data.replace(/^\d(?:\d*-)?/, (head) => `${head}${namespace},`);
    // A frame that was made for all sockets of a broadcast; the options are shared by them.
    packet.options = { ...packet.options, wsPreEncodedFrame: undefined };
  });
}

/**
 * Answers a request that `allowRequest` was asked about, instead of engine.io, which knows no status but 400 and 403.
 * A WebSocket's upgrade has no response, so that it is written by hand.
 */
export function refuseRequest(
  request: IncomingMessage,
  status: number,
  body: object,
  retryAfterSeconds: number | undefined,
): void {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    Connection: 'close',
  };
  const response: ServerResponse | undefined = Reflect.get(request, 'res');
  if (response) {
    response.writeHead(status, headers).end(text);
    return;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  request.socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'), () =>
    request.socket.destroy(),
  );
}

/**
 * Calls the listener whenever something is queued for the client: a packet, or the pong that ws answers each ping of the
 * WebSocket protocol with. Called after the packet is created and before it is sent.
 */
export function onOutgoing(conn: EngineConnection, listener: () => void): void {
  conn.on('packetCreate', listener);
  webSocketOf(conn)?.on('ping', listener);
  conn.on('upgrade', () => webSocketOf(conn)?.on('ping', listener));
}

/**
 * Writes everything that is sent over a WebSocket in one turn of the event loop at once. Handing a frame to the
 * operating system costs as much as all else that is done for it, and frames come together: the events of one
 * commit, the answer of a call and the event it caused. Long polling does the like by itself.
 *
 * `pending` holds what was sent in this turn and has not been written yet.
 */
export function coalesceWrites(conn: EngineConnection, pending: OutgoingPacket[]): void {
  wrap(transportOf(conn), pending);
  conn.on('upgrade', () => wrap(transportOf(conn), pending));
}

function wrap(transport: EngineTransport, pending: OutgoingPacket[]): void {
  if (transport.name !== 'websocket') return;
  const send = transport.send.bind(transport);
  const close = transport.close.bind(transport);
  const write = () => {
    if (pending.length === 0) return;
    const raw = transport.socket?._socket;
    raw?.cork();
    send(pending.splice(0)); // not writable from here on, until it has been written
    raw?.uncork();
  };
  // It stays writable meanwhile, so that engine.io hands over what comes next instead of keeping it back.
  transport.send = (packets) => {
    if (pending.length === 0) setImmediate(write);
    pending.push(...packets);
  };
  transport.close = (done) => {
    write();
    close(done);
  };
}

/** Resolves when the connection is closed on the wire: the client has taken everything, or is gone. */
export function closedOnTheWire(conn: EngineConnection): Promise<void> {
  return new Promise((resolve) => {
    const webSocket = webSocketOf(conn);
    if (webSocket) webSocket.once('close', resolve);
    else conn.once('close', () => resolve());
  });
}

/** Closes at once, without a close frame: it would queue behind everything the client is not reading. */
export function terminate(conn: EngineConnection): void {
  const webSocket = webSocketOf(conn);
  if (webSocket) webSocket.terminate();
  // Closing would wait for the client's next poll, and take in what it sends until then.
  else transportOf(conn).emit('error', new Error('terminated'));
}
