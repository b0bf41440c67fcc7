import {
  bufferedPackets,
  bytesBuffered,
  type EngineConnection,
  type EngineTransport,
  isAliased,
  isPolled,
  type OutgoingPacket,
  transportOf,
} from './engine-io.ts';
import { eventFrame, eventFrames, framesTogether, textFrames } from './websocket-frames.ts';

/**
 * Internals of engine.io and ws by which Gantry writes what it sends. `test/runtime/internals.test.ts` fails when a
 * version no longer has them.
 */

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
  if (isPolled(conn) || isAliased(conn)) {
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
  return isOpen && bufferedPackets(conn).length === 0 && !isAliased(conn);
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
  const queue: WriteQueue | undefined = Reflect.get(conn, queueKey);
  const { writable, socket } = transportOf(conn);
  const tcp = socket?.readyState === 1 && conn.readyState === 'open' && writable ? socket._socket : null;
  const isQueued = queue?.pending.length !== 0 || bufferedPackets(conn).length > 0;
  if (!tcp || isQueued || isAliased(conn)) {
    sendEvents(conn, [event]);
    return;
  }
  tcp.write(frame ?? eventFrame(event));
  if (bytesBuffered(conn) > 0) queue.onQueued();
}

/** What has been sent to a client and not written yet. */
export interface WriteQueue {
  /** The packets that were sent in this turn. */
  readonly pending: OutgoingPacket[];
  /** With how many calls of engine.io. */
  sends: number;
  /** Called before something is queued on a WebSocket: packets, or the pong that ws answers each of its pings with. */
  onQueued(): void;
}

/** The key of the queue of a connection, its transport and its WebSocket. */
const queueKey = Symbol('queue');

/** What refers to its queue. */
interface Queued {
  [queueKey]: WriteQueue;
}

/**
 * Coalesces all WebSocket frames sent in one turn of the event loop into one write. The system call costs as much as
 * everything else that is done for a frame, and frames come in groups: the events of one commit, or the ack of a call
 * and the event it caused. Frames that are encoded already go to the TCP socket, unless anything is queued on it: engine.io
 * and ws would take as long as the system call. Long polling already batches packets.
 *
 * The functions that replace those of engine.io are shared by all connections, as closures take memory.
 */
export function coalesceWrites(conn: EngineConnection, queue: WriteQueue): void {
  Reflect.set(conn, queueKey, queue);
  coalesce(transportOf(conn), queue);
  if (isPolled(conn)) conn.on('upgrade', () => coalesce(transportOf(conn), queue));
}

function coalesce(transport: EngineTransport, queue: WriteQueue): void {
  if (transport.name !== 'websocket') return;
  const { socket } = transport;
  if (socket) Object.assign(socket, { [queueKey]: queue } satisfies Queued).on('ping', announcePong);
  Object.assign(transport, { [queueKey]: queue, send: sendLater, close: closeAfterWrites });
}

function announcePong(this: Queued): void {
  this[queueKey].onQueued();
}

/** The transport stays writable until it is written, so that engine.io passes on further packets instead of buffering them. */
function sendLater(this: QueuedTransport, packets: OutgoingPacket[]): void {
  const queue = this[queueKey];
  const { pending } = queue;
  queue.sends++;
  if (pending.length === 0) {
    if (due.push(this) === 1) setImmediate(writeDue);
    queue.onQueued();
  }
  pending.push(...packets);
}

function closeAfterWrites(this: QueuedTransport, done?: () => void): void {
  write(this);
  originalOf(this).close.call(this, done);
}

/** The prototype, with engine.io's functions. */
function originalOf(transport: EngineTransport): EngineTransport {
  return Object.getPrototypeOf(transport);
}

type QueuedTransport = EngineTransport & Queued;

/** What is written at the end of this turn, in one immediate: Node looks for other work between any two. */
const due: QueuedTransport[] = [];

function writeDue(): void {
  for (const transport of due.splice(0)) write(transport);
}

function write(transport: QueuedTransport): void {
  const queue = transport[queueKey];
  const { pending } = queue;
  if (pending.length === 0) return;
  const tcp = transport.socket?.readyState === 1 ? transport.socket._socket : null;
  const frames = tcp?.writableLength === 0 && framesOf(pending);
  if (tcp && frames) {
    pending.length = 0;
    tcp.write(frames);
  } else {
    tcp?.cork();
    // The transport is not writable until this has been written.
    originalOf(transport).send.call(transport, pending.splice(0));
    tcp?.uncork();
    queue.sends--;
  }
  for (; queue.sends > 0; queue.sends--) transport.emit('drain'); // engine.io keeps an entry until then
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
