import { z } from 'zod';
import { everyRole } from '../../core/schemas/admin-role.ts';
import { timestamp } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import { paging } from '../../core/schemas/paging.ts';
import type { Database } from '../../core/storage/database.ts';
import { readEventLog } from '../../live/queries.ts';
import { defineOperation } from '../../operations/define.ts';

export const listEvents = defineOperation({
  name: 'listEvents',
  service: 'admin',
  kind: 'read',
  summary: 'Read every event as it comes, in the order of commits; without a cursor, the latest ones',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    after: z
      // A number is what cursors were before.
      .union([z.string().max(200), z.int().min(0)])
      .transform(String)
      .optional()
      .meta({ description: 'The `cursor` of the answer before' }),
    limit: paging.limit,
  }),
  output: z.object({
    success,
    cursor: z.string().meta({ description: 'Where to read on; what it says may change' }),
    more: z.boolean().meta({ description: 'Whether there are more right now' }),
    events: z.array(
      z.object({
        position: z.int().meta({ description: 'Its place in the order of commits' }),
        at: timestamp,
        name: z.string(),
        stream: z.string(),
        seq: z.int(),
        gameId: z.string(),
        wallets: z
          .array(z.string())
          .nullable()
          .meta({ description: 'The players it is for; null: whoever follows the game' }),
        record: z.unknown(),
      }),
    ),
  }),
  async handler({ input: { after, limit } }, { db }: { db: Database }) {
    const { events, cursor, more } = await db.read(readEventLog, after, limit);
    return {
      success: true,
      cursor,
      more,
      events: events.map(({ position, at, name, stream, seq, audience, record }) => ({
        position,
        at,
        name,
        stream,
        seq,
        gameId: audience.gameId,
        wallets: audience.kind === 'players' ? [...audience.wallets] : null,
        record,
      })),
    };
  },
});
