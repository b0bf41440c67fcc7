import type { TokenCondition } from './rule.ts';

/** The key of the balance that an on-chain condition checks, among one player's balances. */
export function balanceKey({ standard, chainId, contract, tokenId }: TokenCondition): string {
  return [standard, chainId, contract, tokenId].join(':');
}
