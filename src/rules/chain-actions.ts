import type { ContractCall } from './chain/call-signature.ts';
import { typedArguments } from './chain/call-signature.ts';
import { type Facts, valueAt } from './evaluate.ts';
import type { ChainAction } from './rule.ts';
import { tokenUnits } from './token-amount.ts';

/** What a trigger brings for templates. */
interface Sent {
  wallet: string;
  value?: number | undefined;
  nonce?: string | undefined;
}

/**
 * The call an action makes, its templates filled in with what is so now and its arguments of the types the
 * function wants; or why it cannot be made.
 */
export function preparedCall(
  action: ChainAction,
  sent: Sent,
  facts: Facts,
): ContractCall | { error: string } {
  try {
    const { signature, args } = templatesOf(action, sent);
    const filled = args.map((template) => filledIn(template, placeholdersOf(action), sent, facts));
    typedArguments(signature, filled);
    const { chainId, contract, gas, errors = [] } = action;
    return { chainId, contract, function: signature, args: filled, errors, gas };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** What the call takes of the game's limits. */
export function costOf(action: ChainAction, { args }: ContractCall): { token: string; amount: bigint } {
  const token = `${action.chainId}:${action.contract}`;
  if (action.type === 'IssueToken') return { token, amount: BigInt(args[1] ?? '0') };
  if (action.type === 'GrantAchievementToken') return { token, amount: 1n };
  return { token: '', amount: 0n };
}

function templatesOf(action: ChainAction, sent: Sent): { signature: string; args: readonly string[] } {
  if (action.type !== 'IssueToken') return { signature: action.function, args: action.args };
  const { method, amount, ratio, decimals } = action;
  if (decimals === undefined)
    throw new Error('the decimals of the token are not known: store the rule again');
  if (sent.value !== undefined && sent.value < 0 && ratio !== undefined) {
    throw new Error('a negative value hands out nothing');
  }
  const units = tokenUnits(
    amount ?? ratio ?? '0',
    decimals,
    amount === undefined ? BigInt(sent.value ?? 0) : 1n,
  );
  if (units === 0n) throw new Error('the amount comes to nothing');
  return { signature: `function ${method}(address to, uint256 amount)`, args: ['{wallet}', String(units)] };
}

/** What an action's own fields are called in its templates. */
type Placeholders = Readonly<Record<string, string>>;

function placeholdersOf(action: ChainAction): Placeholders {
  if (action.type === 'GrantAchievementToken') return { achievement: action.achievement };
  if (action.type !== 'UpdateNFTTrait') return {};
  return { tokenId: action.tokenId, trait: action.trait, traitValue: action.value };
}

/** The longest argument, in UTF-16 units: it is paid for by the byte. */
const longestArgument = 10_000;

/** Fills a template in one pass. @throws Error naming a placeholder that there is nothing for */
function filledIn(template: string, placeholders: Placeholders, sent: Sent, facts: Facts): string {
  const filled = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = lookedUp(name, placeholders, sent, facts);
    if (value === undefined || value === null) throw new Error(`there is nothing to fill {${name}} with`);
    return typeof value === 'string' ? value : plain(value);
  });
  if (filled.length > longestArgument) throw new Error('an argument is longer than 10,000 characters');
  return filled;
}

function lookedUp(name: string, placeholders: Placeholders, sent: Sent, facts: Facts): unknown {
  if (name === 'wallet') return sent.wallet;
  if (name === 'value') return sent.value;
  if (name === 'nonce') return sent.nonce;
  if (name === 'score') return facts.score(undefined);
  const own = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined;
  // What it holds is filled in as well, save for the action's own again.
  if (own !== undefined) return filledIn(own, {}, sent, facts);
  const [, label, key] = /^state\.([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
  if (label === undefined) throw new Error(`{${name}} is no placeholder`);
  const state = facts.state(label);
  return key === undefined ? state : valueAt(state, key);
}

/** A number without an exponent; anything else as JSON. */
function plain(value: unknown): string {
  return typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : JSON.stringify(value);
}
