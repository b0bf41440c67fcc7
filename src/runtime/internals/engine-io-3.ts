import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'socket.io';

/**
 * Internals of engine.io by which clients of Engine.IO 3 (Socket.IO 1 and 2) are told that they are not supported.
 * engine.io answers them by long polling with a body that these clients do not show, and over a WebSocket with HTTP
 * behind its handshake. `test/live/old-clients.test.ts` fails when a version no longer has them.
 */
interface Engine {
  handshake(transport: string, request: EngineRequest, abort: unknown): Promise<unknown>;
}

interface EngineRequest extends IncomingMessage {
  _query: Record<string, string>;
  /** By long polling. */
  res?: ServerResponse;
  websocket?: { send(text: string): void; close(): void };
}

/** Nothing is sent to the client any more, so the values of its first packet do not matter. */
const opened = '0{"sid":"refused","upgrades":[],"pingInterval":25000,"pingTimeout":20000}';
const closed = '1';

/**
 * Answers such clients with the error that `refuse` returns, as Socket.IO 2 does when its middleware refuses a client:
 * they emit it as `error`. `refuse` is called with the request that opens the connection.
 */
export function refuseOldClients(io: Server, refuse: (request: IncomingMessage) => object): void {
  const engine = io.engine as unknown as Engine;
  const handshake = engine.handshake.bind(engine);
  engine.handshake = async (transport, request, abort) => {
    if (request._query.EIO === '4') return handshake(transport, request, abort);
    const packets = [opened, `44${JSON.stringify(refuse(request))}`, closed];
    const { res: response, websocket: webSocket } = request;
    if (webSocket) {
      for (const packet of packets) webSocket.send(packet);
      webSocket.close();
    } else if (response) {
      const payload = packets.map((packet) => `${packet.length}:${packet}`).join('');
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=UTF-8' }).end(payload);
    }
    return undefined;
  };
}
