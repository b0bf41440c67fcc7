import { z } from 'zod';
import { timestamp } from '../../domain/ids.ts';
import { success } from '../../domain/outcome.ts';
import { figureSample } from '../../figures/figures.ts';
import { defineOperation } from '../define.ts';

export const serverFigures = defineOperation({
  name: 'serverFigures',
  service: 'admin',
  kind: 'read',
  summary: 'Read how the process that answers has been doing in the last five minutes',
  auth: 'admin',
  input: z.object({
    after: z.int().min(0).default(0).meta({ description: 'Only samples taken later, in Unix milliseconds' }),
  }),
  output: z.object({
    success,
    startedAt: timestamp
      .nullable()
      .meta({ description: 'Null on the command line, where nothing is counted' }),
    everyMs: z.int().meta({ description: 'Time between samples' }),
    samples: z.array(figureSample).meta({ description: 'Oldest first' }),
  }),
  async handler({ input }, { figures }) {
    const { startedAt, everyMs } = figures;
    return { success: true, startedAt, everyMs, samples: figures.samples(input.after) };
  },
});
