import type { Duplex } from 'node:stream';
import { networkOf } from '../../core/network-of.ts';

/**
 * How many live connections each client network has open. A WebSocket counts until its TCP connection is closed, even
 * if it was refused or its client does not answer the close frame: until then it takes a file descriptor.
 */
export class OpenConnections {
  readonly #byNetwork = new Map<string, number>();
  readonly #sockets = new Set<Duplex>();

  /** The number of an address's network. */
  of(address: string): number {
    return this.#byNetwork.get(networkOf(address)) ?? 0;
  }

  /** Counts a connection by long polling, until the function that this returns is called. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#byNetwork.set(network, this.of(address) + 1);
    return () => {
      const left = (this.#byNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#byNetwork.set(network, left);
      else this.#byNetwork.delete(network);
    };
  }

  /** Counts the TCP connection of a WebSocket. Call this when it has been taken over from the HTTP server. */
  addSocket(address: string, socket: Duplex): void {
    const remove = this.add(address);
    this.#sockets.add(socket);
    socket.on('error', ignore); // nothing handles its errors until ws does, and an unhandled one ends the process
    socket.once('close', () => {
      this.#sockets.delete(socket);
      remove();
    });
  }

  /** Closes the TCP connections of all WebSockets at once; a closing HTTP server waits for them otherwise. */
  destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const ignore = () => undefined;
