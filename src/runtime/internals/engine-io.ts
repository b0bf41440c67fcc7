import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'socket.io';
import { STATUS_CODES } from '../node-http.ts';
import { discardInput, inputOf } from './engine-input.ts';
import { isUpgrade } from './http-parser.ts';
import { eventFrame, eventFrames, framesTogether, textFrames } from './websocket-frames.ts';

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
  on(event: 'ping', listener: () => void): void;
  _socket?: { writableLength: number; cork(): void; uncork(): void; write(frames: Buffer): void } | null;
}

interface EngineTransport {
  name: string;
  writable: boolean;
  send(packets: OutgoingPacket[]): void;
  close(done?: () => void): void;
  emit(event: 'error', error: Error): void;
  emit(event: 'drain'): void;
  socket?: RawWebSocket;
}

function transportOf(conn: EngineConnection): EngineTransport {
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

/** Sends the ack of a call, bypassing Socket.IO; `args` is the JSON array of its arguments. Returns its bytes. */
export function sendAck(conn: EngineConnection, id: number, args: string): number {
  const packet = `3${id}${args}`;
  if (takesFrames(conn)) sendFrames(conn, textFrames([`4${packet}`]));
  else conn.send(packet);
  return Buffer.byteLength(packet);
}

/**
 * Sends events, each the JSON array of its name and arguments, bypassing Socket.IO. Over a WebSocket they are passed on
 * as one buffer of frames: for each on its own, engine.io and ws would take several times as long as reading it.
 * `frames`: theirs (`eventFrame`), which sockets share.
 */
export function sendEvents(
  conn: EngineConnection,
  events: readonly string[],
  frames: Buffer = eventFrames(events),
): void {
  if (webSocketOf(conn) === null || Reflect.has(conn, alias)) {
    for (const event of events) conn.send(`2${event}`);
    return;
  }
  if (takesFrames(conn)) sendFrames(conn, frames);
  else conn.send(frames, { wsPreEncodedFrame: [frames] } as object);
}

/** Whether engine.io would pass on a packet at once, as it is, to a WebSocket whose writes are coalesced. */
function takesFrames(conn: EngineConnection): boolean {
  const { writable, socket } = transportOf(conn);
  const isOpen = socket !== undefined && writable && conn.readyState === 'open';
  return isOpen && bufferedPackets(conn).length === 0 && !Reflect.has(conn, alias);
}

function sendFrames(conn: EngineConnection, frames: Buffer): void {
  transportOf(conn).send([{ data: frames, options: { wsPreEncodedFrame: [frames] } }]);
}

/**
 * Sends an event in the same form, and writes it to the TCP socket at once, as ws would do in the end, unless anything is
 * queued before it. For an event to thousands of sockets, the queues, events and callbacks on the way would take longer
 * than the system calls. `frame`: that of the event (`eventFrame`), which sockets share.
 */
export function sendEventNow(conn: EngineConnection, event: string, frame?: Buffer): void {
  const queue: WriteQueue | undefined = Reflect.get(conn, writeQueue);
  const { writable, socket } = transportOf(conn);
  const tcp = socket?.readyState === 1 && conn.readyState === 'open' && writable ? socket._socket : null;
  const isQueued = queue?.pending.length !== 0 || bufferedPackets(conn).length > 0;
  if (!tcp || isQueued || Reflect.has(conn, alias)) {
    sendEvents(conn, [event]);
    return;
  }
  tcp.write(frame ?? eventFrame(event));
  if (bytesBuffered(conn) > 0) queue.onQueued();
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
 * packets and added to outgoing ones. `isAlias` is called with the namespace of the first CONNECT. Must be called
 * before any other listener is added for the connection's packets.
 */
export function aliasNamespace(conn: EngineConnection, isAlias: (namespace: string) => boolean): void {
  conn.on('packet', (packet: { data?: unknown }) => {
    if (typeof packet.data !== 'string') return;
    const [whole, head = '', namespace = ''] = packetHead.exec(packet.data) ?? [];
    if (whole === undefined) return;
    const current: unknown = Reflect.get(conn, alias);
    if (current === undefined && head === '0' && isAlias(namespace)) setAlias(conn, namespace);
    else if (current !== namespace) return;
    packet.data = head + packet.data.slice(whole.length);
  });
}

/** A packet's type with its number of attachments, and its namespace. */
const packetHead = /^(\d(?:\d*-)?)(\/[^,]*),?/;
const alias = Symbol('alias');

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

/**
 * Coalesces all WebSocket frames sent in one turn of the event loop into one write. The system call costs as much as
 * everything else that is done for a frame, and frames come in groups: the events of one commit, or the ack of a call
 * and the event it caused. Frames that are encoded already go to the TCP socket, unless anything is queued on it: engine.io
 * and ws would take as long as the system call. Long polling already batches packets.
 *
 * `pending` contains the packets that were sent in this turn and have not been written yet. `onQueued` is called before
 * something is queued on a WebSocket: packets, or the pong that ws answers each ping of the WebSocket protocol with.
 */
export function coalesceWrites(
  conn: EngineConnection,
  pending: OutgoingPacket[],
  onQueued: () => void,
): void {
  Reflect.set(conn, writeQueue, { pending, onQueued } satisfies WriteQueue);
  wrap(transportOf(conn), pending, onQueued);
  conn.on('upgrade', () => wrap(transportOf(conn), pending, onQueued));
}

/** The arguments of `coalesceWrites`, kept with the connection. */
interface WriteQueue {
  pending: readonly OutgoingPacket[];
  onQueued(): void;
}
const writeQueue = Symbol('writeQueue');

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

/** What is written at the end of this turn, in one immediate: Node looks for other work between any two. */
const due: (() => void)[] = [];

function writeDue(): void {
  for (const write of due.splice(0)) write();
}

function wrap(transport: EngineTransport, pending: OutgoingPacket[], onQueued: () => void): void {
  if (transport.name !== 'websocket') return;
  transport.socket?.on('ping', onQueued);
  const send = transport.send.bind(transport);
  const close = transport.close.bind(transport);
  let sends = 0;
  const write = () => {
    if (pending.length === 0) return;
    const tcp = transport.socket?.readyState === 1 ? transport.socket._socket : null;
    const frames = tcp?.writableLength === 0 && framesOf(pending);
    if (tcp && frames) {
      pending.length = 0;
      tcp.write(frames);
    } else {
      tcp?.cork();
      send(pending.splice(0)); // the transport is not writable until this has been written
      tcp?.uncork();
      sends--;
    }
    for (; sends > 0; sends--) transport.emit('drain'); // engine.io keeps an entry until then
  };
  // The transport stays writable until then, so that engine.io passes on further packets instead of buffering them.
  transport.send = (packets) => {
    sends++;
    if (pending.length === 0) {
      if (due.push(write) === 1) setImmediate(writeDue);
      onQueued();
    }
    pending.push(...packets);
  };
  transport.close = (done) => {
    write();
    close(done);
  };
}

/** The frames of packets in one buffer; null when one of them has yet to be encoded. */
function framesOf(packets: readonly OutgoingPacket[]): Buffer | null {
  const frames: Buffer[] = [];
  for (const { options } of packets) {
    if (!options?.wsPreEncodedFrame) return null;
    frames.push(...options.wsPreEncodedFrame);
  }
  return framesTogether(frames);
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
  discardInput(inputOf(conn));
  const webSocket = webSocketOf(conn);
  if (webSocket) webSocket.terminate();
  // Closing would wait for the client's next poll and accept what it sends until then.
  else transportOf(conn).emit('error', new Error('terminated'));
}
