import { setTimeout } from 'node:timers/promises';
import type { Socket } from 'socket.io';
import { type OutgoingPacket, waitingToBeWritten } from './coalesced-writes.ts';

/**
 * A socket with more than this waiting to be read, and less of it taken than came since the last look, is
 * closed; it catches up by its cursors when it is back. A large answer on its way to a slow but reading
 * client is let through.
 */
const maximumQueuedBytes = 1024 * 1024;
/** Beyond this a socket is closed even while it reads. */
const hardLimitBytes = 16 * 1024 * 1024;
const lookEveryMs = 100;
/** A replay goes on while no more than this is waiting. */
const comfortableBytes = 256 * 1024;
const lookAgainMs = 10;

type Connection = Socket['conn'];

/**
 * Closes the connections of clients that stopped reading, before what is queued for them fills the memory
 * (engine.io#420): those that were not let in too, which are answered as well. Returns how to stop looking.
 */
export function closeSlowReaders(
  connections: Iterable<Connection>,
  onClosed: (queuedBytes: number) => void,
): () => void {
  const lastSeen = new WeakMap<Connection, number>();
  const timer = setInterval(() => {
    for (const conn of connections) {
      if (packetsWaiting(conn).length === 0 && transportBytes(conn) <= maximumQueuedBytes) continue;
      const queued = queuedBytes(conn);
      if (queued <= maximumQueuedBytes) {
        lastSeen.delete(conn);
        continue;
      }
      const before = lastSeen.get(conn);
      lastSeen.set(conn, queued);
      const isReading = before === undefined || queued < before;
      if (isReading && queued <= hardLimitBytes) continue;
      onClosed(queued);
      cut(conn);
    }
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Resolves when the socket has taken most of what was sent to it, or is gone. */
export async function drained({ conn }: Socket): Promise<void> {
  // engine.io tells when it has handed packets over, not when they have left; so they are looked for.
  while (conn.readyState === 'open' && queuedBytes(conn) > comfortableBytes) await setTimeout(lookAgainMs);
}

function queuedBytes(conn: Connection): number {
  let bytes = transportBytes(conn);
  for (const packet of packetsWaiting(conn)) {
    if (typeof packet.data === 'string') bytes += Buffer.byteLength(packet.data);
    else if (Buffer.isBuffer(packet.data)) bytes += packet.data.byteLength;
  }
  return bytes;
}

/** What is about to be written, and what engine.io holds back while the transport is busy, which its types do not show. */
function packetsWaiting(conn: Connection): readonly OutgoingPacket[] {
  const heldBack: unknown = Reflect.get(conn, 'writeBuffer');
  const waiting = waitingToBeWritten(conn);
  return Array.isArray(heldBack) && heldBack.length > 0 ? [...waiting, ...heldBack] : waiting;
}

/** The parts of a WebSocket that engine.io's transport keeps under `socket`; polling has none. */
interface RawWebSocket {
  bufferedAmount: number;
  terminate(): void;
  once(event: 'close', listener: () => void): void;
}

function webSocketOf(conn: Connection): RawWebSocket | null {
  const { socket } = conn.transport as { socket?: Partial<RawWebSocket> };
  return socket && typeof socket.bufferedAmount === 'number' && typeof socket.terminate === 'function'
    ? (socket as RawWebSocket)
    : null;
}

function transportBytes(conn: Connection): number {
  return webSocketOf(conn)?.bufferedAmount ?? 0;
}

/** Resolves when the connection is closed on the wire: the client has taken everything, or is gone. */
export function whenGone(conn: Connection): Promise<void> {
  return new Promise((resolve) => {
    const webSocket = webSocketOf(conn);
    if (webSocket) webSocket.once('close', resolve);
    else conn.once('close', () => resolve());
  });
}

/** Without a goodbye: it would queue behind everything the client is not reading. */
export function cut(conn: Connection): void {
  const webSocket = webSocketOf(conn);
  if (webSocket) webSocket.terminate();
  // Closing would wait for the client's next poll, and take in what it sends until then.
  else conn.transport.emit('error', new Error('cut off'));
}
