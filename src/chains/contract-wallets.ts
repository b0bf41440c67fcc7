import type { Hex, PublicClient } from 'viem';
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

  /**
   * `message` is an EIP-4361 text: the chain it names is the one its signature is verified on (EIP-4361, "Chain ID").
   * @throws GantryError `chain_unknown`, `chain_unavailable`; `wallet_signature_invalid` when the text names another chain
   */
  async isSigned(chainId: number, message: string, signature: string, wallet: string): Promise<boolean> {
    const client = await this.#client(chainId);
    const { parseMessage } = await import('ox/Siwe');
    const named = parseMessage(message).chainId;
    if (named !== chainId) {
      throw new GantryError(
        'wallet_signature_invalid',
        `The signRequest names chain ${named}, and chainId is ${chainId}: send the same chainId with both calls`,
      );
    }
    const { isErc6492Signature } = await import('viem');
    const [address, signed] = [asHex(wallet), asHex(signature)];
    const [answered, code] = await Promise.all([client.getChainId(), client.getCode({ address })]).catch(() =>
      Promise.reject(unavailable(chainId)),
    );
    if (answered !== chainId) {
      throw new GantryError(
        'chain_unavailable',
        `The RPC server configured for chain ${chainId} is of chain ${answered}`,
      );
    }
    // Without code it is no contract. Its key's signature was checked in the one form that counts, and the
    // validator below would take others.
    if (code === undefined && !isErc6492Signature(signed)) return false;
    return isValid(client, chainId, { address, message, signature: signed });
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

/**
 * Asks ERC-6492's validator, which is run on the chain without being deployed. viem's `verifyMessage` does so
 * too, but answers false when the RPC server has failed, and true when a key has signed, however it is written.
 */
async function isValid(
  client: PublicClient,
  chainId: number,
  { address, message, signature }: { address: Hex; message: string; signature: Hex },
): Promise<boolean> {
  const viem = await import('viem');
  const data = viem.encodeDeployData({
    abi: viem.erc6492SignatureValidatorAbi,
    bytecode: viem.erc6492SignatureValidatorByteCode,
    args: [address, viem.hashMessage(message), signature],
  });
  try {
    return (await client.call({ data })).data === '0x01';
  } catch (error) {
    const isOutOfReach = (cause: unknown) =>
      cause instanceof viem.HttpRequestError ||
      cause instanceof viem.TimeoutError ||
      cause instanceof viem.LimitExceededRpcError;
    if (error instanceof viem.BaseError && error.walk(isOutOfReach)) throw unavailable(chainId);
    return false; // the wallet's contract has failed, or the one that was to deploy it
  }
}

function unavailable(chainId: number): GantryError {
  return new GantryError(
    'chain_unavailable',
    `No RPC server of chain ${chainId} can be reached; try again later`,
  );
}

function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}

/** viem's clients take a while to load, and most servers never need them. */
async function connect(urls: readonly string[]): Promise<PublicClient> {
  const { createPublicClient, fallback, http } = await import('viem');
  // No retries: a caller is waiting, and the next server of the list is the better second try.
  const transports = urls.map((url) => http(url, { timeout: rpcTimeoutMs, retryCount: 0 }));
  // A contract may ask to be called by way of an address of its choice (EIP-3668); this server goes nowhere for it.
  return createPublicClient({ transport: fallback(transports, { retryCount: 0 }), ccipRead: false });
}
