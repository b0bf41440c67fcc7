import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput, timestamp } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import { text } from '../../../core/schemas/text.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation } from '../../operation.ts';
import { findPlayers } from '../queries.ts';

export const listPlayers = defineOperation({
  name: 'listPlayers',
  service: 'admin',
  kind: 'read',
  summary:
    'List players, newest first; in one game, or found by a part of the name or by the wallet, also shortened',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    ...paging,
    gameId: idInput.optional(),
    search: text(1, 100).optional(),
    present: z
      .boolean()
      .optional()
      .meta({ description: 'Only those who are online now, or only the others' }),
    banned: z.boolean().optional().meta({ description: 'Only those with a ban, or only the others' }),
  }),
  output: pagedOutput(
    z.object({
      wallet: z.string(),
      userId: z.string(),
      username: z.string(),
      avatar: z.string(),
      createdAt: timestamp,
      bannedFrom: z.array(z.string()).meta({ description: "Game ids; '' stands for every game" }),
      lastOpenedAt: timestamp
        .nullable()
        .meta({ description: 'When the newest session was opened, in any game' }),
      present: z.boolean().meta({ description: 'Online now, in any game' }),
    }),
  ),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(findPlayers, input, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
