import { z } from 'zod';
import { success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { requireWholeAccount } from '../friends-scope.ts';
import { privacy, privacyChanges } from '../privacy.ts';
import { setPrivacy as set } from '../privacy-commands.ts';
import { privacyOf } from '../queries.ts';

export const getPrivacy = defineOperation({
  name: 'getPrivacy',
  service: 'launcher',
  kind: 'read',
  summary: "Get the player's privacy settings",
  auth: 'player',
  input: z.object({}),
  output: z.object({ success, privacy }),
  async handler({ caller: { game, wallet } }, { db }: { db: Store }) {
    requireWholeAccount(game);
    return { success: true, privacy: await db.read(privacyOf, wallet) };
  },
});

export const setPrivacy = defineOperation({
  name: 'setPrivacy',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: "Update the player's privacy settings; omitted fields keep their values",
  auth: 'player',
  input: privacyChanges,
  output: z.object({ success, privacy }),
  async handler({ input, caller: { game, wallet } }, { db }: { db: Store }) {
    requireWholeAccount(game);
    return { success: true, privacy: await db.write(set, wallet, input) };
  },
});
