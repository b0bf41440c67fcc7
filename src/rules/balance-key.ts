import type { TokenCondition } from './rule.ts';

/** Names the balance an on-chain condition asks for, within one player's. */
export function balanceKey({ standard, chainId, contract, tokenId }: TokenCondition): string {
  return [standard, chainId, contract, tokenId].join(':');
}
