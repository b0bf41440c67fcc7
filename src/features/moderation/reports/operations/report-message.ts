import { z } from 'zod';
import { id, idInput } from '../../../../core/schemas/ids.ts';
import { success } from '../../../../core/schemas/outcome.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineOperation } from '../../../operation.ts';
import { ownerOf } from '../../../owner.ts';
import { fileReport } from '../commands.ts';
import { reportComment, reportReason } from '../report.ts';

export const reportMessage = defineOperation({
  name: 'reportMessage',
  service: 'launcher',
  kind: 'write',
  summary: "Report a message of a channel the player is in to the server's moderators",
  auth: 'player',
  input: z.object({ messageId: idInput, reason: reportReason, comment: reportComment.default('') }),
  output: z.object({ success, reportId: id }),
  async handler({ input: { messageId, reason, comment }, caller }, { db }: { db: Store }) {
    const report = { about: { messageId }, reason, comment };
    return { success: true, reportId: await db.write(fileReport, ownerOf(caller), report) };
  },
});
