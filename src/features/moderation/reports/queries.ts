import { comparableId } from '../../../core/schemas/ids.ts';
import type { Page, Paged } from '../../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../../core/storage/query.ts';
import { messageInContext } from '../../messages/message-context.ts';
import { type PlayerReport, playerReport, type ReportDetails, type ReportStatus } from './report.ts';
import type { PlayerReportRow } from './tables.ts';

export interface ReportFilter {
  gameId?: string | undefined;
  status?: ReportStatus | undefined;
  subject?: string | undefined;
  reporter?: string | undefined;
}

/** Reports, newest first. */
export const readReports = query(
  'readReports',
  function* (
    read,
    { gameId, status, subject, reporter }: ReportFilter,
    { limit, skip }: Page,
  ): ReadSteps<Paged<PlayerReport>> {
    const filter = {
      id: null,
      gameId: gameId === undefined ? null : comparableId(gameId),
      status: status ?? null,
      subject: subject ?? null,
      reporter: reporter ?? null,
    };
    const total = (yield* read.first(countReports, filter))?.count ?? 0;
    const rows = yield* read.all(selectReports, { ...filter, limit, skip });
    return { total, rows: rows.map(toReport) };
  },
);

/** A report with the message it is about; null when there is no such report. */
export const readReport = query(
  'readReport',
  function* (read, reportId: string): ReadSteps<ReportDetails | null> {
    const filter = { id: comparableId(reportId), gameId: null, status: null, subject: null, reporter: null };
    const row = yield* read.first(selectReports, { ...filter, limit: 1, skip: 0 });
    if (!row) return null;
    const report = toReport(row);
    const context = report.messageId === null ? null : yield* messageInContext(read, report.messageId);
    return { ...report, ...(context ?? { message: null, before: [], after: [] }) };
  },
);

type Filter = {
  id: string | null;
  gameId: string | null;
  status: string | null;
  subject: string | null;
  reporter: string | null;
};
type FoundReport = Omit<PlayerReportRow, 'id'> & {
  reportId: string;
  reporterName: string;
  subjectName: string;
  openAgainst: number;
};

const matching = `WHERE (r.id = @id OR @id IS NULL) AND (r.game_id = @gameId OR @gameId IS NULL)
  AND (r.status = @status OR @status IS NULL) AND (r.subject = @subject OR @subject IS NULL)
  AND (r.reporter = @reporter OR @reporter IS NULL)`;
const countReports = statement<Filter, { count: number }>(
  `SELECT count(*) AS count FROM player_reports AS r ${matching}`,
);
const selectReports = statement<Filter & { limit: number; skip: number }, FoundReport>(
  `SELECT r.id AS "reportId", r.game_id AS "gameId", r.reporter, coalesce(p.username, '') AS "reporterName", r.subject,
      coalesce(s.username, '') AS "subjectName", r.message_id AS "messageId", r.channel_id AS "channelId", r.reason,
      r.comment, r.status, r.created_at AS "createdAt", r.closed_at AS "closedAt", r.closed_by AS "closedBy", r.note,
      (SELECT count(*) FROM player_reports AS o WHERE o.subject = r.subject AND o.closed_at IS NULL) AS "openAgainst"
    FROM player_reports AS r LEFT JOIN players AS p ON p.wallet = r.reporter
      LEFT JOIN players AS s ON s.wallet = r.subject
    ${matching} ORDER BY r.created_at DESC, r.id DESC LIMIT @limit OFFSET @skip`,
);

function toReport(row: FoundReport): PlayerReport {
  return playerReport.parse(row);
}
