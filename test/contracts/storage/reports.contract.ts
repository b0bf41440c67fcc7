import { describe, expect, test } from 'vitest';
import { block } from '../../../src/features/messages/blocks/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage, unsendMessage } from '../../../src/features/messages/message-commands.ts';
import {
  closeReport,
  fileReport,
  removeReportsAbout,
} from '../../../src/features/moderation/reports/commands.ts';
import { readReport, readReports } from '../../../src/features/moderation/reports/queries.ts';
import { reportsPerWindow } from '../../../src/features/moderation/reports/report.ts';
import { addWebhook } from '../../../src/features/webhooks/commands.ts';
import { readDeliveries } from '../../../src/features/webhooks/queries.ts';
import { addGame, addPlayer, nowAndReopened, type OpenStore, trio, wholePage } from './fixture.ts';

const spam = { reason: 'spam' as const, comment: 'Look at this' };

/** The contract of commands and queries about reports to the moderators. */
export function reportsContract(open: OpenStore): void {
  describe('reports', () => {
    test('are listed newest first, by game, status, subject and reporter', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, linus, [ada.wallet, grace.wallet]);
      const message = await db.write(sendMessage, grace, channelId, 'Buy gold');
      await db.write(block, ada, grace.wallet); // hidden messages can be reported too
      const first = await db.write(fileReport, ada, { about: { messageId: message._id }, ...spam });
      clock.advance(1);
      const second = await db.write(fileReport, ada, { about: { wallet: grace.wallet }, ...spam });
      const elsewhere = await addPlayer(db, (await addGame(db)).id, linus.wallet);
      clock.advance(1);
      const third = await db.write(fileReport, elsewhere, { about: { wallet: ada.wallet }, ...spam });
      await db.write(closeReport, second, { outcome: 'dismissed', note: 'No', by: 'mo' });
      for await (const one of nowAndReopened(fixture)) {
        const ids = async (filter: Parameters<typeof readReports>[1]) =>
          (await one.read(readReports, filter, wholePage)).rows.map(({ reportId }) => reportId);
        expect(await ids({})).toEqual([third, second, first]);
        expect(await ids({ gameId: ada.gameId })).toEqual([second, first]);
        expect(await ids({ status: 'open' })).toEqual([third, first]);
        expect(await ids({ subject: ada.wallet })).toEqual([third]);
        expect(await ids({ reporter: ada.wallet, status: 'dismissed' })).toEqual([second]);
        const page = await one.read(readReports, {}, { limit: 1, skip: 2 });
        expect(page).toEqual({
          total: 3,
          rows: [
            {
              reportId: first,
              gameId: ada.gameId,
              reporter: ada.wallet,
              reporterName: '',
              subject: grace.wallet,
              subjectName: '',
              messageId: message._id,
              channelId,
              ...spam,
              status: 'open',
              createdAt: clock.now - 2,
              closedAt: null,
              closedBy: '',
              note: '',
              openAgainst: 1,
            },
          ],
        });
        expect(await one.read(readReport, second)).toMatchObject({
          status: 'dismissed',
          closedAt: clock.now,
          closedBy: 'mo',
          note: 'No',
          message: null,
        });
      }
    });

    test('show the message with those around it, until it is unsent', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const sent = [];
      for (let n = 0; n < 25; n++) sent.push(await db.write(sendMessage, grace, channelId, `${n}`));
      const messageId = sent[12]?._id ?? '';
      const id = await db.write(fileReport, ada, { about: { messageId }, ...spam });
      const report = await db.read(readReport, id);
      expect(report?.message).toEqual(sent[12]);
      expect(report?.before).toEqual(sent.slice(2, 12));
      expect(report?.after).toEqual(sent.slice(13, 23));
      await db.write(unsendMessage, grace, messageId);
      expect(await db.read(readReport, id)).toMatchObject({
        messageId,
        message: null,
        before: [],
        after: [],
      });
      expect(await db.read(readReport, messageId)).toBeNull();
    });

    test('are unique per subject while open, about others and visible things, and limited per hour', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const [ada, grace, linus] = await trio(db);
      const { _id: channelId } = await db.write(createChannel, ada, [grace.wallet]);
      const theirs = await db.write(sendMessage, grace, channelId, 'Buy gold');
      const own = await db.write(sendMessage, ada, channelId, 'No thanks');
      const about = (messageId: string) => ({ about: { messageId }, ...spam });
      const player = (wallet: string) => ({ about: { wallet }, ...spam });
      const first = await db.write(fileReport, ada, about(theirs._id));
      await db.write(fileReport, ada, player(grace.wallet));
      const elsewhere = await addPlayer(db, (await addGame(db)).id, ada.wallet);
      for (const [by, report, reason] of [
        [ada, about(theirs._id), 'already_reported'],
        [ada, player(grace.wallet), 'already_reported'],
        [ada, about(own._id), 'report_about_self'],
        [ada, player(ada.wallet), 'report_about_self'],
        [ada, player(`0x${'9'.repeat(40)}`), 'player_unknown'],
        [ada, about('00000000-0000-7000-8000-000000000000'), 'message_unknown'],
        [linus, about(theirs._id), 'message_unknown'],
        [elsewhere, about(theirs._id), 'message_unknown'],
      ] as const) {
        await expect(db.write(fileReport, by, report)).rejects.toMatchObject({ reason });
      }
      await db.write(closeReport, first, { outcome: 'resolved', note: '', by: 'mo' });
      const closedAgain = db.write(closeReport, first, { outcome: 'dismissed', note: '', by: 'mo' });
      await expect(closedAgain).rejects.toMatchObject({ reason: 'report_closed' });
      await db.write(fileReport, ada, about(theirs._id));
      const others = Array.from({ length: reportsPerWindow.count - 3 }, () => addPlayer(db, ada.gameId));
      for (const other of await Promise.all(others)) {
        await db.write(fileReport, ada, player(other.wallet));
      }
      clock.advance(reportsPerWindow.windowMs - 1);
      const more = db.write(fileReport, ada, player(linus.wallet));
      await expect(more).rejects.toMatchObject({ reason: 'rate_limited', retryAfterSeconds: 1 });
      clock.advance(1);
      await db.write(fileReport, ada, player(linus.wallet));
    });

    test("are delivered to the game's webhooks without the text or the reporter, and removed with the subject", async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [ada, grace] = await trio(db);
      const { gameId } = ada;
      const hook = { gameId, url: 'https://hooks.example', filter: 'all' as const, sealedSecret: 's' };
      const { webhookId } = await db.write(addWebhook, hook);
      const reportId = await db.write(fileReport, ada, { about: { wallet: grace.wallet }, ...spam });
      const { rows } = await db.read(readDeliveries, { webhookId }, wholePage);
      expect(rows).toMatchObject([{ event: 'player_reports.created' }]);
      expect(JSON.stringify(rows)).not.toContain(ada.wallet);
      expect(JSON.stringify(rows)).not.toContain(spam.comment);
      expect(await db.write(removeReportsAbout, grace.wallet)).toBe(false);
      expect(await db.read(readReport, reportId)).toBeNull();
    });
  });
}
