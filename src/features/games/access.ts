import { z } from 'zod';
import { text } from '../../core/schemas/fields.ts';
import { balanceKey, userOwnsTokens } from '../../core/schemas/token-condition.ts';

/** Most tokens that a policy can name: each is a read on a chain for every check. */
const maxTokens = 20;

/** The rules' condition, on a chain and for owning at least `amount`; `name`: what players are told it is. */
const ownedToken = userOwnsTokens
  .safeExtend({ name: text(1, 100).optional() })
  .refine(({ standard }) => standard !== 'off-chain', {
    path: ['standard'],
    message:
      'must be erc20, erc721 or erc1155: achievements are earned by playing, so they cannot be required to play',
  })
  .refine(({ operator }) => operator === 'gte', {
    path: ['operator'],
    message: 'must be gte: a game can require tokens, not their absence',
  });
export type OwnedToken = z.infer<typeof ownedToken>;

/** What a player must own: a token, all of these, or any of these. */
export type AccessRule = OwnedToken | { type: 'all' | 'any'; of: AccessRule[] };

const isRule = { error: 'must be user-owns-tokens, all or any' };
const group = <Of extends z.ZodType>(of: Of) =>
  z.strictObject({ type: z.enum(['all', 'any']), of: z.array(of).min(1).max(maxTokens) });
const tokenOrGroup = z.discriminatedUnion('type', [ownedToken, group(ownedToken)], isRule);
const rule = z.discriminatedUnion('type', [ownedToken, group(tokenOrGroup)], isRule);

/** At most two groups deep, and with a bounded number of tokens. */
export const accessRule = rule.refine(
  (given) => tokensOf(given).length <= maxTokens,
  `must name at most ${maxTokens} tokens in total`,
);

/** Every token that a rule names, each with its path in the rule. */
export function tokensOf(rule: AccessRule, path = ''): { token: OwnedToken; path: string }[] {
  if (!('of' in rule)) return [{ token: rule, path }];
  return rule.of.flatMap((part, at) => tokensOf(part, `${path}.of.${at}`));
}

/** What a rule requires, in words: `2 of Gold (ERC-20 0x… on chain 1) or 1 of …`. */
export function describeAccess(rule: AccessRule): string {
  if (!('of' in rule)) return describeToken(rule);
  const parts = rule.of.map((part) =>
    'of' in part && part.of.length > 1 ? `(${describeAccess(part)})` : describeAccess(part),
  );
  return parts.join(rule.type === 'all' ? ' and ' : ' or ');
}

function describeToken({ standard, chainId, contract, tokenId, amount, name }: OwnedToken): string {
  const id = tokenId === undefined ? '' : ` token ${tokenId} of`;
  const units = standard === 'erc20' ? ', in its smallest unit' : '';
  const token = `${standard.replace('erc', 'ERC-')}${id} ${contract} on chain ${chainId}${units}`;
  return name === undefined ? `${amount} of ${token}` : `${amount} of ${name} (${token})`;
}

/** The player's balances by `balanceKey`, as far as they are known. */
export type KnownBalances = ReadonlyMap<string, bigint>;

/** Whether a rule holds; null when it depends on balances that are not known. */
export function holds(rule: AccessRule, balances: KnownBalances): boolean | null {
  if (!('of' in rule)) {
    const balance = balances.get(balanceKey(rule));
    return balance === undefined ? null : balance >= BigInt(rule.amount);
  }
  const parts = rule.of.map((part) => holds(part, balances));
  const decisive = rule.type === 'any';
  if (parts.includes(decisive)) return decisive;
  return parts.includes(null) ? null : !decisive;
}

/** The balances of a player who owns none of the tokens: of every guest, since a guest's address has no key. */
export function noneOf(rule: AccessRule): KnownBalances {
  return new Map(tokensOf(rule).map(({ token }) => [balanceKey(token), 0n]));
}
