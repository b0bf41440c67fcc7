import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { playSessionSummary } from '../play-session.ts';
import { findPlaySession } from '../queries.ts';

export const getPlaySession = defineOperation({
  name: 'getPlaySession',
  service: 'admin',
  kind: 'read',
  summary: 'Read one play session with its state; null when there is none',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ sessionId: idInput }),
  output: z.object({
    success,
    playSession: playSessionSummary
      .extend({ state: z.string().meta({ description: 'JSON, as it was sent' }) })
      .nullable(),
  }),
  async handler({ input }, { db }: { db: Store }) {
    return { success: true, playSession: await db.read(findPlaySession, input.sessionId) };
  },
});
