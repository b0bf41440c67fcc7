import { activities } from '../activities/tables.ts';
import { auditLog, backupSchedules } from '../administration/tables.ts';
import { administrators } from '../administrators/tables.ts';
import { playerBlocks } from '../blocks/tables.ts';
import { lanes, transactions } from '../chains/tables.ts';
import type { AnyTable } from '../core/storage/table.ts';
import { gameSecrets, games, requestNonces } from '../games/tables.ts';
import { idempotencyKeys } from '../idempotency/tables.ts';
import {
  declinedAdders,
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../messages/tables.ts';
import { playerMutes } from '../mutes/tables.ts';
import { notifications } from '../notifications/tables.ts';
import { playSessions } from '../play-sessions/tables.ts';
import { bans, guestDevices, guests, players } from '../players/tables.ts';
import { actions, grants, spending, spent } from '../queue/tables.ts';
import { playerReports } from '../reports/tables.ts';
import { ruleExecutions, ruleTriggers } from '../rules/tables.ts';
import {
  leaderboardEntries,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  retiredSeasons,
} from '../scores/leaderboard-tables.ts';
import { prizeHolds, prizeRuns } from '../scores/prize-tables.ts';
import { board, scores } from '../scores/tables.ts';
import { announcedPresent, serverKeys, sessions, signIns } from '../sessions/tables.ts';
import { states } from '../states/tables.ts';
import { gameStorage, storageUse } from '../storage-quota/tables.ts';
import { webhookSecrets, webhooks } from '../webhooks/tables.ts';

/** Every table, in insertion order: referenced tables first. */
export const tables: readonly AnyTable[] = [
  games,
  gameSecrets,
  requestNonces,
  players,
  guests,
  guestDevices,
  bans,
  signIns,
  sessions,
  announcedPresent,
  serverKeys,
  idempotencyKeys,
  scores,
  board,
  leaderboards,
  leaderboardSeasons,
  retiredSeasons,
  prizeRuns,
  prizeHolds,
  leaderboardEntries,
  leaderboardRecords,
  states,
  playSessions,
  activities,
  notifications,
  playerBlocks,
  messageChannels,
  participants,
  formerParticipants,
  declinedAdders,
  messages,
  playerReports,
  playerMutes,
  readMarkers,
  messageReactions,
  storageUse,
  gameStorage,
  ruleTriggers,
  ruleExecutions,
  actions,
  spending,
  spent,
  grants,
  lanes,
  transactions,
  webhooks,
  webhookSecrets,
  administrators,
  auditLog,
  backupSchedules,
] as readonly AnyTable[];
