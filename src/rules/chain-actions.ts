import type { ContractCall } from '../chains/call-signature.ts';
import { typedArguments } from '../chains/call-signature.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import type { LookupSteps } from '../core/storage/lookup.ts';
import { GantryError } from '../errors.ts';
import { maxValueLength, type StateValue, wholeState } from '../states/state-values.ts';
import type { Facts } from './evaluate.ts';
import type { ChainAction } from './rule.ts';
import { tokenUnits } from './token-amount.ts';
import type { TriggerInput } from './trigger.ts';
import { numberOf } from './trigger-value.ts';

/** What a trigger brings for templates. */
type Sent = Omit<TriggerInput, 'trigger'> & { wallet: string };

/** Why nothing is sent for what stands for a wallet: what went there, nobody could ever take out. */
const notForGuests =
  'the player is a guest, for whose address nobody can sign: it needs a wallet first (upgradeGuest)';

/**
 * The call an action makes, its templates filled in with what is so now and its arguments of the types the
 * function wants; or why it cannot be made.
 */
export function* preparedCall<Asked>(
  action: ChainAction,
  sent: Sent,
  facts: Facts<Asked>,
): LookupSteps<Asked, ContractCall | { error: string }> {
  if (isGuestAddress(sent.wallet)) return { error: notForGuests };
  try {
    const { signature, args } = templatesOf(action, sent);
    const filled: string[] = [];
    for (const template of args) filled.push(yield* filledIn(template, placeholdersOf(action), sent, facts));
    typedArguments(signature, filled);
    const { chainId, contract, gas, errors = [] } = action;
    return { chainId, contract, function: signature, args: filled, errors, gas };
  } catch (error) {
    if (error instanceof GantryError) throw error; // the whole trigger's, not this call's
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
  if (decimals === undefined) throw new Error('the decimals of the token are not known: db the rule again');
  const units = tokenUnits(amount ?? ratio ?? '0', decimals, amount === undefined ? factorOf(sent) : 1n);
  if (units === 0n) throw new Error('the amount comes to nothing');
  return { signature: `function ${method}(address to, uint256 amount)`, args: ['{wallet}', String(units)] };
}

/** What `ratio` is multiplied by: exact, so that no float decides what is handed out. */
function factorOf({ value: sent }: Sent): bigint {
  const value = numberOf(sent) ?? 0;
  if (value < 0) throw new Error('a negative value hands out nothing');
  if (!Number.isInteger(value)) throw new Error('ratio takes a whole number as the value');
  return BigInt(value);
}

/** What an action's own fields are called in its templates. */
type Placeholders = Readonly<Record<string, string>>;

function placeholdersOf(action: ChainAction): Placeholders {
  if (action.type === 'GrantAchievementToken') return { achievement: action.achievement };
  if (action.type !== 'UpdateNFTTrait') return {};
  return { tokenId: action.tokenId, trait: action.trait, traitValue: action.value };
}

/** The longest argument, in UTF-16 units: it is paid for by the byte. What is longer in a state comes cut. */
const longestArgument = maxValueLength;

/** Fills a template in one pass. @throws Error naming a placeholder that there is nothing for */
function* filledIn<Asked>(
  template: string,
  placeholders: Placeholders,
  sent: Sent,
  facts: Facts<Asked>,
): LookupSteps<Asked, string> {
  let filled = '';
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of template.matchAll(placeholder)) {
    const value = yield* lookedUp(name, placeholders, sent, facts);
    if (value === undefined || value === null) throw new Error(`there is nothing to fill {${name}} with`);
    filled += template.slice(end, index) + (typeof value === 'string' ? value : plain(value));
    end = index + whole.length;
  }
  filled += template.slice(end);
  if (filled.length > longestArgument) throw new Error('an argument is longer than 10,000 characters');
  return filled;
}

function* lookedUp<Asked>(
  name: string,
  placeholders: Placeholders,
  sent: Sent,
  facts: Facts<Asked>,
): LookupSteps<Asked, StateValue> {
  if (name === 'wallet') return sent.wallet;
  if (name === 'value') return sent.value;
  if (name === 'nonce') return sent.nonce;
  if (name === 'score') return yield* facts.score(undefined, sent.finished?.leaderboard);
  if (sent.finished && (name === 'place' || name === 'season')) return sent.finished[name];
  const own = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined;
  // What it holds is filled in as well, save for the action's own again.
  if (own !== undefined) return yield* filledIn(own, {}, sent, facts);
  const named = stateNamed(name);
  if (!named) throw new Error(`{${name}} is no placeholder`);
  return facts.state(named.label, named.key);
}

/** The states that an action's templates name, and the keys in them. */
export function statesInTemplates(action: ChainAction): { label: string; key: string }[] {
  if (action.type === 'IssueToken') return [];
  const templates = [...action.args, ...Object.values(placeholdersOf(action))];
  return templates
    .flatMap((template) => [...template.matchAll(placeholder)])
    .flatMap(([, name = '']) => stateNamed(name) ?? []);
}

const placeholder = /\{([^{}]+)\}/g;

/** `state.<label>`, `state.<label>.<key>` */
function stateNamed(name: string): { label: string; key: string } | null {
  const [, label, key = wholeState] = /^state\.([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
  return label === undefined ? null : { label, key };
}

/** A number without an exponent; anything else as JSON. */
function plain(value: Exclude<StateValue, string | null | undefined>): string {
  if (typeof value === 'object') return value.json;
  return typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : JSON.stringify(value);
}
