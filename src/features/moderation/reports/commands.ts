import { GantryError } from '../../../core/errors.ts';
import { lockPlayer } from '../../../core/events/stream-locks.ts';
import type { Owner } from '../../../core/schemas/owner.ts';
import { command, type Steps, type Tx } from '../../../core/storage/command.ts';
import { messageChannels, messages, participants } from '../../messages/tables.ts';
import { requireGuest } from '../../players/guests.ts';
import { players } from '../../players/tables.ts';
import { notifyWebhooks } from '../../webhooks/report.ts';
import { webhookEventOfReport } from '../../webhooks/webhook-events.ts';
import { maxOpenReports, type NewReport, type ReportStatus, reportsPerWindow } from './report.ts';
import { type PlayerReportRow, playerReports } from './tables.ts';

/** Rows that `removeReportsAbout` removes per batch. */
const removedPerSlice = 200;

/**
 * Adds a report to the moderators' queue and returns its id. A player can have one open report per subject (a message,
 * or a player as such).
 * @throws GantryError `message_unknown`, `player_unknown`, `guest_upgraded`, `report_about_self`, `already_reported`,
 *   `report_limit_reached`, `rate_limited`
 */
export const fileReport = command(
  'fileReport',
  function* (tx, owner: Owner, { about, reason, comment }: NewReport): Steps<string> {
    const { gameId, wallet: reporter } = owner;
    if ('wallet' in about) yield* requireGuest(tx, about.wallet);
    const [, open, latest] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.list(playerReports.open, [reporter, gameId], { limit: maxOpenReports }),
      tx.list(playerReports.byReporter, [reporter, gameId], { limit: reportsPerWindow.count, last: true }),
    );
    const { subject, messageId, channelId } = yield* subjectOf(tx, owner, about);
    if (subject === reporter) {
      throw new GantryError('report_about_self', 'You cannot report yourself or your own message');
    }
    if (open.some((row) => row.messageId === messageId && row.subject === subject)) {
      throw new GantryError('already_reported', 'You have already reported this; a moderator will review it');
    }
    refuseMore(tx, open, latest);
    const row: PlayerReportRow = {
      id: tx.newId(),
      gameId,
      reporter,
      subject,
      messageId,
      channelId,
      reason,
      comment,
      status: 'open',
      createdAt: tx.now,
      closedAt: null,
      closedBy: '',
      note: '',
    };
    tx.insert(playerReports, row);
    const details = { gameId, normalizedAddress: subject, messageId, channelId, reason, createdAt: tx.now };
    yield* notifyWebhooks(tx, webhookEventOfReport({ reportId: row.id, ...details }));
    return row.id;
  },
);

/** Closes a report. @throws GantryError `report_unknown`, `report_closed` */
export const closeReport = command(
  'closeReport',
  function* (
    tx,
    reportId: string,
    { outcome, note, by }: { outcome: Exclude<ReportStatus, 'open'>; note: string; by: string },
  ): Steps<void> {
    const row = yield* tx.lock(playerReports, reportId);
    if (!row) throw new GantryError('report_unknown', 'There is no report with this id');
    if (row.closedAt !== null) {
      throw new GantryError('report_closed', `This report was already ${row.status} by ${row.closedBy}`);
    }
    tx.put(playerReports, { ...row, status: outcome, closedAt: tx.now, closedBy: by, note });
  },
);

/** Removes a bounded batch of the reports about a player; true when there may be more. */
export const removeReportsAbout = command(
  'removeReportsAbout',
  function* (tx, wallet: string): Steps<boolean> {
    const rows = yield* tx.list(playerReports.bySubject, [wallet], { limit: removedPerSlice });
    for (const row of rows) tx.remove(playerReports, row);
    if (rows.length > 0) tx.scrub();
    return rows.length === removedPerSlice;
  },
);

/** @throws GantryError `report_limit_reached`, `rate_limited` */
function refuseMore(tx: Tx, open: readonly PlayerReportRow[], latest: readonly PlayerReportRow[]): void {
  if (open.length >= maxOpenReports) {
    throw new GantryError(
      'report_limit_reached',
      `You have ${maxOpenReports} open reports in this game; wait until moderators have closed some of them`,
    );
  }
  const { count, windowMs } = reportsPerWindow;
  const oldest = Math.min(...latest.map(({ createdAt }) => createdAt));
  if (latest.length < count || oldest + windowMs <= tx.now) return;
  const seconds = Math.ceil((oldest + windowMs - tx.now) / 1000);
  throw new GantryError(
    'rate_limited',
    `A player can file at most ${count} reports per hour in a game; try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  );
}

/** The subject of a report. A reported message must be in one of the reporter's channels. */
function* subjectOf(
  tx: Tx,
  { gameId, wallet }: Owner,
  about: NewReport['about'],
): Steps<Pick<PlayerReportRow, 'subject' | 'messageId' | 'channelId'>> {
  if ('wallet' in about) {
    const player = yield* tx.get(players, about.wallet);
    if (!player) throw new GantryError('player_unknown', 'There is no player with this wallet');
    return { subject: about.wallet, messageId: null, channelId: null };
  }
  const message = yield* tx.get(messages, about.messageId);
  const [channel, member] = message
    ? yield* tx.all(
        tx.get(messageChannels, message.channelId),
        tx.get(participants, message.channelId, wallet),
      )
    : [];
  if (!message || !member || channel?.gameId !== gameId) {
    throw new GantryError('message_unknown', 'There is no such message');
  }
  return { subject: message.sender, messageId: message.id, channelId: message.channelId };
}
