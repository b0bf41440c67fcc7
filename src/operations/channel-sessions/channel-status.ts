import { z } from 'zod';
import { channelStatus as status } from '../../domain/channel-session.ts';
import { defineOperation } from '../define.ts';

export const channelStatus = defineOperation({
  name: 'channelStatus',
  service: 'launcher',
  kind: 'read',
  summary: "Tell how the token's channel session stands; an ended one no longer exists",
  auth: 'session',
  input: z.object({}),
  output: status,
  async handler({ caller: { session } }, { presence }) {
    const exists = session.endedAt === null;
    return {
      exists,
      present: exists && (await presence.isPresent(session.id)),
      wallet: session.wallet,
      openedAt: session.openedAt,
    };
  },
});
