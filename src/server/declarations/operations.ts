import { getActivities, sendCustomActivity } from '../../features/activities/operations/activities.ts';
import {
  createAdministrator,
  listAdministrators,
  type OperationsOfRole,
  revokeAdministrator,
  rotateAdministratorToken,
  updateAdministrator,
  whoAmI,
} from '../../features/administration/administrators/operations/administrators.ts';
import {
  downloadBackup,
  listBackups,
  makeBackup,
  removeBackup,
  setBackupSchedule,
} from '../../features/administration/operations/backups.ts';
import { deleteGame, updateGame } from '../../features/administration/operations/games.ts';
import {
  listAuditLog,
  listEvents,
  listRefusals,
  listRequests,
} from '../../features/administration/operations/logs.ts';
import {
  banPlayer,
  erasePlayer,
  getPlayer,
  unbanPlayer,
} from '../../features/administration/operations/players.ts';
import { getServerStats, serverSummary } from '../../features/administration/operations/server.ts';
import { batch } from '../../features/batches/operations/batch.ts';
import {
  getSubscribedChannels,
  subscribe,
  unsubscribe,
} from '../../features/events/operations/subscriptions.ts';
import {
  listGameSecrets,
  revokeGameSecret,
  rotateGameSecret,
} from '../../features/games/operations/game-secrets.ts';
import { createGame, getGames, listGames } from '../../features/games/operations/games.ts';
import {
  addGuestDevice,
  listGuestDevices,
  removeGuestDevice,
} from '../../features/guests/operations/guest-devices.ts';
import { requestGuestUpgrade, upgradeGuest } from '../../features/guests/operations/guest-upgrade.ts';
import {
  createGuest,
  openGuestSession,
  signInGuest,
  vouchForPlayer,
} from '../../features/guests/operations/guests.ts';
import {
  blockPlayer,
  listBlockedPlayers,
  unblockPlayer,
} from '../../features/messages/blocks/operations/blocks.ts';
import {
  createMessageChannel,
  editGroupInfo,
  getMessageChannels,
  listGameChannels,
} from '../../features/messages/operations/message-channels.ts';
import {
  editChannelMessage,
  getChannelMessages,
  listMessages,
  listPlayerMessages,
  removeMessage,
  sendChannelMessage,
  sendTypingSignal,
  unsendChannelMessage,
} from '../../features/messages/operations/messages.ts';
import {
  addParticipant,
  getChannelParticipants,
  removeParticipant,
} from '../../features/messages/operations/participants.ts';
import { addReaction, removeReaction } from '../../features/messages/operations/reactions.ts';
import { getUnreadCount, markMessagesRead } from '../../features/messages/operations/read-markers.ts';
import {
  listMutes,
  muteInGame,
  muteParticipant,
  mutePlayer,
} from '../../features/moderation/operations/mutes.ts';
import {
  getReport,
  listReports,
  reportMessage,
  reportPlayer,
  resolveReport,
} from '../../features/moderation/reports/operations/reports.ts';
import {
  listNotifications,
  markNotificationsRead,
  notifyPlayers,
  sendNotification,
} from '../../features/notifications/operations/notifications.ts';
import {
  getPlaySession,
  listPlaySessions,
  trackGameSessions,
} from '../../features/play-sessions/operations/play-sessions.ts';
import {
  listPlayers,
  setUsername,
  updatePlayer,
  updatePlayerProfile,
} from '../../features/players/operations/players.ts';
import {
  cancelAction,
  getAction,
  listActions,
  retryAction,
} from '../../features/queue/operations/actions.ts';
import { getRules, setRules, testRules, triggerRulesEngine } from '../../features/rules/operations/rules.ts';
import {
  getGameScoresLeaderboard,
  getLeaderboardAmong,
  getLeaderboardAround,
  getUsersPositionInGameScoreLeaderboard,
  listLeaderboardScores,
  readLeaderboard,
} from '../../features/scores/operations/leaderboard-scores.ts';
import {
  endLeaderboardSeason,
  getLeaderboardSeasons,
  listLeaderboardSeasons,
  resetLeaderboard,
} from '../../features/scores/operations/leaderboard-seasons.ts';
import {
  createLeaderboard,
  getLeaderboards,
  listLeaderboards,
  removeLeaderboard,
  updateLeaderboard,
} from '../../features/scores/operations/leaderboards.ts';
import {
  getUserScore,
  getUserScores,
  listPlayerScores,
  removeScore,
  setUserScore,
} from '../../features/scores/operations/scores.ts';
import {
  endChannelSession,
  listChannelSessions,
  openChannelSession,
  revokeChannelSession,
} from '../../features/sessions/operations/channel-sessions.ts';
import {
  channelHeartbeat,
  channelStatus,
  getPlayerPresence,
} from '../../features/sessions/operations/presence.ts';
import { listSessions, openSession, revokeSession } from '../../features/sessions/operations/sessions.ts';
import {
  createUnverifiedChannel,
  verifyUnverifiedChannel,
} from '../../features/sessions/operations/sign-in.ts';
import {
  getPlayerState,
  listStates,
  setPlayerState,
} from '../../features/states/operations/player-states.ts';
import {
  getPublicStates,
  getStates,
  patchState,
  removeState,
  setState,
  setStates,
} from '../../features/states/operations/states.ts';
import {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../features/webhooks/operations/webhooks.ts';

/** Every operation. A new one stands in the file of its noun and needs a line here. */
export const operations = [
  setUserScore,
  getUserScore,
  getUserScores,
  getGameScoresLeaderboard,
  getUsersPositionInGameScoreLeaderboard,
  getLeaderboards,
  getLeaderboardAround,
  getLeaderboardAmong,
  getLeaderboardSeasons,
  readLeaderboard,
  endLeaderboardSeason,
  setState,
  setStates,
  patchState,
  removeState,
  getStates,
  getPublicStates,
  trackGameSessions,
  sendCustomActivity,
  getActivities,
  sendNotification,
  triggerRulesEngine,
  getMessageChannels,
  createMessageChannel,
  getChannelMessages,
  sendChannelMessage,
  editChannelMessage,
  unsendChannelMessage,
  getChannelParticipants,
  addParticipant,
  removeParticipant,
  editGroupInfo,
  sendTypingSignal,
  markMessagesRead,
  getUnreadCount,
  addReaction,
  removeReaction,
  subscribe,
  unsubscribe,
  getSubscribedChannels,
  getGames,
  createUnverifiedChannel,
  verifyUnverifiedChannel,
  createGuest,
  signInGuest,
  requestGuestUpgrade,
  upgradeGuest,
  listGuestDevices,
  addGuestDevice,
  removeGuestDevice,
  vouchForPlayer,
  channelStatus,
  channelHeartbeat,
  openChannelSession,
  listChannelSessions,
  endChannelSession,
  revokeChannelSession,
  notifyPlayers,
  setUsername,
  updatePlayerProfile,
  getPlayerPresence,
  listNotifications,
  markNotificationsRead,
  blockPlayer,
  unblockPlayer,
  listBlockedPlayers,
  reportMessage,
  reportPlayer,
  muteParticipant,
  muteInGame,
  batch,
  createGame,
  listGames,
  updateGame,
  deleteGame,
  rotateGameSecret,
  listGameSecrets,
  revokeGameSecret,
  getRules,
  setRules,
  testRules,
  listActions,
  getAction,
  retryAction,
  cancelAction,
  createWebhook,
  listWebhooks,
  updateWebhook,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  replayWebhookDelivery,
  listPlayers,
  getPlayer,
  updatePlayer,
  banPlayer,
  unbanPlayer,
  erasePlayer,
  listSessions,
  openSession,
  openGuestSession,
  revokeSession,
  listPlayerScores,
  removeScore,
  createLeaderboard,
  listLeaderboards,
  updateLeaderboard,
  removeLeaderboard,
  resetLeaderboard,
  listLeaderboardScores,
  listLeaderboardSeasons,
  listGameChannels,
  listMessages,
  listPlayerMessages,
  removeMessage,
  listReports,
  getReport,
  resolveReport,
  mutePlayer,
  listMutes,
  listStates,
  getPlayerState,
  setPlayerState,
  listPlaySessions,
  getPlaySession,
  listEvents,
  listAuditLog,
  listRefusals,
  listRequests,
  getServerStats,
  serverSummary,
  whoAmI,
  listAdministrators,
  createAdministrator,
  updateAdministrator,
  rotateAdministratorToken,
  revokeAdministrator,
  listBackups,
  makeBackup,
  downloadBackup,
  removeBackup,
  setBackupSchedule,
] as const;

type NeedsOf<One> = One extends { handler(request: never, services: infer Needs): unknown }
  ? (needs: Needs) => void
  : never;

/** The names of the administrators' operations that a role may call. */
export const operationsOfRole: OperationsOfRole = (role) =>
  operations.flatMap((one) =>
    'roles' in one && one.roles?.some((allowed) => allowed === role) ? [one.name] : [],
  );

/**
 * The services that the handlers of all operations need: the intersection of their `services` types, inferred from a
 * union of functions that take them as parameters.
 */
export type Services = NeedsOf<(typeof operations)[number]> extends (needs: infer All) => void ? All : never;
