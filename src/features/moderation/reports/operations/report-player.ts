import { z } from 'zod';
import { addressInput } from '../../../../core/schemas/address.ts';
import { id } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { ownerOf } from '../../../owner.ts';
import { fileReport } from '../commands.ts';
import { reportComment, reportReason } from '../report.ts';

export const reportPlayer = defineOperation({
  name: 'reportPlayer',
  service: 'launcher',
  kind: 'write',
  summary: "Report another player to the server's moderators",
  auth: 'player',
  input: z.object({ wallet: addressInput, reason: reportReason, comment: reportComment.default('') }),
  output: z.object({ success, reportId: id }),
  async handler({ input: { wallet, reason, comment }, caller }, { db }: { db: Store }) {
    const report = { about: { wallet }, reason, comment };
    return { success: true, reportId: await db.write(fileReport, ownerOf(caller), report) };
  },
});
