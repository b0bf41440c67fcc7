import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const channelHeartbeat = defineOperation({
  name: 'channelHeartbeat',
  service: 'launcher',
  kind: 'write',
  summary: 'Keep the channel session present for another 3 minutes',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success }),
  async handler({ caller: { session } }, { store, presence }) {
    if (await presence.heartbeat(session.id)) await store.sessions.recordPresence(session.id, true);
    return { success: true };
  },
});
