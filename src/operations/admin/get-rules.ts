import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { ruleList } from '../../rules/rule.ts';
import { defineOperation } from '../define.ts';
import { requireGame } from '../require-game.ts';

export const getRules = defineOperation({
  name: 'getRules',
  service: 'admin',
  kind: 'read',
  summary: "Read a game's rules",
  auth: 'admin',
  input: z.object({ gameId: idInput }),
  output: z.object({ success, version: z.int(), rules: ruleList }),
  async handler({ input }, { store }) {
    await requireGame(store, input.gameId);
    return { success: true, ...(await store.rules.get(input.gameId)) };
  },
});
