import type { Duplex } from 'node:stream';
import { ConnectionCounts } from '../http/connection-counts.ts';

/**
 * How many live connections each client network has open. A WebSocket counts until its TCP connection is closed, even
 * if it was refused or its client does not answer the close frame: until then it takes a file descriptor.
 */
export class OpenConnections extends ConnectionCounts {
  readonly #sockets = new Set<Duplex>();

  /** Counts the TCP connection of a WebSocket. Call this when it has been taken over from the HTTP server. */
  override addSocket(address: string, socket: Duplex): void {
    super.addSocket(address, socket);
    this.#sockets.add(socket);
    socket.on('error', ignore); // nothing handles its errors until ws does, and an unhandled one ends the process
  }

  protected override removed(socket: Duplex): void {
    this.#sockets.delete(socket);
  }

  /** Closes the TCP connections of all WebSockets at once; a closing HTTP server waits for them otherwise. */
  destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const ignore = () => undefined;
