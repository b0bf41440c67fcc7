import { z } from 'zod';
import { idInput } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { defineOperation } from '../define.ts';

export const revokeGameSecret = defineOperation({
  name: 'revokeGameSecret',
  service: 'admin',
  kind: 'write',
  summary: 'Make one secret of a game stop working at once',
  auth: 'admin',
  input: z.object({ gameId: idInput, fingerprint: z.string() }),
  output: z.object({ success }),
  async handler({ input }, { store }) {
    await store.games.revokeSecret(input.gameId, input.fingerprint);
    return { success: true };
  },
});
