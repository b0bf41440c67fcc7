import { GantryError } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { LookupSteps } from '../../core/storage/lookup.ts';
import { type ContractCall, typedArguments } from '../chains/call-signature.ts';
import { maxValueLength, type StateValue, wholeState } from '../states/state-values.ts';
import type { Facts } from './evaluate.ts';
import type { ChainAction } from './rule.ts';
import { tokenUnits } from './token-amount.ts';
import { numberOf, type TriggerInput } from './trigger.ts';

/** A trigger's values for templates. */
type TemplateInput = Omit<TriggerInput, 'trigger'> & { wallet: string };

/** The error for guests: a guest's address has no private key, so whatever is sent to it is lost. */
const notForGuests =
  'the player is a guest, whose address has no private key; link a wallet first (upgradeGuest)';

/**
 * The contract call of an action, its templates filled with current values and its arguments checked against the
 * function's types; or why it cannot be made.
 */
export function* prepareCall<Yielded>(
  action: ChainAction,
  input: TemplateInput,
  facts: Facts<Yielded>,
): LookupSteps<Yielded, ContractCall | { error: string }> {
  if (isGuestAddress(input.wallet)) return { error: notForGuests };
  try {
    const { signature, args } = templatesOf(action, input);
    const filled: string[] = [];
    for (const template of args)
      filled.push(yield* fillTemplate(template, ownPlaceholders(action), input, facts));
    typedArguments(signature, filled);
    const { chainId, contract, gas, errors = [] } = action;
    return { chainId, contract, function: signature, args: filled, errors, gas };
  } catch (error) {
    if (error instanceof GantryError) throw error; // concerns the whole trigger, not this call
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The call's cost, counted against the game's spending limits. */
export function costOf(action: ChainAction, { args }: ContractCall): { token: string; amount: bigint } {
  const token = `${action.chainId}:${action.contract}`;
  if (action.type === 'IssueToken') return { token, amount: BigInt(args[1] ?? '0') };
  if (action.type === 'GrantAchievementToken') return { token, amount: 1n };
  return { token: '', amount: 0n };
}

function templatesOf(
  action: ChainAction,
  input: TemplateInput,
): { signature: string; args: readonly string[] } {
  if (action.type !== 'IssueToken') return { signature: action.function, args: action.args };
  const { method, amount, ratio, decimals } = action;
  if (decimals === undefined) throw new Error('the decimals of the token are unknown; save the rules again');
  const units = tokenUnits(amount ?? ratio ?? '0', decimals, amount === undefined ? factorOf(input) : 1n);
  if (units === 0n) throw new Error('the amount is zero');
  return { signature: `function ${method}(address to, uint256 amount)`, args: ['{wallet}', String(units)] };
}

/** The factor of `ratio`: exact, so that no float determines what is paid out. */
function factorOf(input: TemplateInput): bigint {
  const value = numberOf(input.value) ?? 0;
  if (value < 0) throw new Error('the value must not be negative');
  if (!Number.isInteger(value)) throw new Error('ratio requires a whole number as the value');
  return BigInt(value);
}

/** An action's own fields, by their names in its templates. */
type OwnPlaceholders = Readonly<Record<string, string>>;

function ownPlaceholders(action: ChainAction): OwnPlaceholders {
  if (action.type === 'GrantAchievementToken') return { achievement: action.achievement };
  if (action.type !== 'UpdateNFTTrait') return {};
  return { tokenId: action.tokenId, trait: action.trait, traitValue: action.value };
}

/** Maximum length of an argument, in UTF-16 units: gas is paid per byte. Longer values of a state arrive truncated. */
const maxArgumentLength = maxValueLength;

/** Fills a template in one pass. @throws Error naming a placeholder without a value */
function* fillTemplate<Yielded>(
  template: string,
  placeholders: OwnPlaceholders,
  input: TemplateInput,
  facts: Facts<Yielded>,
): LookupSteps<Yielded, string> {
  let filled = '';
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of template.matchAll(placeholder)) {
    const value = yield* resolvePlaceholder(name, placeholders, input, facts);
    if (value === undefined || value === null) throw new Error(`no value for {${name}}`);
    filled += template.slice(end, index) + (typeof value === 'string' ? value : formatValue(value));
    end = index + whole.length;
  }
  filled += template.slice(end);
  if (filled.length > maxArgumentLength) throw new Error('an argument is longer than 10,000 characters');
  return filled;
}

function* resolvePlaceholder<Yielded>(
  name: string,
  placeholders: OwnPlaceholders,
  input: TemplateInput,
  facts: Facts<Yielded>,
): LookupSteps<Yielded, StateValue> {
  if (name === 'wallet') return input.wallet;
  if (name === 'value') return input.value;
  if (name === 'nonce') return input.nonce;
  if (name === 'score') return yield* facts.score(undefined, input.finished?.leaderboard);
  if (input.finished && (name === 'place' || name === 'season')) return input.finished[name];
  const own = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined;
  // Its value may contain placeholders too, except the action's own.
  if (own !== undefined) return yield* fillTemplate(own, {}, input, facts);
  const reference = parseStateReference(name);
  if (!reference) throw new Error(`{${name}} is not a known placeholder`);
  return facts.state(reference.label, reference.key);
}

/** The states and keys that an action's templates refer to. */
export function templateStates(action: ChainAction): { label: string; key: string }[] {
  if (action.type === 'IssueToken') return [];
  const templates = [...action.args, ...Object.values(ownPlaceholders(action))];
  return templates
    .flatMap((template) => [...template.matchAll(placeholder)])
    .flatMap(([, name = '']) => parseStateReference(name) ?? []);
}

const placeholder = /\{([^{}]+)\}/g;

/** Parses `state.<label>` or `state.<label>.<key>`. */
function parseStateReference(name: string): { label: string; key: string } | null {
  const [, label, key = wholeState] = /^state\.([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
  return label === undefined ? null : { label, key };
}

/** A number without an exponent; anything else as JSON. */
function formatValue(value: Exclude<StateValue, string | null | undefined>): string {
  if (typeof value === 'object') return value.json;
  return typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : JSON.stringify(value);
}
