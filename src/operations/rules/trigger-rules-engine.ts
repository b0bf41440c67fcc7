import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { nonce } from '../../domain/score.ts';
import { text } from '../../domain/text.ts';
import { defineOperation } from '../define.ts';
import { ownerOf } from '../owner.ts';

export const triggerRulesEngine = defineOperation({
  name: 'triggerRulesEngine',
  service: 'launcher',
  kind: 'write',
  summary: "Report a game event; the game's rules for this trigger run",
  auth: 'player',
  input: z.object({ trigger: text(1, 200), nonce, value: z.int('must be a whole number').optional() }),
  output: z.object({
    success,
    triggerUuid: z.string(),
    actions: z.array(z.string()).meta({ description: 'The types of the actions that were accepted' }),
  }),
  async handler({ input, caller }, { store, ruleChains }) {
    const owner = ownerOf(caller);
    const { rules } = await store.rules.get(owner.gameId);
    const chain = await ruleChains.factsFor(rules, input.trigger, owner.wallet);
    return { success: true, ...(await store.rules.trigger(owner, input, chain)) };
  },
});
