import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const revokeSession = defineOperation({
  name: 'revokeSession',
  service: 'admin',
  kind: 'write',
  summary: 'End a channel session, whoever has it',
  auth: 'admin',
  input: z.object({ sessionId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { store }) {
    await store.sessions.revoke(input.sessionId);
    return { success: true };
  },
});
