import { z } from 'zod';
import { GantryError } from '../../../../core/errors.ts';
import { moderators } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { readReport } from '../queries.ts';
import { reportDetails } from '../report.ts';

export const getReport = defineOperation({
  name: 'getReport',
  service: 'admin',
  kind: 'read',
  summary: 'Read a report, with the message it is about and the messages around it',
  auth: 'admin',
  roles: moderators,
  input: z.object({ reportId: idInput }),
  output: z.object({ success, report: reportDetails }),
  async handler({ input }, { db }: { db: Store }) {
    const report = await db.read(readReport, input.reportId);
    if (!report) throw new GantryError('report_unknown', 'There is no report with this id');
    return { success: true, report };
  },
});
