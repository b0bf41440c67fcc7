import { z } from 'zod';
import { everyRole } from '../../core/schemas/admin-role.ts';
import { timestamp } from '../../core/schemas/ids.ts';
import { success } from '../../core/schemas/outcome.ts';
import { defineOperation } from '../../operations/define.ts';
import { type Stats, statsSample } from '../../telemetry/stats.ts';

export const serverFigures = defineOperation({
  name: 'serverFigures',
  service: 'admin',
  kind: 'read',
  summary: 'Read how the process that answers has been doing in the last five minutes',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    after: z.int().min(0).default(0).meta({ description: 'Only samples taken later, in Unix milliseconds' }),
  }),
  output: z.object({
    success,
    startedAt: timestamp
      .nullable()
      .meta({ description: 'Null on the command line, where nothing is counted' }),
    everyMs: z.int().meta({ description: 'Time between samples' }),
    samples: z.array(statsSample).meta({ description: 'Oldest first' }),
  }),
  async handler({ input }, { stats }: { stats: Stats }) {
    const { startedAt, everyMs } = stats;
    return { success: true, startedAt, everyMs, samples: stats.samples(input.after) };
  },
});
