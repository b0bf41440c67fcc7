import type { Duplex } from 'node:stream';
import { networkOf } from '../../core/network-of.ts';

/** How many connections each client network has open. */
export class ConnectionCounts {
  readonly #byNetwork = new Map<string, number>();
  /** The key of the network of a socket that is counted. */
  readonly #networkKey = Symbol('network');
  /** The listener of all sockets: a closure for each would take memory. */
  readonly #onClose: (this: Duplex) => void;

  constructor() {
    const remove = (socket: Duplex) => {
      this.#remove(Reflect.get(socket, this.#networkKey));
      this.removed(socket);
    };
    this.#onClose = function () {
      remove(this);
    };
  }

  /** The number of an address's network. */
  of(address: string): number {
    return this.#byNetwork.get(networkOf(address)) ?? 0;
  }

  /** Counts a connection until the function that this returns is called. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#add(network);
    return () => this.#remove(network);
  }

  /** Counts a socket until it is closed. */
  addSocket(address: string, socket: Duplex): void {
    const network = networkOf(address);
    this.#add(network);
    Reflect.set(socket, this.#networkKey, network);
    socket.on('close', this.#onClose);
  }

  /** Called when a socket has been closed. */
  protected removed(_socket: Duplex): void {}

  #add(network: string): void {
    this.#byNetwork.set(network, (this.#byNetwork.get(network) ?? 0) + 1);
  }

  #remove(network: string): void {
    const left = (this.#byNetwork.get(network) ?? 1) - 1;
    if (left > 0) this.#byNetwork.set(network, left);
    else this.#byNetwork.delete(network);
  }
}
