import { parseAbi } from 'abitype';
import type { PublicClient } from 'viem';
import { GantryError, invalidField, type Reason } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { TokenCondition } from '../../core/schemas/token-condition.ts';
import type { ChainClients } from './chain-client.ts';
import { asHex, isUnreachable } from './rpc-errors.ts';

const tokens = parseAbi(['function balanceOf(address owner) view returns (uint256)']);
const multiToken = parseAbi(['function balanceOf(address owner, uint256 id) view returns (uint256)']);

/** A token on a chain. */
export type ChainToken = Pick<TokenCondition, 'chainId' | 'contract' | 'tokenId'>;

/**
 * How many of a token a wallet has, in its smallest unit.
 * @throws GantryError `chain_unavailable` when the chain cannot be queried, or the contract does not answer
 */
export async function tokenBalance(
  clients: ChainClients,
  token: ChainToken,
  wallet: string,
): Promise<bigint> {
  if (isGuestAddress(wallet)) return 0n; // a guest's address has no private key and owns no tokens
  const { chainId = 0, contract = '', tokenId } = token;
  try {
    const client = await clients.get(chainId);
    const address = asHex(contract);
    const owner = asHex(wallet);
    return tokenId === undefined
      ? await client.readContract({ address, abi: tokens, functionName: 'balanceOf', args: [owner] })
      : await client.readContract({
          address,
          abi: multiToken,
          functionName: 'balanceOf',
          args: [owner, BigInt(tokenId)],
        });
  } catch (error) {
    throw new GantryError('chain_unavailable', `Balance lookup on chain ${chainId} failed; try again later`, {
      cause: error,
    });
  }
}

/**
 * A client of the chain on which this contract is deployed.
 * @throws GantryError `reason`, naming the field `chainId` or `contract` under `path`, when there is none
 */
export async function requireContract(
  clients: ChainClients,
  { chainId, contract }: { chainId: number; contract: string },
  path: string,
  reason: Reason,
): Promise<PublicClient> {
  if (!clients.chainIds.includes(chainId)) {
    const known = clients.chainIds.join(', ') || 'none';
    const message = `CHAINS has no RPC server for chain ${chainId} (configured: ${known})`;
    throw invalidField(`${path}.chainId`, message, reason);
  }
  let code: string | undefined;
  let client: PublicClient;
  try {
    client = await clients.get(chainId);
    code = await client.getCode({ address: asHex(contract) });
  } catch (error) {
    const problem = isUnreachable(error) ? 'no RPC server of the chain responds' : describeError(error);
    throw invalidField(`${path}.chainId`, problem, reason);
  }
  if (code === undefined) {
    throw invalidField(`${path}.contract`, noContractAt({ chainId, contract }), reason);
  }
  return client;
}

export function noContractAt({ chainId, contract }: { chainId: number; contract: string }): string {
  return `no contract is deployed at ${contract} on chain ${chainId}`;
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
