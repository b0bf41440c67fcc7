import { networkOf } from '../../core/network-of.ts';

/** How many connections each client network has open. */
export class ConnectionCounts {
  readonly #byNetwork = new Map<string, number>();

  /** The number of an address's network. */
  of(address: string): number {
    return this.#byNetwork.get(networkOf(address)) ?? 0;
  }

  /** Counts a connection until the function that this returns is called. */
  add(address: string): () => void {
    const network = networkOf(address);
    this.#byNetwork.set(network, this.of(address) + 1);
    return () => {
      const left = (this.#byNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#byNetwork.set(network, left);
      else this.#byNetwork.delete(network);
    };
  }
}
