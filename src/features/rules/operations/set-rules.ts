import { z } from 'zod';
import { operators } from '../../../core/schemas/admin-role.ts';
import { withReason } from '../../../core/schemas/field-reason.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { replaceRules } from '../commands.ts';
import { ruleList } from '../rule.ts';
import { submittedRules } from '../rule-bounds.ts';
import type { RuleChains } from '../rule-chains.ts';
import { refuseUnknownLeaderboards } from '../rule-leaderboards.ts';

export const setRules = defineOperation({
  name: 'setRules',
  service: 'admin',
  kind: 'write',
  summary: "Replace a game's rules",
  auth: 'admin',
  roles: operators,
  input: z.object({
    gameId: idInput,
    rules: withReason(submittedRules, 'rule_invalid'),
    version: z.int().min(0).optional().meta({
      description:
        'The version that these rules replace; another one is refused. Left out: whichever there is',
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
