import type { PublicClient } from 'viem';
import type { ChainRpcs } from './contract-wallets.ts';
import { rpcTransport } from './rpc-transport.ts';

/** CHAINS does not fit the chain; the message is for operators. */
export class ChainSettingsError extends Error {
  override readonly name = 'ChainSettingsError';
}

/** Clients of the configured chains, created on first use. */
export class ChainClients {
  readonly #rpcs: ChainRpcs;
  readonly #clients = new Map<number, Promise<PublicClient>>();

  constructor(rpcs: ChainRpcs) {
    this.#rpcs = rpcs;
  }

  get chainIds(): number[] {
    return [...this.#rpcs.keys()];
  }

  /** A client whose RPC server has confirmed the chain id. @throws ChainSettingsError, viem's errors */
  get(chainId: number): Promise<PublicClient> {
    const known = this.#clients.get(chainId);
    if (known) return known;
    const client = this.#connect(chainId);
    this.#clients.set(chainId, client);
    client.catch(() => this.#clients.delete(chainId));
    return client;
  }

  async #connect(chainId: number): Promise<PublicClient> {
    const urls = this.#rpcs.get(chainId);
    if (!urls) throw new ChainSettingsError(`CHAINS has no RPC server for chain ${chainId}`);
    const { createPublicClient } = await import('viem');
    const client: PublicClient = createPublicClient({
      transport: await rpcTransport(urls),
      ccipRead: false,
      cacheTime: 0,
    });
    const actualChainId = await client.getChainId();
    if (actualChainId !== chainId) {
      throw new ChainSettingsError(
        `the RPC server configured for chain ${chainId} serves chain ${actualChainId}`,
      );
    }
    return client;
  }
}
