import { z } from 'zod';
import { addressInput } from '../../../../core/schemas/address.ts';
import { moderators } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { pagedOutput, paging } from '../../../../core/schemas/paging.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { readReports } from '../queries.ts';
import { playerReport, reportStatus } from '../report.ts';

export const listReports = defineOperation({
  name: 'listReports',
  service: 'admin',
  kind: 'read',
  summary: 'List what players have reported, newest first',
  auth: 'admin',
  roles: moderators,
  input: z.object({
    ...paging,
    status: reportStatus.optional().meta({ description: 'Left out: open and closed ones' }),
    gameId: idInput.optional(),
    subject: addressInput.optional().meta({ description: 'About this player' }),
    reporter: addressInput.optional().meta({ description: 'By this player' }),
  }),
  output: pagedOutput(playerReport),
  async handler({ input }, { db }: { db: Store }) {
    const { total, rows } = await db.read(readReports, input, input);
    return { total, limit: input.limit, skip: input.skip, data: rows };
  },
});
