import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Steps, Tx } from '../../core/storage/command.ts';
import type { Store } from '../../core/storage/store.ts';
import { stateContentId, stateText } from '../states/queries.ts';
import type { StateReader } from '../states/state-reader.ts';
import { states } from '../states/tables.ts';
import { templateStates } from './chain-actions.ts';
import { isChainAction, type Rule } from './rule.ts';
import type { StateFact, StateFacts } from './trigger.ts';

/** Maximum attempts to read a state that changes before its text is read. */
const maxReadAttempts = 5;

/** The state keys that the conditions and templates of these rules refer to on this trigger, by label. */
export function referencedStates(
  rules: readonly Rule[],
  trigger: string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const references = new Map<string, Set<string>>();
  for (const action of rules.filter((rule) => rule.trigger === trigger).flatMap(({ actions }) => actions)) {
    const conditions = action.conditions ?? [];
    const inConditions = conditions.filter((one) => one.type === 'state-variable-condition');
    const inTemplates = isChainAction(action) ? templateStates(action) : [];
    for (const { label, key } of [...inConditions, ...inTemplates]) {
      references.set(label, (references.get(label) ?? new Set()).add(key));
    }
  }
  return references;
}

/**
 * Reads the values of the player's states that these rules refer to on this trigger, one state after the other, large
 * ones in worker threads: a state may have a megabyte, and must not block other calls.
 * @throws GantryError `states_changed` when a state has changed at every attempt to read it
 */
export async function stateFactsFor(
  rules: readonly Rule[],
  trigger: string,
  owner: Owner,
  { db, reader }: { db: Store; reader: StateReader },
): Promise<StateFacts> {
  const facts: StateFact[] = [];
  for (const [label, keys] of referencedStates(rules, trigger)) {
    facts.push(await readStateFact(label, [...keys], owner, { db, reader }));
  }
  return facts;
}

async function readStateFact(
  label: string,
  keys: readonly string[],
  owner: Owner,
  { db, reader }: { db: Store; reader: StateReader },
): Promise<StateFact> {
  for (let attempt = 0; attempt < maxReadAttempts; attempt++) {
    const ipfsHash = await db.read(stateContentId, owner, label);
    if (ipfsHash === null) return { label, ipfsHash, values: keys.map((key) => [key, undefined]) };
    const readText = () => db.read(stateText, owner, label, ipfsHash);
    const found = await reader.valuesOf(ipfsHash, keys, readText);
    if (found) return { label, ipfsHash, values: keys.map((key, at) => [key, found[at]]) };
  }
  throw statesChanged();
}

/** @throws GantryError `states_changed` when one of these states was changed, created or removed since it was read */
export function* refuseChangedStates(tx: Tx, { gameId, wallet }: Owner, facts: StateFacts): Steps<void> {
  if (facts.length === 0) return;
  const current = yield* tx.all(
    ...facts.map(({ label }) => tx.peek(states, ['ipfsHash'], gameId, wallet, label)),
  );
  if (facts.some(({ ipfsHash }, at) => ipfsHash !== (current[at]?.ipfsHash ?? null))) throw statesChanged();
}

/** The trigger was evaluated against outdated states or rules, and must be evaluated again. */
export function statesChanged(): GantryError {
  return new GantryError(
    'states_changed',
    "The player's states or the game's rules changed while the trigger was evaluated; nothing was done, so send it again",
  );
}
