import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'socket.io';

/**
 * Internals of engine.io and ws by which Gantry decides what is parsed of what clients send, and when.
 * `test/runtime/internals.test.ts` fails when a version no longer has them.
 */

/** Decides about what a client sends on one WebSocket, or by long polling. */
export interface InputGovernor {
  /** The most packets that `accepts` accepts at once. */
  readonly packetsPerSecond: number;
  /**
   * Called before packets, or pings and pongs of the WebSocket protocol, are parsed; `length` in characters or bytes.
   * When it returns false, the client is disconnected, and nothing more of it is parsed.
   */
  accepts(packets: number, length: number): boolean;
  /** Called when more has been received. When it returns false, that is parsed in the next turn of the event loop. */
  mayContinue(): boolean;
  /**
   * Called with how many bytes of a WebSocket's messages are in memory because the end of them has not arrived, or has
   * not been parsed; 0 at the latest when it is closed. When it returns false, the client is disconnected.
   */
  holds(bytes: number): boolean;
}

/** A client's WebSocket or, for long polling, engine.io's transport. */
type Input = object;

/** The key of an input's governor. */
const governorKey = Symbol('governor');
/** The key of a connection's WebSocket. */
const webSocketKey = Symbol('webSocket');

interface RawWebSocket {
  terminate(): void;
  on(event: 'message' | 'ping' | 'pong', listener: (data: Buffer) => void): void;
  on(event: 'close', listener: () => void): void;
  listeners(event: 'error'): (() => void)[];
  off(event: 'error', listener: () => void): void;
  removeAllListeners(event: string): void;
  [governorKey]?: InputGovernor;
  /** How long a client may take to answer a close frame; ws's documented option, which engine.io does not pass on. */
  _closeTimeout: number;
  _socket: RawConnection;
  _receiver: {
    /** Whether further messages are parsed in the same turn; ws's documented option of the same name. */
    _allowSynchronousEvents: boolean;
    /** What has been received and not parsed yet. */
    _buffers: Buffer[];
    _bufferedBytes: number;
    /** The bytes of the frames that have been parsed of a message whose last frame has not. */
    _messageLength: number;
    /** The mask of the last frame, a part of what was received with it. */
    _mask: Buffer | undefined;
  };
}

/** The connection of a WebSocket. */
interface RawConnection {
  on(event: 'data', listener: () => void): void;
  [webSocketKey]?: RawWebSocket;
}

interface Transport {
  name: string;
  readyState: string;
  /** Of a transport over a WebSocket. */
  socket?: RawWebSocket;
  onData(payload: string): void;
  emit(event: 'error', error: Error): void;
  [governorKey]?: InputGovernor;
}

interface Engine {
  onWebSocket(request: IncomingMessage, socket: object, webSocket: RawWebSocket): void;
  createTransport(name: string, request: IncomingMessage): Transport;
}

/** Afterwards the connection is destroyed; ws waits for half a minute by default. */
const closeTimeoutMs = 2_000;

/** Separates the packets of a long-polling POST. */
const separator = '\x1e';

/** Has every WebSocket and every client on long polling governed, from its first packet. */
export function governInput(io: Server, governorOf: (request: IncomingMessage) => InputGovernor): void {
  const engine = io.engine as unknown as Engine;
  const onWebSocket = engine.onWebSocket.bind(engine);
  engine.onWebSocket = (request, socket, webSocket) => {
    webSocket._closeTimeout = closeTimeoutMs;
    governWebSocket(webSocket, governorOf(request));
    onWebSocket(request, socket, webSocket);
  };
  const createTransport = engine.createTransport.bind(engine);
  engine.createTransport = (name, request) => {
    const transport = createTransport(name, request);
    if (transport.name === 'polling') governPolling(transport, governorOf(request));
    else if (transport.socket) releaseFirstListener(transport.socket);
    return transport;
  };
}

/** The governor of a connection's input; another one after an upgrade. */
export function governorOf(conn: Socket['conn']): InputGovernor | undefined {
  return Reflect.get(inputOf(conn), governorKey);
}

function inputOf(conn: Socket['conn']): Input {
  return Reflect.get(conn.transport, 'socket') ?? conn.transport;
}

function governWebSocket(webSocket: RawWebSocket, governor: InputGovernor): void {
  webSocket[governorKey] = governor;
  webSocket.on('message', received);
  webSocket.on('ping', received);
  webSocket.on('pong', received);
  webSocket.on('close', closed);
  const { _socket: connection } = webSocket;
  connection[webSocketKey] = webSocket;
  connection.on('data', receivedPart); // after the listener by which ws parses it
}

/** Shared by all WebSockets: a closure for each would be a tenth of what an idle one takes. */
function received(this: RawWebSocket, { length }: Buffer): void {
  const governor = this[governorKey];
  if (!governor?.accepts(1, length)) {
    stopParsing(this);
    this.terminate();
    return;
  }
  const { _receiver: receiver } = this;
  holdUnparsed(this);
  receiver._mask = undefined; // of a message that has been read; it would retain all that was received with it
  receiver._allowSynchronousEvents = receiver._bufferedBytes === 0 || governor.mayContinue();
}

function receivedPart(this: RawConnection): void {
  if (this[webSocketKey]) holdUnparsed(this[webSocketKey]);
}

function closed(this: RawWebSocket): void {
  this[governorKey]?.holds(0);
}

function holdUnparsed(webSocket: RawWebSocket): void {
  const { _bufferedBytes, _messageLength } = webSocket._receiver;
  if (webSocket[governorKey]?.holds(_bufferedBytes + _messageLength)) return;
  stopParsing(webSocket);
  webSocket.terminate();
}

/**
 * Removes the listener that engine.io adds until its transport listens: it removes it itself only when the WebSocket
 * replaces long polling.
 */
function releaseFirstListener(webSocket: RawWebSocket): void {
  const [first, second] = webSocket.listeners('error');
  if (first && second) webSocket.off('error', first);
}

/**
 * Discards what has been received on a WebSocket and not parsed yet. Without this, ws parses it although the connection
 * has been destroyed.
 */
function stopParsing(webSocket: RawWebSocket): void {
  webSocket.removeAllListeners('message');
  webSocket._receiver._buffers = [];
  webSocket._receiver._bufferedBytes = 0;
}

/** The same for a connection that is about to be closed. */
export function discardInput(conn: Socket['conn']): void {
  const input = inputOf(conn);
  if ('_receiver' in input) stopParsing(input as RawWebSocket);
}

function governPolling(transport: Transport, governor: InputGovernor): void {
  transport[governorKey] = governor;
  const parse = transport.onData.bind(transport);
  const payloads: string[] = [];
  let at = 0;
  let isScheduled = false;
  const parseNext = () => {
    isScheduled = false;
    for (let payload = payloads[0]; payload !== undefined; payload = payloads[0]) {
      if (transport.readyState !== 'open') {
        payloads.length = 0;
        return;
      }
      const found = payload.indexOf(separator, at);
      parse(payload.slice(at, found === -1 ? undefined : found));
      at = found + 1;
      if (found === -1) payloads.shift();
      if (payloads.length > 0 && !governor.mayContinue()) {
        isScheduled = true;
        setImmediate(parseNext);
        return;
      }
    }
  };
  transport.onData = (payload) => {
    const packets = countPackets(payload, governor.packetsPerSecond);
    if (!governor.accepts(packets, payload.length)) {
      payloads.length = 0;
      if (transport.readyState === 'open') transport.emit('error', new Error('flood'));
      return;
    }
    payloads.push(payload);
    if (!isScheduled) parseNext();
  };
}

/** The number of packets in a payload; above `most`, at least one more than that. */
function countPackets(payload: string, most: number): number {
  let packets = 1;
  for (let at = payload.indexOf(separator); at !== -1 && packets <= most; packets++) {
    at = payload.indexOf(separator, at + 1);
  }
  return packets;
}
