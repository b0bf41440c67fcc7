import { z } from 'zod';
import { GantryError } from '../../../../core/errors.ts';
import { moderators } from '../../../../core/schemas/admin-role.ts';
import { addressInput, id, idInput, success } from '../../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../../core/schemas/paging.ts';
import type { Store } from '../../../../core/storage/store.ts';
import { defineAdminOperation, defineOperation, ownerOf } from '../../../operation.ts';
import { closeReport, fileReport } from '../commands.ts';
import { readReport, readReports } from '../queries.ts';
import {
  playerReport,
  reportComment,
  reportDetails,
  reportNote,
  reportOutcome,
  reportReason,
  reportStatus,
} from '../report.ts';

export const reportMessage = defineOperation({
  name: 'reportMessage',
  service: 'launcher',
  kind: 'write',
  summary: "Report a message in one of the player's channels to the server's moderators",
  auth: 'player',
  input: z.object({ messageId: idInput, reason: reportReason, comment: reportComment.default('') }),
  output: z.object({ success, reportId: id }),
  async handler({ input: { messageId, reason, comment }, caller }, { db }: { db: Store }) {
    const report = { about: { messageId }, reason, comment };
    return { success: true, reportId: await db.write(fileReport, ownerOf(caller), report) };
  },
});

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

export const listReports = defineAdminOperation({
  name: 'listReports',
  kind: 'read',
  summary: 'List reports filed by players, newest first',
  roles: moderators,
  input: z.object({
    ...paging,
    status: reportStatus.optional().meta({ description: 'Default: any status' }),
    gameId: idInput.optional(),
    subject: addressInput.optional().meta({ description: 'Only reports about this player' }),
    reporter: addressInput.optional().meta({ description: 'Only reports filed by this player' }),
  }),
  output: pagedOutput(playerReport),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(readReports, input, input));
  },
});

export const getReport = defineAdminOperation({
  name: 'getReport',
  kind: 'read',
  summary: 'Get a report with the reported message and the messages around it',
  roles: moderators,
  input: z.object({ reportId: idInput }),
  output: z.object({ success, report: reportDetails }),
  async handler({ input }, { db }: { db: Store }) {
    const report = await db.read(readReport, input.reportId);
    if (!report) throw new GantryError('report_unknown', 'There is no report with this id');
    return { success: true, report };
  },
});

export const resolveReport = defineAdminOperation({
  name: 'resolveReport',
  kind: 'write',
  summary: 'Close a report as resolved (action taken) or dismissed (no action needed)',
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
