import type { Server, Socket } from 'socket.io';

/** A socket with more than this waiting to be read is closed; it catches up by its cursors when it is back. */
const maximumQueuedBytes = 1024 * 1024;
const lookEveryMs = 100;
/** A paused replay goes on at the latest then, and finds out whether the socket still lives. */
const drainPatienceMs = 30_000;

type Connection = Socket['conn'];

/**
 * Closes the connections of clients that stopped reading, before what is queued for them fills the memory
 * (engine.io#420). Returns how to stop looking.
 */
export function closeSlowReaders(io: Server, onClosed: (queuedBytes: number) => void): () => void {
  const timer = setInterval(() => {
    for (const socket of io.of('/').sockets.values()) {
      const { conn } = socket;
      if (packetsWaiting(conn).length === 0 && transportBytes(conn) <= maximumQueuedBytes) continue;
      const queued = queuedBytes(conn);
      if (queued <= maximumQueuedBytes) continue;
      onClosed(queued);
      cut(conn);
    }
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Resolves when the socket has taken what was sent to it, or is gone. */
export async function drained({ conn }: Socket): Promise<void> {
  if (packetsWaiting(conn).length === 0) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      conn.off('drain', done);
      conn.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, drainPatienceMs);
    conn.on('drain', done);
    conn.on('close', done);
  });
}

function queuedBytes(conn: Connection): number {
  let bytes = transportBytes(conn);
  for (const packet of packetsWaiting(conn)) {
    if (typeof packet.data === 'string') bytes += packet.data.length;
    else if (Buffer.isBuffer(packet.data)) bytes += packet.data.byteLength;
  }
  return bytes;
}

/** What engine.io holds back while the transport is busy; it says nothing of it in its types. */
function packetsWaiting(conn: Connection): readonly { data?: unknown }[] {
  const buffer: unknown = Reflect.get(conn, 'writeBuffer');
  return Array.isArray(buffer) ? buffer : [];
}

/** The parts of a WebSocket that engine.io's transport keeps under `socket`; polling has none. */
interface RawWebSocket {
  bufferedAmount: number;
  terminate(): void;
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

/** Without a goodbye: it would queue behind everything the client is not reading. */
function cut(conn: Connection): void {
  const webSocket = webSocketOf(conn);
  if (webSocket) webSocket.terminate();
  else conn.close(true);
}
