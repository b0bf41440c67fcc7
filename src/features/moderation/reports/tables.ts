import { type RowOf, table } from '../../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  reporter: 'text',
  /** The reported player, or the sender of the reported message. */
  subject: 'text',
  /** Null when a player is reported rather than a message. */
  messageId: 'uuid?',
  channelId: 'uuid?',
  reason: 'text',
  comment: 'text',
  status: 'text',
  createdAt: 'ms',
  closedAt: 'ms?',
  /** Who closed it, as named in the audit log; empty while it is open. */
  closedBy: 'text',
  note: 'text',
} as const;

export const playerReports = table('player_reports', columns, {
  key: ['id'],
  indexes: {
    byReporter: { on: ['reporter', 'gameId', 'createdAt', 'id'] },
    open: { on: ['reporter', 'gameId', 'id'], whereNull: 'closedAt' },
    bySubject: { on: ['subject', 'id'] },
  },
  of: { player: 'reporter', names: ['subject'], game: 'gameId', texts: ['comment', 'note'] },
});
export type PlayerReportRow = RowOf<typeof columns>;
