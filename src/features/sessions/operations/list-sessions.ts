import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { openedBy } from '../../../core/schemas/opened-by.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { endReason } from '../channel-session.ts';
import { findSessions, liveSessionsOf } from '../queries.ts';
import { presentSessions } from '../session-presence.ts';

export const listSessions = defineOperation({
  name: 'listSessions',
  service: 'admin',
  kind: 'read',
  summary: 'List channel sessions, newest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ ...paging, wallet: addressInput.optional(), gameId: idInput.optional() }),
  output: pagedOutput(
    z.object({
      sessionId: z.string(),
      gameId: z.string(),
      wallet: z.string(),
      openedAt: timestamp,
      openedBy,
      expiresAt: timestamp,
      endedAt: timestamp.nullable(),
      endReason: endReason.nullable(),
      present: z.boolean(),
    }),
  ),
  async handler({ input }, services: { db: Store; presence: Presence }) {
    const { total, rows } = await services.db.read(findSessions, input, input);
    const open = rows.flatMap(({ session }) => (session.endedAt === null ? [session] : []));
    const wallets = [...new Set(open.map((session) => session.wallet))];
    const present = await presentSessions(services, open, await services.db.read(liveSessionsOf, wallets));
    const data = rows.map(({ session }) => {
      const { id: sessionId, followsLauncher: _, ...fields } = session;
      return { sessionId, ...fields, present: present.has(sessionId) };
    });
    return { total, limit: input.limit, skip: input.skip, data };
  },
});
