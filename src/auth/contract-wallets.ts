import type { PublicClient } from 'viem';
import { GantryError } from '../errors.ts';

/** How long one RPC may take to answer, in milliseconds. */
const rpcTimeoutMs = 5_000;

/** Chain id → addresses of its RPC servers, the first one that answers counts. */
export type ChainRpcs = ReadonlyMap<number, readonly string[]>;

/**
 * Checks the signatures of wallets that are contracts: deployed (ERC-1271) and not yet deployed (ERC-6492).
 * Only these need a chain; a wallet with a key of its own is checked by `isSignedByEoa`.
 */
export class ContractWallets {
  readonly #rpcs: ChainRpcs;
  readonly #clients = new Map<number, Promise<PublicClient>>();

  constructor(rpcs: ChainRpcs) {
    this.#rpcs = rpcs;
  }

  /** @throws GantryError `chain_unknown`, `chain_unavailable` */
  async isSigned(chainId: number, message: string, signature: string, wallet: string): Promise<boolean> {
    const client = await this.#client(chainId);
    const verified = await client
      .verifyMessage({ address: `0x${wallet.slice(2)}`, message, signature: `0x${signature.slice(2)}` })
      .catch(() => false);
    // viem answers false too when no RPC could be reached, so a no is believed only of a chain that answers.
    if (!verified) await this.#refuseWhenAway(client, chainId);
    return verified;
  }

  async #refuseWhenAway(client: PublicClient, chainId: number): Promise<void> {
    const answered = await client.getChainId().catch(() => null);
    if (answered === chainId) return;
    throw new GantryError(
      'chain_unavailable',
      answered === null
        ? `No RPC server of chain ${chainId} can be reached; try again later`
        : `The RPC server configured for chain ${chainId} is of chain ${answered}`,
    );
  }

  #client(chainId: number): Promise<PublicClient> {
    const urls = this.#rpcs.get(chainId);
    if (!urls) {
      const known = [...this.#rpcs.keys()];
      throw new GantryError(
        'chain_unknown',
        known.length > 0
          ? `chainId: this server knows the chains ${known.join(', ')}`
          : 'chainId: this server knows no chain, so only wallets with a key of their own can sign in',
      );
    }
    const client = this.#clients.get(chainId) ?? connect(urls);
    this.#clients.set(chainId, client);
    return client;
  }
}

/** viem's clients take a while to load, and most servers never need them. */
async function connect(urls: readonly string[]): Promise<PublicClient> {
  const { createPublicClient, fallback, http } = await import('viem');
  const transports = urls.map((url) => http(url, { timeout: rpcTimeoutMs, retryCount: 1 }));
  return createPublicClient({ transport: fallback(transports) });
}
