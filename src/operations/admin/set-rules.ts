import { z } from 'zod';
import { withReason } from '../../domain/field-reason.ts';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { ruleList } from '../../rules/rule.ts';
import { defineOperation } from '../define.ts';

export const setRules = defineOperation({
  name: 'setRules',
  service: 'admin',
  kind: 'write',
  summary: "Replace a game's rules",
  auth: 'admin',
  input: z.object({ gameId: idInput, rules: withReason(ruleList, 'rule_invalid') }),
  output: z.object({ success, version: z.int(), rules: ruleList }),
  async handler({ input }, { store, ruleChains }) {
    return { success: true, ...(await store.rules.set(input.gameId, await ruleChains.checked(input.rules))) };
  },
});
