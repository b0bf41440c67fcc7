import { replaceRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import type { World } from '../../support/world.ts';
import { ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** A rule as sent, and as read back. */
export const rule = {
  given: { trigger: 'win', actions: [{ type: 'Notify', message: 'You won {value}' }] },
  stored: {
    trigger: 'win',
    actions: [{ type: 'Notify', message: 'You won {value}', notificationType: 'success' }],
  },
} as const;

/** Gives the owner's game the rule. */
export async function storeRule({ server, gameId }: World): Promise<void> {
  await server.services.db.write(replaceRules, gameId, ruleList.parse([rule.given]));
}

export const ruleCases = {
  triggerRulesEngine: {
    async input(world) {
      await storeRule(world);
      return { trigger: 'win', nonce: 'round-1', value: 7 };
    },
    answer: { success: true, triggerUuid: '<id>', actions: ['Notify'] },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;
