import type { Socket } from 'socket.io';

type Connection = Socket['conn'];

/** A packet on its way out, as far as it matters here. */
export interface OutgoingPacket {
  data?: unknown;
}

/** engine.io's transport, of which its types show less. */
interface Transport {
  name: string;
  writable: boolean;
  send(packets: OutgoingPacket[]): void;
  close(done?: () => void): void;
  /** A WebSocket of the library ws, which keeps the TCP socket to itself. */
  socket?: { _socket?: { cork(): void; uncork(): void } | null };
}

const waitingOf = new WeakMap<Connection, OutgoingPacket[]>();

/** What was sent to a connection in this turn of the event loop and has not been written yet. */
export function waitingToBeWritten(conn: Connection): readonly OutgoingPacket[] {
  return waitingOf.get(conn) ?? [];
}

/**
 * Writes everything that is sent over a WebSocket in one turn of the event loop at once. Handing a frame to the
 * operating system costs as much as all else that is done for it, and frames come together: the events of one
 * commit, the answer of a call and the event it caused. Long polling does the like by itself.
 */
export function coalesceWrites(conn: Connection): void {
  wrap(conn, conn.transport as unknown as Transport);
  conn.on('upgrade', (transport: unknown) => wrap(conn, transport as Transport));
}

function wrap(conn: Connection, transport: Transport): void {
  if (transport.name !== 'websocket') return;
  const send = transport.send.bind(transport);
  const close = transport.close.bind(transport);
  const waiting: OutgoingPacket[] = [];
  waitingOf.set(conn, waiting);
  const write = () => {
    if (waiting.length === 0) return;
    const raw = transport.socket?._socket;
    raw?.cork();
    send(waiting.splice(0)); // not writable from here on, until it has been written
    raw?.uncork();
  };
  // It stays writable meanwhile, so that engine.io hands over what comes next instead of keeping it back.
  transport.send = (packets) => {
    if (waiting.length === 0) setImmediate(write);
    waiting.push(...packets);
  };
  transport.close = (done) => {
    write();
    close(done);
  };
}
