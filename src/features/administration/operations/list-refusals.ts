import { z } from 'zod';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import { text } from '../../../core/schemas/text.ts';
import { type Refusals, refusalRecord } from '../../../telemetry/refusals.ts';
import { defineOperation } from '../../operation.ts';

export const listRefusals = defineOperation({
  name: 'listRefusals',
  service: 'admin',
  kind: 'read',
  summary:
    'List the calls that the responding node rejected in the last hour: who, what and why, latest first',
  auth: 'admin',
  roles: everyRole,
  input: z.object({ reason: text(1, 100).optional(), gameId: idInput.optional(), ...paging }),
  output: pagedOutput(refusalRecord),
  async handler({ input: { reason, gameId, limit, skip } }, { refusals }: { refusals: Refusals }) {
    const { total, rows } = refusals.list({ reason, gameId }, { limit, skip });
    return { total, limit, skip, data: rows };
  },
});
