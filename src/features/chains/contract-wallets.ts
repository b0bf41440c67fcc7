import type { Hex, PublicClient } from 'viem';
import { GantryError } from '../../core/errors.ts';
import { rpcTransport } from './rpc-transport.ts';

/** Chain id → URLs of its RPC servers; the first one that responds is used. */
export type ChainRpcs = ReadonlyMap<number, readonly string[]>;

/**
 * Verifies signatures of contract wallets: deployed (ERC-1271) and not yet deployed (ERC-6492). Only these need a
 * chain; externally owned accounts are verified by `isSignedByEoa`.
 */
export class ContractWallets {
  readonly #rpcs: ChainRpcs;
  readonly #clients = new Map<number, Promise<PublicClient>>();

  constructor(rpcs: ChainRpcs) {
    this.#rpcs = rpcs;
  }

  /**
   * `message` is an EIP-4361 text, whose signature must be verified on the chain that it names (EIP-4361, "Chain ID").
   * @throws GantryError `chain_unknown`, `chain_unavailable`; `wallet_signature_invalid` if the text names another
   * chain
   */
  async isSigned(chainId: number, message: string, signature: string, wallet: string): Promise<boolean> {
    const client = await this.#client(chainId);
    const { parseMessage } = await import('ox/Siwe');
    const named = parseMessage(message).chainId;
    if (named !== chainId) {
      throw new GantryError(
        'wallet_signature_invalid',
        `The signRequest is for chain ${named}, but chainId is ${chainId}; send the same chainId with both calls`,
      );
    }
    const { isErc6492Signature } = await import('viem');
    const [address, signed] = [asHex(wallet), asHex(signature)];
    const [actualChainId, code] = await Promise.all([client.getChainId(), client.getCode({ address })]).catch(
      () => Promise.reject(unavailable(chainId)),
    );
    if (actualChainId !== chainId) {
      throw new GantryError(
        'chain_unavailable',
        `The RPC server configured for chain ${chainId} serves chain ${actualChainId}`,
      );
    }
    // Without code it is not a contract. The signature of its key has already been rejected in the only accepted
    // form, and the validator below would accept others.
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
          ? `chainId: this server supports the chains ${known.join(', ')}`
          : 'chainId: no chain is configured, so only externally owned accounts can sign in',
      );
    }
    const client = this.#clients.get(chainId) ?? connect(urls);
    this.#clients.set(chainId, client);
    return client;
  }
}

/**
 * Calls ERC-6492's validator, which runs on the chain without being deployed. viem's `verifyMessage` does so too, but
 * returns false when the RPC server fails, and true for any encoding of a key's signature.
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
    const isUnreachable = (cause: unknown) =>
      cause instanceof viem.HttpRequestError ||
      cause instanceof viem.TimeoutError ||
      cause instanceof viem.LimitExceededRpcError;
    if (error instanceof viem.BaseError && error.walk(isUnreachable)) throw unavailable(chainId);
    return false; // the wallet's contract, or the factory that deploys it, has reverted
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

async function connect(urls: readonly string[]): Promise<PublicClient> {
  const { createPublicClient } = await import('viem');
  // Without EIP-3668, by which a contract could make this server request a URL of its choice.
  return createPublicClient({ transport: await rpcTransport(urls), ccipRead: false });
}
