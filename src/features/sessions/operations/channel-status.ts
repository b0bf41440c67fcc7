import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { channelStatus as status } from '../channel-session.ts';
import { isSessionPresent } from '../session-presence.ts';

export const channelStatus = defineOperation({
  name: 'channelStatus',
  service: 'launcher',
  kind: 'read',
  summary: "Read the status of the token's channel session; `exists` is false once it has ended",
  auth: 'session',
  input: z.object({}),
  output: status,
  async handler({ caller: { session } }, services: { db: Store; presence: Presence }) {
    const exists = session.endedAt === null;
    return {
      exists,
      present: exists && (await isSessionPresent(services, session)),
      wallet: session.wallet,
      openedAt: session.openedAt,
    };
  },
});
