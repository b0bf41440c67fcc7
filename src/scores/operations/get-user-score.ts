import { z } from 'zod';
import { success } from '../../core/schemas/outcome.ts';
import type { Database } from '../../core/storage/database.ts';
import { defineOperation } from '../../operations/define.ts';
import { ownerOf } from '../../operations/owner.ts';
import { findScore } from '../queries.ts';
import { nonce, scoreRecord } from '../score.ts';

export const getUserScore = defineOperation({
  name: 'getUserScore',
  service: 'launcher',
  kind: 'read',
  summary: "Read the player's score last set, or the one under a nonce; null when there is none",
  auth: 'player-or-server',
  input: z.object({ nonce }),
  output: z.object({ success, score: scoreRecord.nullable() }),
  async handler({ input, caller }, { db }: { db: Database }) {
    return { success: true, score: await db.read(findScore, ownerOf(caller), input.nonce) };
  },
});
