import { z } from 'zod';
import { moderators } from '../../../../core/schemas/admin-role.ts';
import { idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { closeReport } from '../commands.ts';
import { reportNote, reportOutcome } from '../report.ts';

export const resolveReport = defineOperation({
  name: 'resolveReport',
  service: 'admin',
  kind: 'write',
  summary: 'Close a report: resolved when something was done about it, dismissed when nothing had to be',
  auth: 'admin',
  roles: moderators,
  input: z.object({ reportId: idInput, outcome: reportOutcome, note: reportNote.default('') }),
  output: z.object({ success }),
  // The note is stored with the report, and erased with the players it is about.
  auditInput: ({ reportId, outcome }) => ({ reportId, outcome }),
  async handler({ input: { reportId, outcome, note }, caller }, { db }: { db: Store }) {
    await db.write(closeReport, reportId, { outcome, note, by: caller.actor });
    return { success: true };
  },
});
