import { GantryError } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Store } from '../../core/storage/store.ts';
import type { StateReader } from '../states/state-reader.ts';
import { triggerRules } from './commands.ts';
import { readRules } from './queries.ts';
import { reportedRules } from './rule.ts';
import type { RuleChains } from './rule-chains.ts';
import { stateFactsFor } from './state-facts.ts';
import type { TriggerAnswer, TriggerInput } from './trigger.ts';

/** Maximum attempts for a trigger while the player's states or the rules are changed concurrently. */
const maxAttempts = 5;

export interface RuleServices {
  db: Store;
  ruleChains: RuleChains;
  states: StateReader;
}

/**
 * Runs a game's rules for a trigger of a player, with what they need to know of chains and states.
 * @throws GantryError as `triggerRules`, and `chain_unavailable`
 */
export async function reportTrigger(
  { db, ruleChains, states: reader }: RuleServices,
  owner: Owner,
  input: TriggerInput,
): Promise<TriggerAnswer> {
  for (let attempt = 1; ; attempt++) {
    const rules = reportedRules((await db.read(readRules, owner.gameId)).rules);
    const chain = await ruleChains.factsFor(rules, input.trigger, owner.wallet);
    const states = await stateFactsFor(rules, input.trigger, owner, { db, reader });
    try {
      return await db.write(triggerRules, owner, input, chain, states);
    } catch (error) {
      const isChanged = error instanceof GantryError && error.reason === 'states_changed';
      if (!isChanged || attempt === maxAttempts) throw error;
    }
  }
}
