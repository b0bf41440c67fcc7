import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { nonce } from '../../scores/score.ts';
import type { StateReader } from '../../states/state-reader.ts';
import { explainTrigger, readRules } from '../queries.ts';
import { submittedRules } from '../rule-bounds.ts';
import type { RuleChains } from '../rule-chains.ts';
import { stateFactsFor } from '../state-facts.ts';
import { anyValue } from '../trigger-value.ts';

export const testRules = defineOperation({
  name: 'testRules',
  service: 'admin',
  kind: 'read',
  summary: 'Dry-run a trigger: which actions it would run for a player, and why not the others',
  auth: 'admin',
  roles: operators,
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    trigger: text(1, 200),
    value: anyValue,
    nonce,
    rules: withReason(submittedRules.optional(), 'rule_invalid').meta({
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
  async handler(
    { input: { gameId, wallet, rules: submitted, ...input } },
    { db, ruleChains, states: reader }: { db: Store; ruleChains: RuleChains; states: StateReader },
  ) {
    await requireGame(db, gameId);
    const rules = submitted ? await ruleChains.validate(submitted) : (await db.read(readRules, gameId)).rules;
    const chain = await ruleChains.factsFor(rules, input.trigger, wallet);
    const owner = { gameId, wallet };
    const states = await stateFactsFor(rules, input.trigger, owner, { db, reader });
    return { success: true, actions: await db.read(explainTrigger, owner, input, chain, states, rules) };
  },
});
