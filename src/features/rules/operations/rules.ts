import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { addressInput, idInput, success, text } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../operation.ts';
import { nonce } from '../../scores/score.ts';
import type { StateReader } from '../../states/state-reader.ts';
import { replaceRules } from '../commands.ts';
import { explainTrigger, readRules } from '../queries.ts';
import { type RuleServices, reportTrigger } from '../report-trigger.ts';
import { ruleList } from '../rule.ts';
import { submittedRules } from '../rule-bounds.ts';
import type { RuleChains } from '../rule-chains.ts';
import { refuseUnknownLeaderboards } from '../rule-leaderboards.ts';
import { stateFactsFor } from '../state-facts.ts';
import { anyValue, integerValue, reservedTriggers } from '../trigger.ts';

export const getRules = defineAdminOperation({
  name: 'getRules',
  kind: 'read',
  summary: "Read a game's rules",
  roles: everyRole,
  input: z.object({ gameId: idInput }),
  output: z.object({ success, version: z.int(), rules: ruleList }),
  async handler({ input }, { db }: { db: Store }) {
    await requireGame(db, input.gameId);
    return { success: true, ...(await db.read(readRules, input.gameId)) };
  },
});

export const setRules = defineAdminOperation({
  name: 'setRules',
  kind: 'write',
  summary: "Replace a game's rules",
  roles: operators,
  input: z.object({
    gameId: idInput,
    rules: withReason(submittedRules, 'rule_invalid'),
    version: notSeen(z.int().min(0), 'id').optional().meta({
      description:
        'The version that these rules replace; refused if another version is stored. Omitted: any version',
    }),
  }),
  output: z.object({ success, version: z.int(), rules: ruleList }),
  async handler(
    { input: { gameId, rules, version } },
    { db, ruleChains }: { db: Store; ruleChains: RuleChains },
  ) {
    await refuseUnknownLeaderboards(db, gameId, rules);
    const validated = await ruleChains.validate(rules);
    return { success: true, ...(await db.write(replaceRules, gameId, validated, version)) };
  },
});

export const testRules = defineAdminOperation({
  name: 'testRules',
  kind: 'read',
  summary: 'Dry-run a trigger for a player; returns which actions would run, and why others would not',
  roles: operators,
  input: z.object({
    gameId: idInput,
    wallet: addressInput,
    trigger: text(1, 200),
    value: anyValue,
    nonce,
    rules: withReason(submittedRules.optional(), 'rule_invalid').meta({
      description: "Rules to test; omitted: the game's rules",
    }),
  }),
  output: z.object({
    success,
    actions: z.array(
      z.object({
        rule: z.int().meta({ description: 'Index of the rule in the list, from 0' }),
        action: z.int().meta({ description: 'Index of the action in the rule, from 0' }),
        type: z.string(),
        fires: z.boolean(),
        why: z.string().nullable().meta({ description: 'Why the action would not run; null: it would' }),
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

const trigger = notSeen(
  text(1, 200).refine(
    (name) => !name.startsWith(reservedTriggers),
    `must not begin with ${reservedTriggers}: the server itself reports these`,
  ),
  'choice',
);

export const triggerRulesEngine = defineOperation({
  name: 'triggerRulesEngine',
  service: 'launcher',
  kind: 'write',
  summary: "Report a game event and run the game's rules for this trigger",
  auth: 'player-or-server',
  input: z.object({ trigger, nonce, value: integerValue }),
  dispatchInput: z.object({ trigger, nonce, value: anyValue }),
  output: z.object({
    success,
    triggerUuid: z.string(),
    actions: z.array(z.string()).meta({ description: 'Types of the accepted actions' }),
  }),
  async handler({ input, caller }, services: RuleServices) {
    return { success: true, ...(await reportTrigger(services, ownerOf(caller), input)) };
  },
});
