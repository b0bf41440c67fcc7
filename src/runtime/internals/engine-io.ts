import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'socket.io';
import { STATUS_CODES } from '../node-http.ts';
import { discardInput } from './engine-input.ts';
import { isUpgrade } from './http-parser.ts';

/**
 * Internals of engine.io and ws that Gantry uses beyond their public types. `test/runtime/internals.test.ts` fails when
 * a version no longer has them.
 */

/** A client's connection on any transport: engine.io's `Socket`. */
export type EngineConnection = Socket['conn'];

/** An outgoing packet; only the fields used here. */
export interface OutgoingPacket {
  data?: unknown;
  options?: { wsPreEncodedFrame?: readonly Buffer[] | undefined };
}

/** The members of ws's WebSocket that are used; `_socket` is its TCP socket. */
interface RawWebSocket {
  readyState: number;
  bufferedAmount: number;
  terminate(): void;
  once(event: 'close', listener: () => void): void;
  on(event: 'ping', listener: (this: this) => void): void;
  _socket?: { writableLength: number; cork(): void; uncork(): void; write(frames: Buffer): void } | null;
}

/** A connection's transport; only the members used here. */
export interface EngineTransport {
  name: string;
  writable: boolean;
  send(packets: OutgoingPacket[]): void;
  close(done?: () => void): void;
  emit(event: 'error', error: Error): void;
  emit(event: 'drain'): void;
  socket?: RawWebSocket;
}

export function transportOf(conn: EngineConnection): EngineTransport {
  return conn.transport as unknown as EngineTransport;
}

/** The WebSocket in the field `socket` of engine.io's transport; null for long polling. */
function webSocketOf(conn: EngineConnection): RawWebSocket | null {
  return transportOf(conn).socket ?? null;
}

/** The packets that engine.io buffers while the transport is not writable. */
export function bufferedPackets(conn: EngineConnection): readonly OutgoingPacket[] {
  return Reflect.get(conn, 'writeBuffer') as OutgoingPacket[];
}

/** Bytes passed to the WebSocket that have not been written to the operating system. */
export function bytesBuffered(conn: EngineConnection): number {
  return webSocketOf(conn)?.bufferedAmount ?? 0;
}

/** What happens to a connection. */
export interface ConnectionListener {
  /** Called with each packet before Socket.IO reads it. */
  received(packet: { type?: string; data?: unknown }): void;
  /** A WebSocket has replaced long polling. */
  upgraded(): void;
  closed(): void;
}

const listenerKey = Symbol('listener');

/** What refers to its listener. */
interface Listened {
  [listenerKey]: ConnectionListener;
}

/** Sets the one listener of a connection. engine.io's events reach it without closures, which would take memory. */
export function listenTo(conn: EngineConnection, listener: ConnectionListener): void {
  Object.assign(conn, { [listenerKey]: listener } satisfies Listened);
  conn.on('packet', onPacket);
  conn.on('close', onClose);
  if (isPolled(conn)) conn.on('upgrade', onUpgrade);
}

function onPacket(this: Listened, packet: { type?: string; data?: unknown }): void {
  this[listenerKey].received(packet);
}

function onUpgrade(this: Listened): void {
  this[listenerKey].upgraded();
}

function onClose(this: Listened): void {
  this[listenerKey].closed();
}

/** Releases a connection's initial request, which engine.io would otherwise retain with its headers until it closes. */
export function releaseRequest(conn: EngineConnection): void {
  Object.assign(conn, { request: undefined });
}

/**
 * Rejects a packet in a listener of engine.io's event `packet`, before Socket.IO reads it: sends the client `answer`,
 * a CONNECT_ERROR packet, and closes the connection, as Socket.IO does when a client sends anything else before it is
 * connected.
 */
export function refusePacket(conn: EngineConnection, packet: { data?: unknown }, answer: object): void {
  conn.send(`4${JSON.stringify(answer)}`);
  packet.data = '1'; // DISCONNECT: engine.io passes on the packet's data after all listeners have run
}

/** A call in Socket.IO's encoding: `id` is null when no ack is expected, `args` is the JSON array of its arguments. */
export interface EmittedCall {
  id: number | null;
  args: string;
}

/** Parses the call in a packet; null for any other packet and for calls with attachments. */
export function callIn({ data }: { data?: unknown }): EmittedCall | null {
  const id = ackIdIn(data);
  if (typeof data !== 'string' || id === undefined) return null;
  return { id, args: data.slice(data.indexOf('[')) };
}

/** Whether a packet answers an event, as an ACK without attachments. */
export function isAck({ data }: { data?: unknown }): boolean {
  return typeof data === 'string' && data.charCodeAt(0) === 0x33;
}

/**
 * The number of attachments Socket.IO expects after a packet; `due` is the number before it. A text packet while any
 * are expected closes the connection.
 */
export function pendingAttachments({ data }: { data?: unknown }, due: number): number {
  if (typeof data !== 'string') return Math.max(0, due - 1);
  return due > 0 ? due : Number(attachments.exec(data)?.[1] ?? 0);
}

/** The number of attachments of a BINARY_EVENT or BINARY_ACK. */
const attachments = /^[56](\d+)-/;

/** Parses the arguments of a call; null when Socket.IO would reject them, which is then left to Socket.IO. */
export function parseEventArguments({ args }: EmittedCall): unknown[] | null {
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

/** Hides a packet from Socket.IO in a listener of engine.io's event `packet`: engine.io passes on only messages. */
export function withhold(packet: { type?: string }): void {
  packet.type = 'noop';
}

/** The ack id of a call; null when no ack is expected. Undefined when it is not a call, or has attachments. */
function ackIdIn(data: unknown): number | null | undefined {
  if (typeof data !== 'string' || data.charCodeAt(0) !== 0x32) return undefined; // EVENT
  let at = 1;
  while (data.charCodeAt(at) >= 0x30 && data.charCodeAt(at) <= 0x39) at++;
  if (data.charCodeAt(at) !== 0x5b) return undefined;
  return at === 1 ? null : Number(data.slice(1, at));
}

/**
 * Makes Socket.IO encode acks with `writeJson`, and returns a function for the total bytes of all acks so far. Acks are
 * encoded synchronously, so the difference of two calls is the size of the acks sent in between.
 */
export function encodeAcksWith(io: Server, writeJson: (value: unknown) => string): () => number {
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

/** A packet passed to Socket.IO's encoder. */
interface EncodedPacket {
  type: number;
  nsp: string;
  id?: number;
  data?: unknown;
}

const ack = 3;

/** Size of a packet's data in bytes. */
export function bytesOfPacket(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return ArrayBuffer.isView(data) ? data.byteLength : 0;
}

/**
 * Connects a client to the namespace `/` although it requested another one: the namespace is removed from incoming
 * packets and added to outgoing ones. `aliases.isAlias` is called with the namespace of the first CONNECT. Must be called
 * with each packet of engine.io's event `packet` before anything else reads it.
 */
export function aliasNamespace(
  conn: EngineConnection,
  packet: { data?: unknown },
  aliases: { isAlias(namespace: string): boolean },
): void {
  if (typeof packet.data !== 'string') return;
  const [whole, head = '', namespace = ''] = packetHead.exec(packet.data) ?? [];
  if (whole === undefined) return;
  const current: unknown = Reflect.get(conn, alias);
  if (current === undefined && head === '0' && aliases.isAlias(namespace)) setAlias(conn, namespace);
  else if (current !== namespace) return;
  packet.data = head + packet.data.slice(whole.length);
}

/** A packet's type with its number of attachments, and its namespace. */
const packetHead = /^(\d(?:\d*-)?)(\/[^,]*),?/;
const alias = Symbol('alias');

/** Whether the client is connected to another namespace than it knows. */
export function isAliased(conn: EngineConnection): boolean {
  return Reflect.has(conn, alias);
}

function setAlias(conn: EngineConnection, namespace: string): void {
  Reflect.set(conn, alias, namespace);
  conn.on('packetCreate', (packet: { type: string; data?: unknown; options?: object }) => {
    if (packet.type !== 'message' || typeof packet.data !== 'string') return;
    packet.data = packet.data.replace(/^\d(?:\d*-)?/, (head) => `${head}${namespace},`);
    // Discards the frame that was pre-encoded for a broadcast; the options object is shared by its sockets.
    packet.options = { ...packet.options, wsPreEncodedFrame: undefined };
  });
}

/**
 * Responds to a request rejected in `allowRequest` in place of engine.io, which supports only the statuses 400 and 403.
 * A WebSocket upgrade has no response object, so the response is written manually.
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

/** Sends the response to a WebSocket upgrade and the packet that opens the connection in one write, not in two. */
export function openInOneWrite(io: Server): void {
  io.engine.on('headers', (_headers: unknown, request: IncomingMessage) => {
    const { socket, url } = request;
    // A client of another protocol version is told so by an answer after which engine.io destroys the socket at once.
    if (!isUpgrade(request) || !url?.includes('EIO=4')) return;
    socket.cork();
    process.nextTick(() => socket.uncork()); // both are sent synchronously after this event
  });
}

/** Whether packets may be waiting for the client to poll, unseen by `coalesceWrites`. */
export function isPolled(conn: EngineConnection): boolean {
  return webSocketOf(conn) === null;
}

/** Resolves when the transport has closed: the client has received everything, or is gone. */
export function transportClosed(conn: EngineConnection): Promise<void> {
  return new Promise((resolve) => {
    const webSocket = webSocketOf(conn);
    if (webSocket) webSocket.once('close', resolve);
    else conn.once('close', () => resolve());
  });
}

/**
 * Closes immediately, without a close frame, which would queue behind the data that the client does not read. Nothing
 * more that the client has sent is parsed.
 */
export function terminate(conn: EngineConnection): void {
  discardInput(conn);
  const webSocket = webSocketOf(conn);
  if (webSocket) webSocket.terminate();
  // Closing would wait for the client's next poll and accept what it sends until then.
  else transportOf(conn).emit('error', new Error('terminated'));
}
