import { z } from 'zod';
import { requireOpenedBy } from '../../../core/schemas/opened-by.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { setProfile } from '../commands.ts';
import { username } from '../player.ts';

export const setUsername = defineOperation({
  name: 'setUsername',
  service: 'launcher',
  kind: 'write',
  summary:
    "Set the player's own name, the same in every game; requires a session that the player signed in to",
  auth: 'player',
  input: z.object({
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, username: z.string() }),
  async handler({ input, caller }, { db }: { db: Store }) {
    // An administrator may set every name.
    const allowed = ['wallet', 'device', 'administrator'] as const;
    requireOpenedBy(caller.session, allowed, "sign in with the wallet, or with a guest's device");
    const { username } = await db.write(setProfile, caller.wallet, { username: input.username });
    return { success: true, username };
  },
});
