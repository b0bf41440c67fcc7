import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { ownerOf } from '../../owner.ts';
import { nonce } from '../../scores/score.ts';
import type { StateReader } from '../../states/state-reader.ts';
import { triggerRules } from '../commands.ts';
import { readRules } from '../queries.ts';
import { reportedRules } from '../rule.ts';
import type { RuleChains } from '../rule-chains.ts';
import { stateFactsFor } from '../state-facts.ts';
import { anyValue, integerValue } from '../trigger-value.ts';

const trigger = notSeen(text(1, 200), 'choice');

/** Maximum attempts for a trigger while the player's states or the rules are changed concurrently. */
const maxAttempts = 5;

export const triggerRulesEngine = defineOperation({
  name: 'triggerRulesEngine',
  service: 'launcher',
  kind: 'write',
  summary: "Report a game event; the game's rules for this trigger run",
  auth: 'player-or-server',
  input: z.object({ trigger, nonce, value: integerValue }),
  dispatchInput: z.object({ trigger, nonce, value: anyValue }),
  output: z.object({
    success,
    triggerUuid: z.string(),
    actions: z.array(z.string()).meta({ description: 'The types of the actions that were accepted' }),
  }),
  async handler(
    { input, caller },
    { db, ruleChains, states: reader }: { db: Store; ruleChains: RuleChains; states: StateReader },
  ) {
    const owner = ownerOf(caller);
    for (let attempt = 1; ; attempt++) {
      const rules = reportedRules((await db.read(readRules, owner.gameId)).rules);
      const chain = await ruleChains.factsFor(rules, input.trigger, owner.wallet);
      const states = await stateFactsFor(rules, input.trigger, owner, { db, reader });
      try {
        return { success: true, ...(await db.write(triggerRules, owner, input, chain, states)) };
      } catch (error) {
        const isChanged = error instanceof GantryError && error.reason === 'states_changed';
        if (!isChanged || attempt === maxAttempts) throw error;
      }
    }
  },
});
