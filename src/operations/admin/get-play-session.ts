import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { playSessionSummary } from '../../domain/play-session.ts';
import { defineOperation } from '../define.ts';

export const getPlaySession = defineOperation({
  name: 'getPlaySession',
  service: 'admin',
  kind: 'read',
  summary: 'Read one play session with its state; null when there is none',
  auth: 'admin',
  input: z.object({ sessionId: idInput }),
  output: z.object({
    success,
    playSession: playSessionSummary
      .extend({ state: z.string().meta({ description: 'JSON, as it was sent' }) })
      .nullable(),
  }),
  async handler({ input }, { store }) {
    return { success: true, playSession: await store.playSessions.find(input.sessionId) };
  },
});
