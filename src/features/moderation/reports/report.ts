import { z } from 'zod';
import { id, normalizedAddress, text, timestamp } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import { channelMessage } from '../../messages/message-channel.ts';

/** What is wrong with a player or a message. */
export const reportReason = z.enum([
  'spam',
  'harassment',
  'hate',
  'sexual',
  'violence',
  'cheating',
  'impersonation',
  'other',
]);
export const reportComment = notSeen(text(0, 1000), 'staff');
export const reportNote = text(0, 1000);

/** `resolved`: action taken; `dismissed`: no action needed. */
export const reportOutcome = z.enum(['resolved', 'dismissed']);
export const reportStatus = z.enum(['open', ...reportOutcome.options]);
export type ReportStatus = z.infer<typeof reportStatus>;

/** The most open reports by one player in a game. */
export const maxOpenReports = 50;
/** Rate limit of reports per player and game. */
export const reportsPerWindow = { count: 10, windowMs: 60 * 60 * 1000 };

/** What a player reports. */
export interface NewReport {
  /** A message by its id, or a player by wallet. */
  about: { messageId: string } | { wallet: string };
  reason: z.infer<typeof reportReason>;
  comment: string;
}

export const playerReport = z
  .object({
    reportId: id,
    gameId: id,
    reporter: normalizedAddress,
    reporterName: z.string(),
    subject: normalizedAddress.meta({
      description: 'The reported player, or the sender of the reported message',
    }),
    subjectName: z.string(),
    messageId: id.nullable(),
    channelId: id.nullable(),
    reason: reportReason,
    comment: z.string(),
    status: reportStatus,
    createdAt: timestamp,
    closedAt: timestamp.nullable(),
    closedBy: z
      .string()
      .meta({ description: 'The administrator as named in the audit log; empty while the report is open' }),
    note: z.string(),
    openAgainst: z.int().meta({ description: 'Number of open reports about this player in all games' }),
  })
  .meta({ id: 'PlayerReport' });
export type PlayerReport = z.infer<typeof playerReport>;

/** A report with the message it is about and the messages around it. */
export const reportDetails = playerReport
  .extend({
    message: channelMessage
      .nullable()
      .meta({ description: 'Null if a player was reported or the message no longer exists' }),
    before: z.array(channelMessage).meta({ description: 'Up to 10 messages sent before it, oldest first' }),
    after: z.array(channelMessage).meta({ description: 'Up to 10 messages sent after it, oldest first' }),
  })
  .meta({ id: 'PlayerReportDetails' });
export type ReportDetails = z.infer<typeof reportDetails>;
