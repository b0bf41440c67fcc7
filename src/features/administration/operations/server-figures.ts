import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { timestamp } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import { type Stats, statsRange, statsSample } from '../../../telemetry/stats.ts';
import { defineOperation } from '../../operation.ts';

export const serverFigures = defineOperation({
  name: 'serverFigures',
  service: 'admin',
  kind: 'read',
  summary: 'Read metrics of the responding node over the last five minutes, hour, day or week',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    range: statsRange.default('minutes').meta({
      description:
        'Beyond the last five minutes, a sample aggregates its period: mean rates, maximum counts and last sizes',
    }),
    after: z.int().min(0).default(0).meta({ description: 'Only samples taken later, in Unix milliseconds' }),
  }),
  output: z.object({
    success,
    startedAt: timestamp
      .nullable()
      .meta({ description: 'Null on the command line, where no metrics are collected' }),
    everyMs: z.int().meta({ description: 'Time between samples' }),
    samples: z.array(statsSample).meta({ description: 'Oldest first' }),
  }),
  async handler({ input }, { stats }: { stats: Stats }) {
    const { after, range } = input;
    const samples = stats.samples(after, range);
    return { success: true, startedAt: stats.startedAt, everyMs: stats.everyMs(range), samples };
  },
});
