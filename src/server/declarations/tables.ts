import type { AnyTable } from '../../core/storage/table.ts';
import { activities } from '../../features/activities/tables.ts';
import { administrators } from '../../features/administration/administrators/tables.ts';
import { auditLog, backupSchedules, erasures } from '../../features/administration/tables.ts';
import { calendarEvents } from '../../features/calendar/tables.ts';
import { lanes, transactions } from '../../features/chains/tables.ts';
import { friendCodes, friendships, invites, playerPrivacy } from '../../features/friends/tables.ts';
import { configVersions, gameConfigs } from '../../features/game-config/tables.ts';
import {
  gameDetails,
  gameErasures,
  gameFavorites,
  gameSecrets,
  games,
  requestNonces,
} from '../../features/games/tables.ts';
import { idempotencyKeys } from '../../features/idempotency/tables.ts';
import { maintenance } from '../../features/maintenance/tables.ts';
import { playerBlocks } from '../../features/messages/blocks/tables.ts';
import { playerMutes } from '../../features/messages/mutes/tables.ts';
import {
  declinedAdders,
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../../features/messages/tables.ts';
import { playerReports } from '../../features/moderation/reports/tables.ts';
import { news, newsMarks } from '../../features/news/tables.ts';
import { mutedGames, notifications } from '../../features/notifications/tables.ts';
import { playSessions } from '../../features/play-sessions/tables.ts';
import { bans, guestDevices, guests, players } from '../../features/players/tables.ts';
import { openPlays, playNodes, playtime } from '../../features/playtime/tables.ts';
import { actions, grants, spending, spent } from '../../features/queue/tables.ts';
import { releases } from '../../features/releases/tables.ts';
import { ruleExecutions, ruleTriggers } from '../../features/rules/tables.ts';
import {
  leaderboardEntries,
  leaderboardRecords,
  leaderboardSeasons,
  leaderboards,
  retiredSeasons,
} from '../../features/scores/leaderboard-tables.ts';
import { prizeHolds, prizeRuns } from '../../features/scores/prize-tables.ts';
import { board, scores } from '../../features/scores/tables.ts';
import {
  announcedPresent,
  openedGames,
  serverKeys,
  sessions,
  signIns,
} from '../../features/sessions/tables.ts';
import { states } from '../../features/states/tables.ts';
import { gameStorage, storageUse } from '../../features/storage-quota/tables.ts';
import { webhookSecrets, webhooks } from '../../features/webhooks/tables.ts';

/** Every table, in insertion order: referenced tables first. */
export const tables: readonly AnyTable[] = [
  games,
  gameDetails,
  gameErasures,
  gameSecrets,
  requestNonces,
  gameConfigs,
  configVersions,
  players,
  guests,
  guestDevices,
  bans,
  signIns,
  sessions,
  announcedPresent,
  openedGames,
  serverKeys,
  idempotencyKeys,
  scores,
  board,
  calendarEvents,
  maintenance,
  leaderboards,
  leaderboardSeasons,
  retiredSeasons,
  prizeRuns,
  prizeHolds,
  leaderboardEntries,
  leaderboardRecords,
  states,
  playSessions,
  playtime,
  openPlays,
  playNodes,
  activities,
  notifications,
  mutedGames,
  playerBlocks,
  friendships,
  friendCodes,
  playerPrivacy,
  invites,
  gameFavorites,
  news,
  newsMarks,
  releases,
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
  erasures,
] as readonly AnyTable[];
