import { fileReport } from '../../../src/features/moderation/reports/commands.ts';
import { readReports } from '../../../src/features/moderation/reports/queries.ts';
import type { World } from '../../support/world.ts';
import { ownThingsOfPlayers, refused, refusedTo } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

/** The participant reports the owner's message, if not done before; returns the report's id. */
export async function reportOfMessage({ server, participant, messageId }: World): Promise<string> {
  const filter = { reporter: participant.wallet, status: 'open' as const };
  const { rows } = await server.services.db.read(readReports, filter, { limit: 1, skip: 0 });
  if (rows[0]) return rows[0].reportId;
  const report = { about: { messageId }, reason: 'spam' as const, comment: 'Look at this' };
  return server.services.db.write(fileReport, participant, report);
}

export const reportCases = {
  reportMessage: {
    input: ({ messageId }) => ({ messageId, reason: 'spam' }),
    caller: 'participant',
    answer: { success: true, reportId: '<id>' },
    access: refusedTo(refused(400, 'message_unknown'), {
      owner: refused(400, 'report_about_self'),
      participant: 'shared',
    }),
  },
  reportPlayer: {
    input: ({ banned }) => ({ wallet: banned.wallet, reason: 'cheating', comment: 'Through walls' }),
    answer: { success: true, reportId: '<id>' },
    access: ownThingsOfPlayers,
  },
} satisfies Partial<LauncherCases>;
