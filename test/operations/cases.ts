import type { Reason } from '../../src/core/errors.ts';
import { isOnPostgres } from '../support/engine.ts';
import { activityCases } from './cases/activities.ts';
import { adminCases } from './cases/admin.ts';
import { batchCases } from './cases/batches.ts';
import { blockCases } from './cases/blocks.ts';
import { calendarCases } from './cases/calendar.ts';
import { channelSessionCases } from './cases/channel-sessions.ts';
import { friendPresenceCases } from './cases/friend-presence.ts';
import { friendCases } from './cases/friends.ts';
import { configCases } from './cases/game-config.ts';
import { gameCases } from './cases/games.ts';
import { guestCases } from './cases/guests.ts';
import { leaderboardCases } from './cases/leaderboards.ts';
import { messageCases } from './cases/messages.ts';
import { muteCases } from './cases/mutes.ts';
import { newsCases } from './cases/news.ts';
import { notificationCases } from './cases/notifications.ts';
import { playSessionCases } from './cases/play-sessions.ts';
import { playerCases } from './cases/players.ts';
import { playtimeCases } from './cases/playtime.ts';
import { realtimeEventCases } from './cases/realtime-events.ts';
import { reportCases } from './cases/reports.ts';
import { ruleCases } from './cases/rules.ts';
import { scoreCases } from './cases/scores.ts';
import { stateCases } from './cases/states.ts';
import type { AdminCases, LauncherCase, LauncherCases, OperationCase } from './operation-case.ts';

/**
 * One entry per operation. An operation without one does not compile, and fails `authorization.test.ts`: its results
 * over every transport, and its access rules, are decided when it is written.
 */
export const cases: LauncherCases & AdminCases = {
  ...scoreCases,
  ...stateCases,
  ...playSessionCases,
  ...activityCases,
  ...newsCases,
  ...notificationCases,
  ...blockCases,
  ...friendPresenceCases,
  ...playerCases,
  ...batchCases,
  ...reportCases,
  ...muteCases,
  ...ruleCases,
  ...messageCases,
  ...friendCases,
  ...gameCases,
  ...configCases,
  ...realtimeEventCases,
  ...playtimeCases,
  ...channelSessionCases,
  ...guestCases,
  ...leaderboardCases,
  ...calendarCases,
  ...adminCases,
};

/** The case of an operation, with its input type erased. */
export function caseOf({ name }: { name: string }): OperationCase {
  const all: Record<string, OperationCase> = cases;
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (!found) throw new Error(`test/operations/cases/ has no case for ${name}`);
  return found;
}

/** The reason with which the servers of this run refuse an operation for all callers; null: it is executed. */
export function refusalHere(operation: { name: string }): Reason | null {
  return (isOnPostgres && caseOf(operation).refusedOnPostgres) || null;
}

/** Like `caseOf`, for an operation that games and launchers call. */
export function launcherCaseOf(operation: { name: string }): LauncherCase {
  const found: OperationCase & Partial<LauncherCase> = caseOf(operation);
  if (!found.access) throw new Error(`the case of ${operation.name} does not say who may call it`);
  return { ...found, access: found.access };
}
