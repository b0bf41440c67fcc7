import { z } from 'zod';
import { success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { giveFriendCode } from '../friend-code-commands.ts';
import { friendsScope, requireWholeAccount } from '../friends-scope.ts';

const output = z.object({
  success,
  friendCode: z
    .string()
    .meta({ description: 'Eight letters and digits, for others to call `addFriend` with' }),
});

export const getFriendCode = defineOperation({
  name: 'getFriendCode',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Get the player's friend code, creating it on first use",
  auth: 'player',
  input: z.object({}),
  output,
  async handler({ caller }, { db }: { db: Store }) {
    await friendsScope(db, caller);
    return { success: true, friendCode: await db.write(giveFriendCode, caller.wallet, { isNew: false }) };
  },
});

export const resetFriendCode = defineOperation({
  name: 'resetFriendCode',
  service: 'launcher',
  kind: 'write',
  summary: "Replace the player's friend code; the previous one stops working immediately",
  auth: 'player',
  input: z.object({}),
  output,
  async handler({ caller: { game, wallet } }, { db }: { db: Store }) {
    requireWholeAccount(game);
    return { success: true, friendCode: await db.write(giveFriendCode, wallet, { isNew: true }) };
  },
});
