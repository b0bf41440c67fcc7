import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { type Nodes, nodeRecord } from '../../../telemetry/nodes.ts';
import { defineOperation } from '../../operation.ts';
import type { ServerSummary } from '../server-summary.ts';

/** The longest period that sessions are counted over, in milliseconds: covers "today" in any time zone. */
const longestMs = 48 * 60 * 60 * 1000;

export const serverSummary = defineOperation({
  name: 'serverSummary',
  service: 'admin',
  kind: 'read',
  summary: 'Read the running nodes with their versions, how many played today, and what each game stores',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    since: z.int().min(0).optional().meta({
      description: 'Start of today in Unix milliseconds, at most 48 hours ago; default: midnight UTC',
    }),
  }),
  output: z.object({
    success,
    nodes: z
      .array(nodeRecord)
      .meta({ description: 'Oldest first; empty on the command line, where no node runs' }),
    today: z.object({
      since: timestamp,
      sessions: z.int().meta({ description: 'Channel sessions opened since' }),
      players: z.int().meta({ description: 'Players who opened one' }),
    }),
    storage: z
      .array(z.object({ gameId: z.string(), bytes: z.int(), quota: z.int(), players: z.int() }))
      .meta({
        description:
          'What each game stores and may store (`quota`), in bytes, and how many players have states, play sessions or messages in it; largest first, at most a minute old',
      }),
  }),
  async handler({ input }, { nodes, summary }: { nodes: Nodes; summary: ServerSummary }) {
    const now = Date.now();
    const midnight = new Date(now).setUTCHours(0, 0, 0, 0);
    const since = Math.max(input.since ?? midnight, now - longestMs);
    const [running, opened, storage] = await Promise.all([
      nodes.list(),
      summary.openedSince(since),
      summary.storageByGame(),
    ]);
    return { success: true, nodes: running, today: { since, ...opened }, storage };
  },
});
