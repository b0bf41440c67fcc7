import { z } from 'zod';
import { addressInput } from '../../domain/address.ts';
import { endReason } from '../../domain/channel-session.ts';
import { idInput, timestamp } from '../../domain/ids.ts';
import { pagedOutput, paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const listSessions = defineOperation({
  name: 'listSessions',
  service: 'admin',
  kind: 'read',
  summary: 'List channel sessions, newest first',
  auth: 'admin',
  input: z.object({ ...paging, wallet: addressInput.optional(), gameId: idInput.optional() }),
  output: pagedOutput(
    z.object({
      sessionId: z.string(),
      gameId: z.string(),
      wallet: z.string(),
      openedAt: timestamp,
      expiresAt: timestamp,
      endedAt: timestamp.nullable(),
      endReason: endReason.nullable(),
      present: z.boolean(),
    }),
  ),
  async handler({ input }, { store, presence }) {
    const { total, rows } = await store.sessions.list(input, input);
    const data = rows.map(async ({ session: { id, ...session } }) => ({
      sessionId: id,
      ...session,
      present: session.endedAt === null && (await presence.isPresent(id)),
    }));
    return { total, limit: input.limit, skip: input.skip, data: await Promise.all(data) };
  },
});
