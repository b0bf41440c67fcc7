import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import { refuseName } from '../../core/schemas/word-filter.ts';
import type { Store } from '../../core/storage/store.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../../operations/define.ts';
import { setProfile } from '../commands.ts';
import { username } from '../player.ts';

export const setUsername = defineOperation({
  name: 'setUsername',
  service: 'launcher',
  kind: 'write',
  summary: "Set the player's own name, the same in every game; with the token of a launcher's own session",
  auth: 'player',
  input: z.object({
    username: username.meta({ description: 'At most 40 characters; empty removes the name' }),
  }),
  output: z.object({ success, username: z.string() }),
  async handler({ input, caller }, { db }: { db: Store }) {
    if (caller.game.kind !== 'launcher') {
      throw new GantryError('not_a_launcher', "Only a launcher's own session may change its player's name");
    }
    refuseName(caller.game.policies.wordFilter, input.username, 'username');
    const { username } = await db.write(setProfile, caller.wallet, { username: input.username });
    return { success: true, username };
  },
});
