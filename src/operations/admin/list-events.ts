import { z } from 'zod';
import { success } from '../../domain/outcome.ts';
import { paging } from '../../domain/paging.ts';
import { defineOperation } from '../define.ts';

export const listEvents = defineOperation({
  name: 'listEvents',
  service: 'admin',
  kind: 'read',
  summary: 'Read every event as it comes, in the order of commits; without a cursor, the latest ones',
  auth: 'admin',
  input: z.object({
    after: z.int().min(0).optional().meta({ description: 'The `cursor` of the answer before' }),
    limit: paging.limit,
  }),
  output: z.object({
    success,
    cursor: z.int().meta({ description: 'Where to read on: the place of the last event answered' }),
    more: z.boolean().meta({ description: 'Whether there are more right now' }),
    events: z.array(
      z.object({
        position: z.int().meta({ description: 'Its place in the order of commits' }),
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
  async handler({ input: { after, limit } }, { store }) {
    const last = await store.events.lastPosition();
    // Events that were forgotten leave no hole at the end, so the latest are the last so many positions.
    const from = after ?? Math.max(0, last - limit);
    const events = await store.events.after(from, limit);
    const cursor = events.at(-1)?.position ?? Math.min(from, last);
    return {
      success: true,
      cursor,
      more: cursor < last && events.length > 0,
      events: events.map(({ position, name, stream, seq, audience, record }) => ({
        position,
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
