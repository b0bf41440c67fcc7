import type { Owner } from '../core/schemas/owner.ts';
import type { Steps, Tx } from '../core/storage/command.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError } from '../errors.ts';
import { stateContentId, stateText } from '../states/queries.ts';
import type { StateReader } from '../states/state-reader.ts';
import { states } from '../states/tables.ts';
import { statesInTemplates } from './chain-actions.ts';
import { isChainAction, type Rule } from './rule.ts';
import type { JudgedState, StateFacts } from './trigger.ts';

/** So often a state is looked at that changes before its text is read. */
const mostLooks = 5;

/** What the conditions and templates of these rules ask of states on this trigger: keys by label. */
export function statesAskedFor(
  rules: readonly Rule[],
  trigger: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const asked = new Map<string, Set<string>>();
  for (const action of rules.filter((rule) => rule.trigger === trigger).flatMap(({ actions }) => actions)) {
    const conditions = action.conditions ?? [];
    const inConditions = conditions.filter((one) => one.type === 'state-variable-condition');
    const inTemplates = isChainAction(action) ? statesInTemplates(action) : [];
    for (const { label, key } of [...inConditions, ...inTemplates]) {
      asked.set(label, (asked.get(label) ?? new Set()).add(key));
    }
  }
  return asked;
}

/**
 * Looks into the player's states for what these rules ask of them on this trigger, one after the other and the large
 * ones in threads of their own: a state may have a megabyte, and nobody else is to wait for it.
 * @throws GantryError `states_changed` when one is another with each look
 */
export async function stateFactsFor(
  rules: readonly Rule[],
  trigger: string,
  owner: Owner,
  { db, reader }: { db: Database; reader: StateReader },
): Promise<StateFacts> {
  const facts: JudgedState[] = [];
  for (const [label, asked] of statesAskedFor(rules, trigger)) {
    facts.push(await judgedState(label, [...asked], owner, { db, reader }));
  }
  return facts;
}

async function judgedState(
  label: string,
  keys: readonly string[],
  owner: Owner,
  { db, reader }: { db: Database; reader: StateReader },
): Promise<JudgedState> {
  for (let look = 0; look < mostLooks; look++) {
    const ipfsHash = await db.read(stateContentId, owner, label);
    if (ipfsHash === null) return { label, ipfsHash, values: keys.map((key) => [key, undefined]) };
    const readText = () => db.read(stateText, owner, label, ipfsHash);
    const found = await reader.valuesOf(ipfsHash, keys, readText);
    if (found) return { label, ipfsHash, values: keys.map((key, at) => [key, found[at]]) };
  }
  throw statesChanged();
}

/** @throws GantryError `states_changed` when one of these states is another by now, or is there or gone */
export function* refuseChangedStates(tx: Tx, { gameId, wallet }: Owner, facts: StateFacts): Steps<void> {
  if (facts.length === 0) return;
  const now = yield* tx.all(
    ...facts.map(({ label }) => tx.peek(states, ['ipfsHash'], gameId, wallet, label)),
  );
  if (facts.some(({ ipfsHash }, at) => ipfsHash !== (now[at]?.ipfsHash ?? null))) throw statesChanged();
}

/** What was judged is no longer so: the trigger is to be judged again. */
export function statesChanged(): GantryError {
  return new GantryError(
    'states_changed',
    "The player's states or the game's rules changed while the trigger was judged, and nothing was done; send it again",
  );
}
