import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { GantryError } from '../../errors.ts';
import { defineOperation } from '../define.ts';

export const endChannelSession = defineOperation({
  name: 'endChannelSession',
  service: 'launcher',
  kind: 'write',
  summary: "End the token's session; with a sessionId, a launcher may end any session of its player",
  auth: 'player',
  input: z.object({ sessionId: idInput.optional() }),
  output: z.object({ success }),
  async handler({ input, caller }, { store }) {
    const sessionId = input.sessionId ?? caller.session.id;
    if (sessionId !== caller.session.id && caller.game.kind !== 'launcher') {
      throw new GantryError('not_a_launcher', "Only a launcher's own session may end other sessions");
    }
    await store.sessions.end(caller.session.wallet, sessionId);
    return { success: true };
  },
});
