import { z } from 'zod';
import { GantryError } from '../../../core/errors.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { endSession } from '../commands.ts';

export const endChannelSession = defineOperation({
  name: 'endChannelSession',
  service: 'launcher',
  kind: 'write',
  summary: "End the token's session; with a sessionId, a launcher may end any session of its player",
  auth: 'player',
  input: z.object({ sessionId: idInput.optional() }),
  output: z.object({ success }),
  async handler({ input, caller }, { db }: { db: Store }) {
    const sessionId = input.sessionId ?? caller.session.id;
    if (sessionId !== caller.session.id && caller.game.kind !== 'launcher') {
      throw new GantryError('not_a_launcher', "Only a launcher's own session may end other sessions");
    }
    await db.write(endSession, caller.session.wallet, sessionId);
    return { success: true };
  },
});
