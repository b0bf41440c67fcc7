import { z } from 'zod';
import { addressInput, text } from './fields.ts';

export const comparison = z.enum(['gt', 'gte', 'lt', 'lte', 'eq', 'ne']);
export type Comparison = z.infer<typeof comparison>;

export const chainId = z.int().min(1);
export const uint = z.string().regex(/^\d{1,78}$/, 'must be a whole number, as a string');

/**
 * Compares how many tokens the player has: ERC-20 (in the token's smallest unit), ERC-721 or, with `tokenId`,
 * ERC-1155 on a chain; or off-chain, whether Gantry has recorded the `achievement` (1 or 0).
 */
export const userOwnsTokens = z
  .strictObject({
    type: z.literal('user-owns-tokens'),
    standard: z.enum(['erc20', 'erc721', 'erc1155', 'off-chain']),
    chainId: chainId.optional(),
    contract: addressInput.optional(),
    tokenId: uint.optional(),
    achievement: text(1, 200).optional(),
    operator: comparison.default('gte'),
    amount: uint.default('1'),
  })
  .superRefine((given, context) => {
    const wanted = {
      erc20: ['chainId', 'contract'],
      erc721: ['chainId', 'contract'],
      erc1155: ['chainId', 'contract', 'tokenId'],
      'off-chain': ['achievement'],
    }[given.standard];
    for (const field of ['chainId', 'contract', 'tokenId', 'achievement'] as const) {
      const isGiven = given[field] !== undefined;
      if (isGiven === wanted.includes(field)) continue;
      const message = `${isGiven ? 'is not allowed with' : 'is required with'} the standard ${given.standard}`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });
export type TokenCondition = z.infer<typeof userOwnsTokens>;

/** The key of the balance that an on-chain condition checks, among one player's balances. */
export function balanceKey({
  standard,
  chainId,
  contract,
  tokenId,
}: Pick<TokenCondition, 'standard' | 'chainId' | 'contract' | 'tokenId'>): string {
  return [standard, chainId, contract, tokenId].join(':');
}
