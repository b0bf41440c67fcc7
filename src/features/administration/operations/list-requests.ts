import { z } from 'zod';
import { addressInput } from '../../../core/schemas/address.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import { text } from '../../../core/schemas/text.ts';
import { type Requests, requestOutcome, requestRecord, slowMs } from '../../../telemetry/recent-requests.ts';
import { defineOperation } from '../../operation.ts';

const moment = z.int().min(0).meta({ description: 'Unix time in milliseconds' });

export const listRequests = defineOperation({
  name: 'listRequests',
  service: 'admin',
  kind: 'read',
  summary:
    'List recent calls on the responding node that failed, were rejected or were slow, and a sample of the others, latest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({
    outcome: requestOutcome.optional().meta({
      description: `\`failed\`: answered with 5xx; \`refused\`: with 4xx; \`slow\`: took ${slowMs} ms or longer`,
    }),
    id: text(1, 100).optional().meta({ description: 'The `X-Request-Id` or a prefix of it' }),
    reason: text(1, 100).optional(),
    operation: text(1, 100).optional(),
    gameId: idInput.optional(),
    wallet: addressInput.optional(),
    from: moment.optional(),
    to: moment.optional().meta({ description: 'Only calls answered before this time, in Unix milliseconds' }),
    ...paging,
  }),
  output: pagedOutput(requestRecord),
  async handler({ input: { limit, skip, ...filter } }, { requests }: { requests: Requests }) {
    const { total, rows } = requests.list(filter, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
