import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { withReason } from '../../domain/field-reason.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { nonce } from '../../domain/score.ts';
import { text } from '../../domain/text.ts';
import { ruleList } from '../../rules/rule.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const testRules = defineOperation({
  name: 'testRules',
  service: 'admin',
  kind: 'read',
  summary: 'Say which actions a trigger would run for a player, and why not the others; nothing is done',
  auth: 'admin',
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    trigger: text(1, 200),
    value: z.int('must be a whole number').optional(),
    nonce,
    rules: withReason(ruleList.optional(), 'rule_invalid').meta({
      description: "Rules to try; left out, the game's own",
    }),
  }),
  output: z.object({
    success,
    actions: z.array(
      z.object({
        rule: z.int().meta({ description: "The rule's place in the list, from 0" }),
        action: z.int().meta({ description: "The action's place in the rule, from 0" }),
        type: z.string(),
        fires: z.boolean(),
        why: z.string().nullable().meta({ description: 'Why it would not' }),
      }),
    ),
  }),
  async handler({ input: { gameId, wallet, rules: given, ...input } }, { store, ruleChains }) {
    await requireGame(store, gameId);
    const rules = given ? await ruleChains.checked(given) : (await store.rules.get(gameId)).rules;
    const chain = await ruleChains.factsFor(rules, input.trigger, wallet);
    return { success: true, actions: await store.rules.explain({ gameId, wallet }, input, chain, rules) };
  },
});
