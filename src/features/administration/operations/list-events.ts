import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { readEventLog } from '../../events/queries.ts';
import { defineOperation } from '../../operation.ts';

export const listEvents = defineOperation({
  name: 'listEvents',
  service: 'admin',
  kind: 'read',
  summary: 'Read all events in commit order; without a cursor, the latest ones',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    after: z
      // Cursors used to be numbers.
      .union([z.string().max(200), z.int().min(0)])
      .transform(String)
      .optional()
      .meta({ description: 'The `cursor` of the previous response' }),
    limit: paging.limit,
  }),
  output: z.object({
    success,
    cursor: z.string().meta({ description: 'Opaque cursor to continue from' }),
    more: z.boolean().meta({ description: 'Whether there are more right now' }),
    events: z.array(
      z.object({
        position: z.int().meta({ description: 'Its position in the commit order' }),
        at: timestamp,
        name: z.string(),
        stream: z.string(),
        seq: z.int(),
        gameId: z.string(),
        wallets: z
          .array(z.string())
          .nullable()
          .meta({ description: 'The recipients; null for all followers of the game' }),
        record: z.unknown(),
      }),
    ),
  }),
  async handler({ input: { after, limit } }, { db }: { db: Store }) {
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
