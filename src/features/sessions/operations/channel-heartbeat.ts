import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { announcePresence } from '../session-presence.ts';

export const channelHeartbeat = defineOperation({
  name: 'channelHeartbeat',
  service: 'launcher',
  kind: 'write',
  isRepeatable: true,
  summary: 'Keep the channel session present for another 3 minutes',
  auth: 'player',
  input: z.object({}),
  output: z.object({ success }),
  async handler({ caller: { session } }, services: { db: Store; presence: Presence }) {
    if (await services.presence.heartbeat(session.id)) await announcePresence(services, session.id);
    return { success: true };
  },
});
